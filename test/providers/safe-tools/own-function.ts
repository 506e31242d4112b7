import { toolFrom } from 'voice-agent-integrations/tools';
import * as z from 'zod';

const refundOrder = async ({ order_id, amount }: { order_id: string; amount: number }) => {
  const body = JSON.stringify({ amount });
  const response = await fetch(`https://shop.example/orders/${order_id}/refund`, { method: 'POST', body });
  return response.json();
};

export const tools = [
  toolFrom(
    {
      description: 'Refunds an order.',
      inputSchema: z.object({ order_id: z.string().regex(/^\w+$/), amount: z.number().positive() }),
      execute: refundOrder,
    },
    { name: 'refund_order', effect: 'payment' },
  ),
];
