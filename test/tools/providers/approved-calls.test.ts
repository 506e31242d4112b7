import { expect, test } from 'vitest';
import * as z from 'zod';
import { createToolbox, defineTool } from '../../../src/tools/index.ts';
import { aiSdk } from '../../../src/tools/providers/ai-sdk.ts';
import { mastra } from '../../../src/tools/providers/mastra.ts';
import { openaiAgents } from '../../../src/tools/providers/openai-agents.ts';
import type { Toolbox } from '../../../src/tools/toolbox.ts';

/** A payment that its caller and a colleague have to agree to, whom a framework asks. */
const start = () => {
  const paid: number[] = [];
  const toolbox = createToolbox({
    context: { callId: 'CA1' },
    approve: 'framework',
    onError: () => {},
    tools: [
      defineTool({
        name: 'pay',
        description: 'Pays.',
        parameters: z.object({ amount: z.number() }),
        effect: 'payment',
        confirm: 'both',
        run: ({ amount }) => {
          paid.push(amount);
          return { success: true };
        },
      }),
    ],
  });
  return { paid, toolbox };
};

interface Framework {
  /** Whether a person is asked about the call. */
  readonly asks: (input: unknown) => unknown;
  readonly execute: (input: unknown) => Promise<unknown>;
}

const askedBy = (needed: boolean | ((input: unknown) => boolean), input: unknown) =>
  typeof needed === 'function' ? needed(input) : needed;

/** In each framework: its tool in a turn of the caller. */
const frameworks: Readonly<Record<string, (toolbox: Toolbox, turn: number) => Framework>> = {
  'the AI SDK': (toolbox, turn) => {
    const tool = aiSdk.tools(toolbox, { context: { turn } })['pay'];
    return {
      asks: (input) => tool && askedBy(tool.needsApproval, input),
      execute: async (input) => (await tool?.execute(input, { toolCallId: `c${turn}` }))?.value,
    };
  },
  Mastra: (toolbox, turn) => {
    const { pay } = mastra.tools(toolbox, { createTool: (made) => made, context: { turn } });
    return {
      asks: (input) => pay && askedBy(pay.requireApproval, input),
      execute: async (input) => (await pay?.execute(input, {}))?.value,
    };
  },
  'OpenAI Agents': (toolbox, turn) => {
    const [pay] = openaiAgents.tools(toolbox, { tool: (made) => made, context: { turn } });
    return {
      asks: async (input) =>
        typeof pay?.needsApproval === 'function' ? pay.needsApproval(undefined, input) : pay?.needsApproval,
      execute: async (input) => JSON.parse((await pay?.execute(input)) ?? 'null'),
    };
  },
};

const forms: readonly (readonly [form: string, wrap: (token: string) => unknown])[] = [
  ['a list', (token) => [token]],
  ['a list of lists', (token) => [[token]]],
  ['an object that reads as it', (token) => ({ toString: () => token })],
  ['an object of a text', (token) => Object(token)],
  ['no token', () => undefined],
  ['null', () => null],
  ['an empty text', () => ''],
];

test.each(Object.keys(frameworks).flatMap((name) => forms.map(([form, wrap]) => [name, form, wrap] as const)))(
  '%s does not ask a person where the token is %s, so nothing is paid',
  async (name, _form, wrap) => {
    const { toolbox, paid } = start();
    const [first, second] = [1, 2].map((turn) => frameworks[name]?.(toolbox, turn));
    const asked = (await first?.execute({ amount: 5 })) as { confirmation_token: string };
    const input = { amount: 5, confirmation_token: wrap(asked.confirmation_token) };

    expect(await second?.asks(input)).toBe(false);
    expect(await second?.execute(input)).toMatchObject({ success: false });
    expect(paid).toEqual([]);
  },
);

test.each(Object.keys(frameworks))('%s asks a person about a call with the token, and it is paid', async (name) => {
  const { toolbox, paid } = start();
  const [first, second] = [1, 2].map((turn) => frameworks[name]?.(toolbox, turn));
  const asked = (await first?.execute({ amount: 5 })) as { confirmation_token: string };
  const input = { amount: 5, confirmation_token: asked.confirmation_token };

  expect(await second?.asks(input)).toBe(true);
  expect(await second?.execute(input)).toMatchObject({ success: true });
  expect(paid).toEqual([5]);
});
