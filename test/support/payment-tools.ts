import { InvalidArgumentError } from '../../src/core/errors.ts';
import {
  createToolbox,
  defineTool,
  type IdempotencyStore,
  type Toolbox,
  type ToolCallContext,
  type ToolEffect,
} from '../../src/tools/index.ts';
import * as z from 'zod';

/** The error of a tool in these tests. It must never be in anything that a model is sent. */
export const secret = 'pg://root:hunter2@db.internal';

/** Three small tools of a real toolbox, and what they did. */
export interface PaymentTools {
  readonly toolbox: Toolbox;
  /** The payments that were really made. */
  readonly charges: readonly Charge[];
}

interface Charge {
  readonly invoice_id: string;
  readonly amount: number;
}

/** A look-up, a payment, and a note that fails in a way that no model may hear of; bound to one phone call. */
export const createPaymentTools = (context: ToolCallContext = {}): PaymentTools => {
  const charges: Charge[] = [];
  const toolbox = createToolbox({
    tools: [
      defineTool({
        name: 'find_invoice',
        description: 'Finds the open invoice of a customer.',
        parameters: z.object({ email: z.email().optional().describe('Of the customer') }),
        effect: 'read',
        run: () => ({ invoice_id: 'inv_1', amount: 49.9 }),
      }),
      defineTool({
        name: 'pay_invoice',
        description: 'Pays an invoice with the card on file.',
        parameters: z.object({
          invoice_id: z.string().min(1).max(40),
          amount: z.number().gt(0).lt(5000),
          reference: z.string().max(40).optional(),
        }),
        effect: 'payment',
        confirm: false,
        run: ({ invoice_id, amount }) => {
          charges.push({ invoice_id, amount });
          return { success: true, confirmation_number: `C-${charges.length}` };
        },
      }),
      defineTool({
        name: 'add_note',
        description: 'Adds an internal note.',
        parameters: z.object({ body: z.string() }),
        effect: 'write',
        run: () => {
          // Certainly not done.
          throw new InvalidArgumentError('server', `${secret} refused`);
        },
      }),
    ],
    context: { callId: 'CA1', ...context },
  });
  return { toolbox, charges };
};

/** A refund to which someone has to agree; a framework asks where a colleague has to. */
export const createApprovedTools = (
  confirm: 'two-step' | 'approve' | 'both',
  { effect = 'write', store }: { readonly effect?: ToolEffect; readonly store?: IdempotencyStore } = {},
): { readonly toolbox: Toolbox; readonly refunds: readonly number[] } => {
  const refunds: number[] = [];
  const toolbox = createToolbox({
    context: { callId: 'CA1' },
    approve: 'framework',
    store,
    tools: [
      defineTool({
        name: 'refund',
        description: 'Gives money back.',
        parameters: z.object({ amount: z.number().gt(0) }),
        effect,
        confirm,
        summarize: ({ amount }) => `Give back ${amount}.`,
        run: ({ amount }) => {
          refunds.push(amount);
          return { refunded: amount };
        },
      }),
    ],
  });
  return { toolbox, refunds };
};
