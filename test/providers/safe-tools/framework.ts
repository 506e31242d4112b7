import { tool } from 'ai';
import { toolFrom } from 'voice-agent-integrations/tools';
import * as z from 'zod';

const orderPart = tool({
  description: 'Orders a spare part.',
  inputSchema: z.object({ part: z.string(), quantity: z.int() }),
  execute: async (order, { abortSignal }) => {
    const body = JSON.stringify(order);
    const response = await fetch('https://shop.example/orders', { method: 'POST', body, signal: abortSignal ?? null });
    return response.json();
  },
});

export const tools = [toolFrom(orderPart, { name: 'order_part', effect: 'write' })];
