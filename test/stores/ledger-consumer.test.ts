import { expect, test, vi } from 'vitest';
import { startLedgerConsumer } from '../../src/stores/ledger-consumer.ts';
import type { MessageLedger, Remote } from '../../src/stores/message-ledger.ts';

test('what this process stored while the ledger was asked is still begun when the consumer closes', async () => {
  const first = Promise.withResolvers<void>();
  const message = { id: 'a', group: 'g', payload: null, attempt: 1, enqueuedAt: 0 };
  const lease = vi
    .fn<Remote<MessageLedger>['lease']>()
    .mockImplementationOnce(async () => {
      await first.promise;
      return { messages: [], nextInMs: undefined };
    })
    .mockResolvedValueOnce({ messages: [message], nextInMs: undefined });
  const settle = vi.fn(async () => true);
  const ledger = { lease, settle } as Partial<Remote<MessageLedger>> as Remote<MessageLedger>;
  const handle = vi.fn(async () => ({ type: 'done' as const }));
  const options = { groups: { g: 1 }, leaseMs: 1_000, maximumAttempts: 1 };
  const consumer = startLedgerConsumer({ ledger, keepDoneMs: 1, pollMs: 60_000 }, options, handle);
  await vi.waitUntil(() => lease.mock.calls.length === 1);

  consumer.wake(); // as `enqueue` does
  const closed = consumer.close(1_000);
  first.resolve();
  await closed;

  expect(handle).toHaveBeenCalledTimes(1);
  expect(settle).toHaveBeenCalledWith(expect.objectContaining({ id: 'a', to: 'done' }));
  expect(lease).toHaveBeenCalledTimes(2);
});
