import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createToolbox } from '../../../src/tools/index.ts';
import { deepgram } from '../../../src/tools/providers/deepgram.ts';
import { live } from '../../../src/tools/providers/google.ts';
import { hasAnswered, type Said, seenIn } from '../../../src/tools/providers/has-answered.ts';
import { livekit } from '../../../src/tools/providers/livekit.ts';
import { openaiAgents } from '../../../src/tools/providers/openai-agents.ts';
import { createApprovedTools } from '../../support/payment-tools.ts';
import { startLiveKitTurn } from '../../support/livekit-turn.ts';

const caller = (text: string | undefined, id?: string): Said => ({ by: 'caller', text, id });
const agent = (text: string): Said => ({ by: 'agent', text });
const asked: Said = { by: 'tool', text: '{"confirmation_token":"abc"}' };
const wish = caller('Please pay.', 'm1');
const question = agent('Shall I?');

describe('an answer to the question with a token', () => {
  test.each<[string, readonly Said[], boolean | undefined]>([
    ['comes after it was read out', [wish, asked, question, caller('Yes.')], true],
    ['comes later too', [wish, asked, question, caller('Hm.'), agent('Yes?'), caller('Yes.')], true],
    ['isn’t there yet', [wish, asked, question], false],
    ['isn’t there before it was read out', [wish, asked], false],
    ['isn’t what was said before it was read out', [wish, asked, caller('Quickly.'), question], false],
    ['isn’t silence', [wish, asked, question, caller(' '), caller('\u200B')], false],
    ['isn’t to an empty question', [wish, asked, agent(' '), caller('Yes.')], false],
    ['isn’t known from a message that comes again', [wish, asked, question, caller('Please pay.', 'm2')], undefined],
    [
      'isn’t known from an id that comes again',
      [wish, caller('Now.'), asked, question, caller('So.', 'm1')],
      undefined,
    ],
    ['isn’t known while its words aren’t', [wish, asked, question, caller(undefined)], undefined],
    ['isn’t known where the question isn’t seen', [wish, question, caller('Yes.')], undefined],
    ['isn’t known where no one is heard', [asked, question], undefined],
    ['isn’t to an earlier one', [wish, asked, question, caller('Yes.'), asked], false],
    ['isn’t what the model sends', [wish, { by: 'agent', text: 'abc' }, question, caller('Yes.')], undefined],
  ])('%s', (_what, conversation, expected) => {
    expect(hasAnswered(conversation, 'abc')).toBe(expected);
  });
});

test.each<[string, unknown, boolean]>([
  ['a text', 'Yes.', true],
  ['a part', [{ type: 'text', text: 'Yes.' }], true],
  ['what was heard', [{ type: 'input_audio', transcript: 'Yes.' }], true],
  ['a picture', [{ type: 'image', image: 'aGVsbG8=' }], false],
  ['a result of a tool', [{ type: 'tool_result', content: 'Yes.' }], false],
  ['a number', 1, false],
  ['nothing', null, false],
])('words of the caller: %s', (_what, content, isAnswer) => {
  const { hasAnswered: isAnswered } = seenIn([
    { role: 'user', content: 'Please pay.' },
    { role: 'tool', content: [{ output: { value: { confirmation_token: 'abc' } } }] },
    { role: 'assistant', content: 'Shall I?' },
    { role: 'system', content: 'The caller said yes.' },
    { role: 'user', content },
  ]);

  expect(isAnswered?.('abc')).toBe(isAnswer);
});

const tokenIn = (text: string) => /confirmation_token[\\":]+([^"\\]+)/.exec(text)?.[1];

describe('Deepgram', () => {
  const connect = () => {
    const { toolbox, refunds } = createApprovedTools('two-step');
    const sent: string[] = [];
    const receive = deepgram.connect(toolbox, { send: (message) => sent.push(JSON.stringify(message)) });
    const call = async (id: string, args: object) => {
      const request = { id, name: 'refund', arguments: JSON.stringify(args), client_side: true };
      await receive({ type: 'FunctionCallRequest', functions: [request] });
      return tokenIn(sent.at(-1) ?? '');
    };
    const say = (role: string, content: unknown) => receive({ type: 'ConversationText', role, content });
    return { refunds, call, say };
  };

  test('the yes counts at once after the question was read out, and no earlier', async () => {
    const { refunds, call, say } = connect();
    await say('user', 'My money back.');
    const first = await call('1', { amount: 5 });
    const second = await call('2', { amount: 5, confirmation_token: first });
    await say('assistant', 'Shall I?');
    await say('user', 7);
    const third = await call('3', { amount: 5, confirmation_token: second });
    expect(refunds).toEqual([]);
    await say('assistant', 'Shall I give it back?');
    await say('user', 'Yes.');
    await call('4', { amount: 5, confirmation_token: third });

    expect(refunds).toEqual([5]);
  });
});

describe('Gemini Live', () => {
  const connect = () => {
    const { toolbox, refunds } = createApprovedTools('two-step');
    const sent: string[] = [];
    const receive = live.connect(toolbox, { send: (responses) => sent.push(JSON.stringify(responses)) });
    const call = async (id: string, confirmation_token?: string) => {
      await receive({ toolCall: { functionCalls: [{ id, name: 'refund', args: { amount: 5, confirmation_token } }] } });
      return tokenIn(sent.at(-1) ?? '');
    };
    return { refunds, call, hear: (serverContent: object) => receive({ serverContent }) };
  };
  const words = (text: string) => ({ inputTranscription: { text } });
  const speech = { outputTranscription: { text: 'Shall I?' } };

  test('words that come late, while the model speaks, are no answer', async () => {
    const { refunds, call, hear } = connect();
    const token = await call('1');
    await hear(speech);
    await hear(words('My money back.'));
    await hear({ turnComplete: true });
    await call('2', token);

    expect(refunds).toEqual([]);
  });

  test('a caller who interrupts the question has answered it', async () => {
    const { refunds, call, hear } = connect();
    await hear(words('My money back.'));
    const token = await call('1');
    await hear(speech);
    await hear({ interrupted: true, ...words('Yes.') });
    await call('2', token);

    expect(refunds).toEqual([5]);
  });

  test('without words, the next turn counts after three seconds, and the same one never', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { refunds, call, hear } = connect();
    await hear({ turnComplete: true });
    const first = await call('1');
    await hear(speech);
    vi.setSystemTime(Date.now() + 10_000);
    const second = await call('2', first);
    expect(refunds).toEqual([]);
    await hear({ turnComplete: true });
    vi.setSystemTime(Date.now() + 3_000);
    await call('3', second);

    expect(refunds).toEqual([5]);
  });
});

class ToolError extends Error {}

test.each([
  ['a model of text', { chat: () => {} }, []],
  ['a model of speech, whose words may come late', { session: () => {} }, [5]],
])('LiveKit: without an answer in the history, after a while: %s', async (_what, model, expected) => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { toolbox, refunds } = createApprovedTools('two-step');
  const tools = livekit.tools(toolbox, { llm: { tool: (definition) => definition, ToolError } });
  const items: object[] = [{ type: 'message', role: 'user', textContent: 'My money back.', id: 'm1' }];
  const ctx = { ...startLiveKitTurn().ctx, session: { llm: model, history: { items: items as never } } };
  const run = async (confirmation_token?: string) =>
    tools['refund']?.execute({ amount: 5, confirmation_token }, { ctx, toolCallId: 'call' });
  const output = JSON.stringify(await run());
  items.push({ type: 'function_call_output', output }, { type: 'message', role: 'assistant', textContent: 'Shall I?' });
  vi.setSystemTime(Date.now() + 10_000);
  await run(tokenIn(output));

  expect(refunds).toEqual(expected);
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  [
    'a history of the application',
    { context: { history: [{ type: 'message', role: 'user', content: 'Yes.' }, null] } },
  ],
  ['a history that is none', { context: { history: 'user: yes' } }],
])('OpenAI Agents: %s shows no answer', async (_what, runContext) => {
  const runs: unknown[] = [];
  const toolbox = createToolbox({ context: { callId: 'CA1' }, tools: [] });
  const spy = {
    ...createApprovedTools('two-step').toolbox,
    run: (async (...run) => {
      runs.push(run[2]?.hasAnswered?.('abc'));
      return toolbox.run('none', {});
    }) satisfies typeof toolbox.run,
  };
  const [made] = openaiAgents.tools(spy, { tool: (definition) => definition });
  await made?.execute({ amount: 5 }, runContext);

  expect(runs).toEqual([undefined]);
});
