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
    ['sum, a higher one', { payments: { below: 50 } }, { payments: { below: 90 } }, '(90 is above 50)'],
    [
      'agreement, a looser one',
      { payments: { confirm: 'two-step' } },
      { payments: { confirm: false } },
      'false is looser',
    ],
    ['rule where no model pays', { payments: false }, { payments: { below: 9 } }, 'payments of call CA1 are false'],
    ['sum, above the integration’s', {}, { payments: { below: 900 } }, 'at most that of call CA1'],
    ['card', {}, { payments: { card: 'pm_1' as never } }, 'payments.card must be a function'],
    ['word', {}, { payments: { confirm: 'two_step' as never } }, "did you mean 'two-step'?"],
    ['agreement that no one can give', {}, { payments: { confirm: 'both' } }, 'approve must be given'],
    ['spelling', {}, { payments: { bellow: 9 } as object }, 'did you mean below?'],
    ['spelling of an option', {}, { paymnts: false } as object, 'did you mean payments?'],
    ['kind of customer', {}, { customerId: ' ' }, 'customerId must be the id of the customer'],
  ])('refuses another %s', async (_what, first, then, message) => {
    await using live = await start();
    const call = live.calls.of({ ...ringing, ...first });

    expect(() => live.calls.of({ ...ringing, ...then })).toThrow(message);
    expect(live.calls.of({ ...ringing, ...first })).toBe(call);
    expect(call.phoneCall.caller.customerId).toBe(first.customerId);
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

  test('takes stricter payments, also in the tools that were given to a model before', async () => {
    await using live = await start();
    const { id: customer_id } = live.platform.billing.addCustomer({ phone, name: 'Ada' });
    live.platform.billing.addInvoice({ id: 'inv_1', customer_id, amount: 99 });
    const call = live.calls.of(ringing);
    const held = call.phoneCall.turn().tools.only(['lookup_customer_invoices', 'create_payment']);
    const pay = async (amount: number) =>
      (await held.run('create_payment', { invoice_id: 'inv_1', amount })).value as Readonly<Record<string, unknown>>;
    await held.run('lookup_customer_invoices', {});
    expect(await pay(20)).toMatchObject({ success: true });

    live.calls.of({ ...ringing, payments: { below: 40 } });
    expect(await pay(40)).toMatchObject({ fields: [{ field: 'amount', problem: 'must be below 40' }] });
    await expect(
      call.phoneCall.takePayment({ customerId: customer_id, invoiceId: 'inv_1', amount: 40, paymentMethodId: 'pm_1' }),
    ).rejects.toThrow('amount must be below 40');
    // What was paid before counts in the sum of the phone call.
    expect(await pay(20.01)).toMatchObject({ reason: 'payment_limit_reached' });
    live.calls.of({ ...ringing, payments: { confirm: 'two-step' } });
    expect(await pay(5)).toMatchObject({ error: 'confirmation_required' });
    live.calls.of({ ...ringing, payments: { requires: 'strong' } });
    expect(await pay(5)).toMatchObject({ reason: 'verification_required' });
    expect(() => live.calls.of({ ...ringing, payments: { below: 100 } })).toThrow('(100 is above 40)');

    live.calls.of({ ...ringing, payments: false });
    expect(held.tools().map(({ name }) => name)).toEqual(['lookup_customer_invoices']);
    expect(await pay(5)).toMatchObject({ fields: [{ field: 'name' }] });
    expect(live.platform.billing.payments.map(({ amount }) => amount)).toEqual([20]);
  });

  test('charges the card that is named last', async () => {
    await using live = await start();
    const { id: customer_id } = live.platform.billing.addCustomer({ phone });
    live.platform.billing.addInvoice({ id: 'inv_1', customer_id, amount: 20 });
    const { tools } = live.calls.of({ ...ringing, payments: { below: 50 } });
    const known = tools.tools();

    for (const card of [() => 'pm_3', () => 'pm_2']) live.calls.of({ ...ringing, payments: { below: 50, card } });
    // An application that writes the same again with each request makes no new tools.
    expect(tools.tools()).toBe(known);
    await tools.run('lookup_customer_invoices', {});
    await tools.run('create_payment', { invoice_id: 'inv_1', amount: 20 });

    expect(live.platform.billing.payments).toMatchObject([{ payment_method_id: 'pm_2' }]);
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
