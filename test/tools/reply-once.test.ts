import { expect, test } from 'vitest';
import { connectPlatform } from '../support/connected-platform.ts';
import { createIntegration } from '../../src/integration.ts';

test('a reply whose end is unknown reaches the customer once, however often the model repeats it', async () => {
  await using connected = await connectPlatform({ messaging: { idempotency: 'none' } });
  const { platform, clientOptions } = connected;
  platform.messaging.addContact({ phone: '+14155550100', name: 'Jane' });
  platform.fault('messaging.conversations.reply', [{ executeThenDrop: true }]);
  const { startPhoneCall } = createIntegration({
    ...clientOptions,
    messaging: { ...clientOptions.messaging, idempotency: 'none' },
  });
  const { tools } = startPhoneCall({ callId: 'CA1', direction: 'Inbound', phone: '+14155550100' });
  await tools.run('identify_caller', {});

  const first = await tools.run('reply_to_customer', { text: 'We are on it.' }, { toolCallId: 'a' });
  const second = await tools.run('reply_to_customer', { text: 'We are on it.' }, { toolCallId: 'b' });

  expect([first.status, second.status]).toEqual(['unknown', 'unknown']);
  expect(platform.effects('messaging.conversations.reply')).toBe(1);
});
