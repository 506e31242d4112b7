import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { hasAnswered } from '../../../src/tools/providers/has-answered.ts';
import { callerTurns } from '../../../src/tools/providers/caller-turns.ts';
import { createToolbox, defineTool, type Toolbox, type ToolResult } from '../../../src/tools/index.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const start = () => {
  const run = vi.fn((_invoice: { readonly invoice: string }) => ({ success: true }));
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ invoice: z.string() }),
    effect: 'write',
    confirm: 'two-step',
    summarize: ({ invoice }) => `Pay ${invoice}?`,
    run,
  });
  return { pay, paid: () => run.mock.calls.map(([{ invoice }]) => invoice) };
};

const valueOf = ({ value }: ToolResult) => value as Readonly<Record<string, unknown>>;

const call = () => {
  const { pay, paid } = start();
  const phoneCall = startPhoneCall({}, { callId: 'CA1', phone: '+14155550100', tools: { own: [pay] } });
  const ask = async (tools: Pick<Toolbox, 'run'>, invoice: string, confirmation_token?: unknown) =>
    valueOf(await tools.run('pay', confirmation_token === undefined ? { invoice } : { invoice, confirmation_token }));
  return { phoneCall, paid, ask, turn: (heard: string) => phoneCall.turn({ heard }).tools };
};

describe('a no', () => {
  test.each([
    ['at once', ['No, please do not.']],
    ['before other words', ['No.', 'How is the weather?', 'Lovely.']],
    ['in another language', ['Nein danke.', 'Was ist noch offen?']],
    ['behind a yes', ['Yes. No, wait.']],
  ])('ends the question: %s', async (_when, answers) => {
    const { ask, turn, paid } = call();
    const { confirmation_token } = await ask(turn('Pay October.'), 'October');
    let tools = turn(answers[0] ?? '');
    for (const words of answers.slice(1)) tools = turn(words);

    const again = await ask(tools, 'October', confirmation_token);

    expect(again).toMatchObject({ error: 'confirmation_required', reason: 'caller_may_have_said_no' });
    expect(paid()).toEqual([]);
    expect(await ask(turn('Yes, now.'), 'October', again['confirmation_token'])).toEqual({ success: true });
    expect(paid()).toEqual(['October']);
  });

  test('to one question is none to the next', async () => {
    const { ask, turn, paid } = call();
    await ask(turn('Pay October.'), 'October');
    const { confirmation_token } = await ask(turn('No. November.'), 'November');

    await ask(turn('Yes.'), 'November', confirmation_token);

    expect(paid()).toEqual(['November']);
  });

  test('that is heard without a turn counts', async () => {
    const { phoneCall, ask, turn, paid } = call();
    const { confirmation_token } = await ask(turn('Pay October.'), 'October');
    phoneCall.heard('No!');
    phoneCall.heard('Hello?');

    await ask(phoneCall.turn().tools, 'October', confirmation_token);

    expect(paid()).toEqual([]);
  });

  test('in a transcript of Vapi or Retell counts', async () => {
    const { pay, paid } = start();
    const toolbox = createToolbox({ context: { callId: 'CA1' }, tools: [pay] });
    const spoken = [{ role: 'user', content: 'Pay October.' }];
    const run = async (args: object) => valueOf(await toolbox.run('pay', args, callerTurns(spoken)));
    const { confirmation_token } = await run({ invoice: 'October' });
    spoken.push({ role: 'agent', content: 'Shall I?' }, { role: 'user', content: 'No' });
    spoken.push({ role: 'user', content: 'thanks.' }, { role: 'agent', content: 'Fine.' });
    spoken.push({ role: 'user', content: 'What else is open?' });

    await run({ invoice: 'October', confirmation_token });

    expect(paid()).toEqual([]);
  });

  test('in a conversation that a framework shows counts', () => {
    const conversation = [
      { by: 'caller', text: 'Pay October.' },
      { by: 'tool', text: 'token-1' },
      { by: 'agent', text: 'Shall I?' },
    ] as const;

    expect(hasAnswered([...conversation, { by: 'caller', text: 'No.' }], 'token-1')).toBe(false);
    expect(
      hasAnswered(
        [
          ...conversation,
          { by: 'caller', text: 'No.' },
          { by: 'agent', text: 'Fine.' },
          { by: 'caller', text: 'Bye.' },
        ],
        'token-1',
      ),
    ).toBe(false);
    expect(hasAnswered([...conversation, { by: 'caller', text: 'No problem.' }], 'token-1')).toBe(true);
  });
});

describe('a changed mind', () => {
  test('ends the question before: the caller’s yes is to the later one', async () => {
    const { ask, turn, paid } = call();
    const october = await ask(turn('Pay October.'), 'October');
    const november = await ask(turn('The one of November.'), 'November');
    const tools = turn('Yes.');

    const again = await ask(tools, 'October', october['confirmation_token']);
    expect(again).toMatchObject({ reason: 'caller_was_asked_something_else', summary: 'Pay October?' });
    expect(paid()).toEqual([]);
    // What was asked again is the last question now.
    await ask(turn('November!'), 'November', november['confirmation_token']);
    expect(paid()).toEqual([]);
  });

  test('is none if both were asked at once', async () => {
    const { ask, turn, paid } = call();
    const tools = turn('Pay both.');
    const [october, november] = [await ask(tools, 'October'), await ask(tools, 'November')];
    const later = turn('Yes.');
    await ask(later, 'October', october['confirmation_token']);
    await ask(later, 'November', november['confirmation_token']);

    expect(paid()).toEqual(['October', 'November']);
  });

  test('is none if the next question comes with the yes to the first', async () => {
    const { ask, turn, paid } = call();
    const october = await ask(turn('Pay October.'), 'October');
    const tools = turn('Yes, and November too.');
    const november = await ask(tools, 'November');
    await ask(tools, 'October', october['confirmation_token']);
    await ask(turn('Yes.'), 'November', november['confirmation_token']);

    expect(paid()).toEqual(['October', 'November']);
  });

  test('is none if the same is asked twice', async () => {
    const { ask, turn, paid } = call();
    const first = await ask(turn('Pay October.'), 'October');
    await ask(turn('Which card?'), 'October');
    await ask(turn('Yes.'), 'October', first['confirmation_token']);

    expect(paid()).toEqual(['October']);
  });

  test('counts by time where no one reports what was heard, and in every toolbox of the store', async () => {
    const clock = createVirtualClock();
    const { pay, paid } = start();
    const toolbox = createToolbox({ context: { callId: 'CA1' }, tools: [pay] });
    const october = valueOf(await toolbox.run('pay', { invoice: 'October' }));
    await clock.advance(5_000);
    await toolbox.run('pay', { invoice: 'November' });
    await clock.advance(5_000);

    await toolbox.run('pay', { invoice: 'October', confirmation_token: october['confirmation_token'] });

    expect(paid()).toEqual([]);
  });
});
