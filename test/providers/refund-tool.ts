import * as z from 'zod';
import {
  type Confirm,
  createToolbox,
  defineTool,
  type IdempotencyStore,
  type Toolbox,
  type ToolboxOptions,
  type ToolEffect,
} from '../../src/tools/index.ts';

export interface RefundToolOptions extends Pick<ToolboxOptions, 'context' | 'onError'> {
  readonly store: IdempotencyStore | undefined;
  readonly confirm: Confirm;
  readonly effect?: ToolEffect;
  /** @defaultValue 'refund' */
  readonly name?: string;
  readonly onRefund: (amount: number) => unknown;
}

/** A toolbox as one request makes it: a refund to which a person has to agree. */
export const createRefundTool = ({
  store,
  confirm,
  effect = 'write',
  name = 'refund',
  onRefund,
  context = { callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } },
  onError,
}: RefundToolOptions): Toolbox =>
  createToolbox({
    store,
    context,
    onError,
    approve: 'framework',
    tools: [
      defineTool({
        name,
        description: 'Gives money back.',
        parameters: z.object({ amount: z.number().gt(0) }),
        effect,
        confirm,
        summarize: ({ amount }) => `Give back ${amount}.`,
        run: async ({ amount }) => {
          await onRefund(amount);
          return { refunded: amount };
        },
      }),
    ],
  });
