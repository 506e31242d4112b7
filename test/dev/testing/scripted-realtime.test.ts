import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createScriptedModel } from '../../../src/dev/testing/index.ts';
import { createToolbox, defineTool } from '../../../src/tools/index.ts';
import { realtime } from '../../../src/tools/providers/openai.ts';

const start = (script: Parameters<typeof createScriptedModel>[0]) => {
  const run = vi.fn(() => ({ refunded: true }));
  const common = { description: 'A tool.', parameters: z.object({}), compact: (result: object) => result } as const;
  const toolbox = createToolbox({
    context: { callId: 'CA1' },
    tools: [
      defineTool({ ...common, name: 'look_up', effect: 'read', run: () => ({ owed: 12 }) }),
      defineTool({ ...common, name: 'refund', effect: 'write', confirm: 'two-step', run }),
    ],
  });
  const model = createScriptedModel(script);
  const socket = model.realtime();
  const errors: string[] = [];
  const session = realtime.connect(toolbox, { socket, onError: ({ message }) => errors.push(message) });
  return { model, socket, session, errors, run };
};

/** The token that the model has read. */
const tokenIn = (results: readonly string[]): object => {
  const { confirmation_token } = JSON.parse(results[0] ?? '{}') as { confirmation_token: string };
  return { confirmation_token };
};

describe('a realtime session of a scripted model', () => {
  test('calls tools, reads their results and says words to the caller', async () => {
    const { model, socket, session, errors } = start([
      'Good morning.',
      ({ caller }) => (caller === 'What do I owe?' ? [{ call: 'look_up' }, { call: 'look_up' }] : 'Not asked.'),
      ({ results }) => `You owe: ${results.join(' and ')}.`,
    ]);

    expect(await socket.say('Hello?')).toBe('Good morning.');
    expect(await socket.say('What do I owe?')).toBe('You owe: {"owed":12} and {"owed":12}.');
    session.close();
    expect(errors).toEqual([]);
    expect([model.stepsLeft, model.requests.length]).toEqual([0, 3]);
  });

  test('asks the caller, and does what they agreed to after they have spoken', async () => {
    let token = {};
    const { socket, session, run } = start([
      { call: 'refund' },
      ({ results }) => {
        token = tokenIn(results);
        return 'Shall I refund it?';
      },
      () => ({ call: 'refund', args: token }),
      ({ results }) => results.join(),
    ]);

    expect(await socket.say('My money back.')).toBe('Shall I refund it?');
    expect(run).not.toHaveBeenCalled();
    expect(await socket.say('Yes.')).toBe('{"refunded":true}');
    session.close();
  });

  test('a model that confirms itself in its next answer does nothing', async () => {
    const { socket, session, run } = start([
      { call: 'refund' },
      ({ results }) => ({ call: 'refund', args: tokenIn(results) }),
      ({ results }) => results.join(),
    ]);

    expect(await socket.say('My money back.')).toContain('caller_has_not_answered');
    expect(run).not.toHaveBeenCalled();
    session.close();
  });

  test('a tool that is not offered, and an answer too many, are errors', async () => {
    const { socket, session, errors } = start([{ call: 'fly_to_moon' }]);

    await expect(socket.say('Fly.')).rejects.toThrow(
      'Step 1 calls fly_to_moon, and the request offers look_up, refund.',
    );
    await expect(socket.say('Hello?')).rejects.toThrow('The script has 1 steps, and this is request 2.');
    session.close();
    expect(errors).toEqual([
      'Realtime: Step 1 calls fly_to_moon, and the request offers look_up, refund.',
      'Realtime: The script has 1 steps, and this is request 2.',
    ]);
  });

  test('a result of a call that the model did not make is an error', () => {
    const socket = createScriptedModel(['Hello.']).realtime();
    const message = Promise.withResolvers<unknown>();
    socket.addEventListener('message', ({ data }) => message.resolve(JSON.parse(String(data))));
    const item = { type: 'function_call_output', call_id: 'call_9', output: '{}' };
    socket.send(JSON.stringify({ type: 'conversation.item.create', item }));

    return expect(message.promise).resolves.toMatchObject({
      type: 'error',
      error: { message: "Tool call ID 'call_9' not found in conversation." },
    });
  });

  test('a session that is closed says so to what waits for an answer', async () => {
    const { socket } = start(['Hello.']);
    const words = socket.say('Hello?');
    socket.close();

    await expect(words).rejects.toThrow('The realtime session was closed.');
    expect(socket.readyState).toBe(3);
  });
});
