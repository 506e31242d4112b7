import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startPhoneCall } from 'voice-agent-integrations';
import type { QueuedMessage } from 'voice-agent-integrations/outbox';
import { createMemoryMessageQueue } from 'voice-agent-integrations/stores/memory';
import { createLiveCalls } from '../live-calls.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const facts = { callId: 'CA1', direction: 'Inbound', phone: '+14155550100' } as const;
const minutes = (count: number) => count * 60_000;

/** Phone calls whose end is stored here. */
const open = () => {
  const stored: QueuedMessage[] = [];
  let isFull = false;
  const queue = {
    ...createMemoryMessageQueue(),
    enqueue: async (messages: readonly QueuedMessage[]) => {
      if (isFull) throw new Error('the disk is full');
      stored.push(...messages);
    },
  };
  const calls = createLiveCalls({
    startPhoneCall: (options) => startPhoneCall({}, { ...options, finishLater: { queue } }),
  });
  const ends = () => stored.map(({ payload }) => JSON.stringify(payload));
  return { calls, ends, fill: (now: boolean) => void (isFull = now) };
};

test('a phone call without a request for a quarter of an hour is finished, once', async () => {
  const { calls, ends } = open();
  const call = calls.of(facts);
  call.tell({ transcript: 'Caller: Hello?' });

  await vi.advanceTimersByTimeAsync(minutes(14));
  calls.of(facts);
  await vi.advanceTimersByTimeAsync(minutes(14));
  expect(ends()).toEqual([]);
  await vi.advanceTimersByTimeAsync(minutes(1));
  await call.end('reported late');

  expect(ends()).toEqual([expect.stringContaining('its end was not reported')]);
  expect(ends()[0]).toContain('The caller said first: Hello?');
  expect(call.hungUp.aborted).toBe(true);
});

test('a line that is gone waits a minute for its report, whose words count', async () => {
  const { calls, ends } = open();
  calls.of(facts).endSoon('hung up');
  calls.of({ ...facts, callId: 'CA2' }).endSoon('hung up');

  calls.of({ ...facts, callId: 'CA2' });
  calls.of(facts).tell({ summary: 'Asked for the opening hours.' });
  await calls.of(facts).end('hung up');
  await vi.advanceTimersByTimeAsync(minutes(1));

  expect(ends()).toHaveLength(2);
  expect(ends()[0]).toContain('Asked for the opening hours.');
  expect(ends()[1]).toContain('What was said is not known.');
});

test('an end that cannot be stored is said to the platform, and succeeds when it asks again', async () => {
  const { calls, ends, fill } = open();

  fill(true);
  await expect(calls.of(facts).end('hung up')).rejects.toThrow('the disk is full');
  fill(false);
  await calls.of(facts).end('hung up');

  expect(ends()).toHaveLength(1);
});

test('an end that cannot be stored is tried again when no platform asks', async () => {
  const errors = vi.spyOn(console, 'error').mockReturnValue();
  const { calls, ends, fill } = open();
  calls.of(facts);

  fill(true);
  await vi.advanceTimersByTimeAsync(minutes(15));
  fill(false);
  await vi.advanceTimersByTimeAsync(minutes(15));

  expect(ends()).toHaveLength(1);
  expect(errors).toHaveBeenCalledOnce();
  errors.mockRestore();
});

test('a message that comes long after the end starts no new phone call', async () => {
  const { calls, ends } = open();
  await calls.of(facts).end('hung up');

  await vi.advanceTimersByTimeAsync(minutes(14));
  await calls.of(facts).end('hung up');
  await calls.endAll('the agent was stopped');

  expect(ends()).toHaveLength(1);
});

test('what is no number is left out', () => {
  const { calls } = open();

  expect(calls.of({ ...facts, phone: 'anonymous' }).phoneCall.caller).toMatchObject({
    phone: undefined,
    verified: 'no',
  });
});
