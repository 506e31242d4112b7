import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startPhoneCall } from 'voice-agent-integrations';
import type { QueuedMessage } from 'voice-agent-integrations/outbox';
import { createMemoryMessageQueue } from 'voice-agent-integrations/stores/memory';
import { createPhoneCalls } from '../phone-calls.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a line whose end was not noticed is finished after four hours, and only then', async () => {
  const stored: QueuedMessage[] = [];
  const queue = {
    ...createMemoryMessageQueue(),
    enqueue: async (messages: readonly QueuedMessage[]) => void stored.push(...messages),
  };
  const { start } = createPhoneCalls({
    startPhoneCall: (options) => startPhoneCall({}, { ...options, finishLater: { queue } }),
  });
  const dead = start({ callId: 'CA1', from: '+14155550100' });
  await start({ callId: 'CA2', from: '+14155550100' }).end('caller hung up');

  await vi.advanceTimersByTimeAsync(4 * 3_600_000 - 1);
  expect(stored).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);

  expect(stored).toHaveLength(2);
  expect(JSON.stringify(stored[1]?.payload)).toContain('its end was not noticed');
  expect(dead.hungUp.aborted).toBe(true);
});
