import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createToolbox, defineTool } from '../../../src/tools/index.ts';
import { retell } from '../../../src/tools/providers/retell.ts';
import { vapi } from '../../../src/tools/providers/vapi.ts';
import { callerTurns } from '../../../src/tools/providers/caller-turns.ts';

interface Spoken {
  readonly role: string;
  readonly content: string;
}

const user = (content: string): Spoken => ({ role: 'user', content });
const agent = (content: string): Spoken => ({ role: 'agent', content });

describe('the last turn of the caller', () => {
  const first = [agent('Hello.'), user('Please pay.')];

  test.each<[string, readonly Spoken[]]>([
    ['the caller goes on before the agent has spoken', [...first, user('Quickly.')]],
    ['the caller’s sentence grows', [agent('Hello.'), user('Please pay my invoice.')]],
    ['the agent speaks', [...first, agent('Shall I?')]],
    ['the caller is silent', [...first, agent('Shall I?'), user(' '), user('\u200B')]],
    ['a tool answers', [...first, { role: 'tool_call_result', content: 'Yes' }]],
  ])('is the same if %s', (_what, later) => {
    expect(callerTurns([...later] as never).turn).toBe(callerTurns([...first] as never).turn);
  });

  test.each<[string, readonly Spoken[]]>([
    ['answers', [...first, agent('Shall I?'), user('Yes.')]],
    ['says the same again', [...first, agent('Pardon?'), user('Please pay.')]],
    ['answers, and only the end is sent', [agent('Shall I?'), user('Yes.')]],
  ])('is another one if the caller %s', (_what, later) => {
    expect(callerTurns([...later] as never).turn).not.toBe(callerTurns([...first] as never).turn);
  });

  test.each([
    undefined,
    null,
    'user: yes',
    {},
    [],
    [null],
    [{ role: 'user' }],
    [{ role: 'user', content: 5 }],
    ['yes'],
  ])('is not known from %j', (transcript) => {
    expect(callerTurns(transcript as never).turn).toBeUndefined();
  });
});

const toolboxOf = (charges: number[]) =>
  createToolbox({
    tools: [
      defineTool({
        name: 'pay',
        description: 'Pays.',
        parameters: z.object({ amount: z.number() }),
        effect: 'payment',
        run: ({ amount }) => {
          charges.push(amount);
          return { success: true };
        },
      }),
    ],
  });

type Ask = (args: object, transcript: readonly Spoken[], id: string) => Promise<string>;

/** Asks as the platform does. */
const platforms: Readonly<Record<string, (charges: number[]) => Ask>> = {
  Vapi: (charges) => {
    const handler = vapi.handler({ toolbox: toolboxOf(charges), secret: () => 'shared' });
    return async (args, transcript, id) => {
      const message = {
        type: 'tool-calls',
        call: { id: 'call_1', type: 'inboundPhoneCall', customer: { number: '+14155550100' } },
        artifact: {
          messages: transcript.map(({ role, content }) => ({
            role: role === 'agent' ? 'bot' : role,
            message: content,
          })),
        },
        toolCallList: [{ id, type: 'function', function: { name: 'pay', arguments: args } }],
      };
      const headers = { 'x-vapi-secret': 'shared', 'content-type': 'application/json' };
      const body = JSON.stringify({ message });
      return (await handler(new Request('https://agent.example', { method: 'POST', headers, body }))).text();
    };
  },
  Retell: (charges) => {
    const handler = retell.handler({ toolbox: toolboxOf(charges), apiKey: () => 'key_1' });
    return async (args, transcript) => {
      const call = {
        call_id: 'call_1',
        call_type: 'phone_call',
        direction: 'inbound',
        from_number: '+14155550100',
        to_number: '+14155550199',
        transcript_object: transcript,
      };
      const body = JSON.stringify({ name: 'pay', args, call });
      const time = String(Date.now());
      const digest = createHmac('sha256', 'key_1')
        .update(body + time)
        .digest('hex');
      const headers = { 'x-retell-signature': `v=${time},d=${digest}`, 'content-type': 'application/json' };
      return (await handler(new Request('https://agent.example', { method: 'POST', headers, body }))).text();
    };
  },
};

test.each(Object.entries(platforms))(
  '%s: the yes of a caller who has spoken counts at once, and no other',
  async (_name, start) => {
    const charges: number[] = [];
    const ask = start(charges);
    const begun = [agent('Hello.'), user('Please pay.')];
    const tokenIn = (text: string) => /confirmation_token[\\":]+([^"\\]+)/.exec(text)?.[1];

    const asked = await ask({ amount: 5 }, begun, '1');
    const own = await ask({ amount: 5, confirmation_token: tokenIn(asked) }, [...begun, user('Now.')], '2');
    expect(own).toContain('caller_has_not_answered');
    expect(charges).toEqual([]);

    const answered = [...begun, user('Now.'), agent('Shall I pay 5?'), user('Yes.')];
    await ask({ amount: 5, confirmation_token: tokenIn(own) }, answered, '3');
    expect(charges).toEqual([5]);
  },
);
