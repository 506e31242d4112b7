import { createToolbox, defineTool, type Toolbox } from '../../src/tools/index.ts';
import * as z from 'zod';
import { secret } from './payment-tools.ts';

/** Four small tools for a voice platform, and what they did. Bound to no phone call: the platform says which it is. */
export interface PlatformTools {
  readonly toolbox: Toolbox;
  readonly charges: readonly number[];
  readonly notes: readonly string[];
}

export const createPlatformTools = (): PlatformTools => {
  const charges: number[] = [];
  const notes: string[] = [];
  const toolbox = createToolbox({
    tools: [
      defineTool({
        name: 'who_is_calling',
        description: 'Says who is calling.',
        parameters: z.object({}),
        effect: 'read',
        expectedMs: 800,
        slowMessage: 'One moment, please.',
        run: (_, { callId, caller }) => ({ callId, ...caller }),
        compact: (who) => who,
      }),
      defineTool({
        name: 'pay',
        description: 'Pays an invoice.',
        parameters: z.object({
          amount: z.number().gt(0).lt(5000).describe('In dollars'),
          method: z.enum(['card', 'bank']).optional(),
        }),
        effect: 'payment',
        confirm: false,
        run: ({ amount }) => {
          charges.push(amount);
          return { success: true, confirmation_number: `C-${charges.length}` };
        },
      }),
      defineTool({
        name: 'add_note',
        description: 'Adds an internal note.',
        parameters: z.object({ body: z.string() }),
        effect: 'write',
        run: ({ body }) => {
          notes.push(body);
          return { note: notes.length };
        },
      }),
      defineTool({
        name: 'break_down',
        description: 'Never works.',
        parameters: z.object({}),
        effect: 'read',
        run: () => {
          throw new Error(`connect ${secret} refused`);
        },
      }),
    ],
  });
  return { toolbox, charges, notes };
};
