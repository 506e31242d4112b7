import { expect, test } from 'vitest';
import { createIntegration } from '../../src/integration.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { connectPlatform } from '../support/connected-platform.ts';

const phone = '+14155550100';
const text = 'We are on it.';

/** Processes that answer one phone call, at a messaging platform that keeps no idempotency keys. */
const start = async () => {
  const connected = await connectPlatform({ messaging: { idempotency: 'none' } });
  const { platform, clientOptions } = connected;
  platform.messaging.addContact({ phone, name: 'Jane' });
  const phoneCallStore = createMemoryIdempotencyStore();
  const process = async (conversationId?: string) => {
    const { startPhoneCall } = createIntegration({
      ...clientOptions,
      messaging: { ...clientOptions.messaging, idempotency: 'none' },
      store: phoneCallStore,
    });
    const { tools, ensureConversation } = startPhoneCall({
      callId: 'CA1',
      direction: 'Inbound',
      phone,
      conversationId,
    });
    await tools.run('identify_caller', {}, { toolCallId: crypto.randomUUID() });
    return { tools, ensureConversation };
  };
  return { platform, process, [Symbol.asyncDispose]: connected[Symbol.asyncDispose] };
};

test('a reply whose end is unknown reaches the customer once, however often the model repeats it', async () => {
  await using started = await start();
  started.platform.fault('messaging.conversations.reply', [{ executeThenDrop: true }]);
  const { tools } = await started.process();

  const first = await tools.run('reply_to_customer', { text }, { toolCallId: 'a' });
  const second = await tools.run('reply_to_customer', { text }, { toolCallId: 'b' });

  expect([first.status, second.status]).toEqual(['unknown', 'unknown']);
  expect(started.platform.effects('messaging.conversations.reply')).toBe(1);
});

test.each([
  ['that was sent', 'done', []],
  ['whose end is unknown', 'unknown', [{ executeThenDrop: true }]],
] as const)('a reply %s isn’t sent again by another process that shares the store', async (_what, status, faults) => {
  await using started = await start();
  started.platform.fault('messaging.conversations.reply', [...faults]);
  const one = await started.process();
  const { conversationId } = await one.ensureConversation();
  const other = await started.process(conversationId);

  const first = await one.tools.run('reply_to_customer', { text }, { toolCallId: 'a' });
  const second = await other.tools.run('reply_to_customer', { text }, { toolCallId: 'a' });

  expect([first, second]).toMatchObject([
    { status, replayed: false },
    { status, replayed: true },
  ]);
  expect(started.platform.effects('messaging.conversations.reply')).toBe(1);
});
