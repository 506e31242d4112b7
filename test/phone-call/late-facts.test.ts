import { describe, expect, test } from 'vitest';
import { createIntegration } from '../../src/integration.ts';
import type { PhoneCallOptions } from '../../src/phone-call/start-phone-call.ts';
import { connectPlatform } from '../support/connected-platform.ts';

const phone = '+14155550100';
const ringing: PhoneCallOptions = { callId: 'CA1', phone };
const cards = [() => 'pm_1', () => 'pm_1'] as const;

const start = async () => {
  const { platform, clientOptions } = await connectPlatform();
  const integration = createIntegration({
    billing: clientOptions.billing,
    payments: { below: 100, card: cards[0], confirm: false },
    store: 'memory',
  });
  return {
    platform,
    calls: integration.liveCalls(),
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await platform.close();
    },
  };
};

describe('a live call that is asked for again', () => {
  test.each<[string, Partial<PhoneCallOptions>, Partial<PhoneCallOptions>, string]>([
    ['customer', { customerId: 'cus_1' }, { customerId: 'cus_2' }, 'customerId is cus_2, and call CA1 has cus_1'],
    ['contact', { contactId: 'ct_1' }, { contactId: 'ct_2' }, 'contactId is ct_2, and call CA1 has ct_1'],
    ['conversation', { conversationId: '1' }, { conversationId: '2' }, 'conversationId is 2, and call CA1 has 1'],
    ['address', { email: 'ada@example.com' }, { email: 'eve@example.com' }, "email isn't that of call CA1"],
    ['certainty', { verified: 'no' }, { verified: 'strong' }, 'verified is strong, and call CA1 has no'],
    ['lower sum', {}, { payments: { below: 50 } }, 'payments.below is 50, and call CA1 has 100'],
    [
      'higher sum',
      { payments: { below: 50 } },
      { payments: { below: 90 } },
      'payments.below is 90, and call CA1 has 50',
    ],
    ['agreement', {}, { payments: { confirm: 'both' } }, 'payments.confirm is both, and call CA1 has false'],
    ['right to pay', {}, { payments: false }, 'payments.below is undefined, and call CA1 has 100'],
    [
      'rules where there were none',
      { payments: false },
      { payments: { below: 9 } },
      'is 9, and call CA1 has undefined',
    ],
    ['looser rules', {}, { payments: { below: 900 } }, "must be at most the integration's"],
  ])('refuses another %s', async (_what, first, then, message) => {
    await using live = await start();
    const call = live.calls.of({ ...ringing, ...first });

    expect(() => live.calls.of({ ...ringing, ...then })).toThrow(message);
    expect(live.calls.of({ ...ringing, ...first })).toBe(call);
  });

  test('takes a customer who comes late, whose invoices the tools then read', async () => {
    await using live = await start();
    live.platform.billing.addCustomer({ id: 'cus_1', name: 'Ada', phone: '+14155550199' });
    live.platform.billing.addInvoice({ id: 'inv_7', customer_id: 'cus_1', amount: 20 });
    const call = live.calls.of(ringing);

    live.calls.of({ ...ringing, customerId: 'cus_1' });

    expect(call.phoneCall.caller.customerId).toBe('cus_1');
    expect((await call.tools.run('lookup_customer_invoices', {})).text).toContain('inv_7');
    expect(() => live.calls.of({ ...ringing, customerId: 'cus_2' })).toThrow('another customer has another call id');
  });

  test('takes the same again, the same rules in other words too', async () => {
    await using live = await start();
    const call = live.calls.of({ ...ringing, customerId: 'cus_1', payments: { perCall: 80 } });

    for (const more of [
      {},
      { customerId: 'cus_1' },
      { payments: { perCall: 80 } },
      { payments: { perCall: 80, below: 100, card: cards[1] } },
    ])
      expect(live.calls.of({ ...ringing, ...more })).toBe(call);
  });

  test('trusts the caller no more once the application says so, until they prove who they are', async () => {
    await using live = await start();
    const { phoneCall } = live.calls.of({ callId: 'CA1', phone: 'anonymous' });

    live.calls.of({ ...ringing, verified: 'no' });
    expect(phoneCall.caller).toMatchObject({ phone, verified: 'no' });
    phoneCall.verifyCaller('strong');
    live.calls.of({ ...ringing, verified: 'no' });
    expect(phoneCall.caller.verified).toBe('strong');
  });
});
