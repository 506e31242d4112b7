import { AssertionError } from 'node:assert';
import { describe, expect, it } from 'vitest';
import {
  assertOn,
  createFakePlatform,
  type FakePlatform,
  type FakePlatformOptions,
  testCredentials,
} from '../../../src/dev/testing/index.ts';
import { hubspot } from '../../../src/crm/hubspot/index.ts';
import { createCrmClient } from '../../../src/crm/index.ts';
import { connectPlatform } from '../../support/connected-platform.ts';
import { connectSalesforce } from '../../support/connected-salesforce.ts';
import { connectCustomer } from '../../support/connected-zendesk.ts';

const customer = { id: 'cus_1', phone: '+14155550100' };
const payment = { customer_id: 'cus_1', invoice_id: 'inv_1', amount: 20, payment_method_id: 'pm_1' };

const open = async (options?: FakePlatformOptions) => {
  const connected = await connectPlatform(options);
  const { platform } = connected;
  platform.billing.addCustomer(customer);
  platform.billing.addInvoice({ id: 'inv_1', customer_id: 'cus_1', amount: 100 });
  platform.messaging.addContact({ id: 'ann' });
  platform.messaging.addConversation({ id: 'talk', contact_id: 'ann', body: 'Hello' });
  return { ...connected, ...assertOn(platform) };
};

const thrownBy = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof AssertionError)
      return { message: error.message, actual: error.actual, expected: error.expected };
    throw error;
  }
  return 'nothing';
};

describe('paidOnce', () => {
  it('gives the payment that moved money, however often it was asked for', async () => {
    await using scene = await open();
    const { platform, clients, paidOnce } = scene;
    platform.fault('billing.payments.create', [{ status: 503 }, { executeThenDrop: true }]);
    await clients.billing.payments.create(payment, { idempotencyKey: 'call_1' });

    expect(paidOnce('call_1')).toEqual(platform.billing.payments[0]);
    expect(paidOnce({ invoiceId: 'inv_1' })).toEqual(platform.billing.payments[0]);
  });

  it('fails for a key under which nothing was paid', async () => {
    await using scene = await open();

    expect(thrownBy(() => scene.paidOnce('call_1'))).toEqual({
      message: 'One completed payment under the key call_1 was expected, nothing was found.',
      actual: [],
      expected: ['one completed'],
    });
  });

  it('fails for an invoice that was paid again under a new key, which each key alone does not show', async () => {
    await using scene = await open();
    const { clients, paidOnce } = scene;
    await clients.billing.payments.create(payment, { idempotencyKey: 'first' });
    await clients.billing.payments.create(payment, { idempotencyKey: 'second' });

    expect(paidOnce('first').idempotency_key).toBe('first');
    expect(thrownBy(() => paidOnce({ invoiceId: 'inv_1' }))).toEqual({
      message:
        'One completed payment of inv_1 was expected, found: payment_1: 20 for inv_1, completed, under first; payment_2: 20 for inv_1, completed, under second.',
      actual: ['payment_1: 20 for inv_1, completed, under first', 'payment_2: 20 for inv_1, completed, under second'],
      expected: ['one completed'],
    });
  });

  it('fails when an API that knows no keys did it twice under one key', async () => {
    await using scene = await open({ billing: { idempotency: 'none' } });
    const { clients, paidOnce } = scene;
    await clients.billing.payments.create(payment, { idempotencyKey: 'one' });
    await clients.billing.payments.create(payment, { idempotencyKey: 'one' });

    expect(thrownBy(() => paidOnce('one'))).toMatchObject({ actual: [expect.any(String), expect.any(String)] });
  });

  it.each(['declined', 'pending'] as const)('fails for one that is %s', async (result) => {
    await using scene = await open();
    const { platform, clients, paidOnce } = scene;
    platform.billing.nextPayment(result);
    await clients.billing.payments.create(payment, { idempotencyKey: 'call_1' });

    expect(thrownBy(() => paidOnce('call_1'))).toMatchObject({
      actual: [`payment_1: 20 for inv_1, ${result === 'declined' ? 'failed' : result}, under call_1`],
    });
  });

  it('passes for one that was declined first and then completed', async () => {
    await using scene = await open();
    const { platform, clients, paidOnce } = scene;
    platform.billing.nextPayment('declined');
    await clients.billing.payments.create(payment, { idempotencyKey: 'first card' });
    await clients.billing.payments.create(payment, { idempotencyKey: 'second card' });

    expect(paidOnce({ invoiceId: 'inv_1' }).idempotency_key).toBe('second card');
  });
});

describe('paidNothing', () => {
  it('passes for a declined payment', async () => {
    await using scene = await open();
    const { platform, clients, paidNothing } = scene;
    expect(thrownBy(paidNothing)).toBe('nothing');
    platform.billing.nextPayment('declined');
    await clients.billing.payments.create(payment, { idempotencyKey: 'call_1' });

    expect(thrownBy(paidNothing)).toBe('nothing');
  });

  it.each(['pending', 'completed'] as const)('fails for one that is %s', async (result) => {
    await using scene = await open();
    const { platform, clients, paidNothing } = scene;
    platform.billing.nextPayment(result);
    await clients.billing.payments.create(payment, { idempotencyKey: 'call_1' });

    expect(thrownBy(paidNothing)).toEqual({
      message: `No payment was expected, found: payment_1: 20 for inv_1, ${result}, under call_1.`,
      actual: [`payment_1: 20 for inv_1, ${result}, under call_1`],
      expected: [],
    });
  });
});

describe('what was done', () => {
  it.each(['billing.payment.create', 'billing'])(
    'an operation that does not exist, such as %s, is none that was not done',
    async (name) => {
      await using scene = await open();
      const { didOnce, neverDid } = scene;

      // What plain JavaScript may name.
      const operation = name as 'billing.payments.create';
      expect(() => neverDid(operation)).toThrow(`There is no operation ${name}`);
      expect(() => didOnce(operation)).toThrow(`There is no operation ${name}`);
    },
  );

  it('counts effects, not requests', async () => {
    await using scene = await open();
    const { platform, clients, didOnce, neverDid } = scene;
    neverDid('messaging.contacts.create');
    platform.fault('messaging.contacts.create', [{ executeThenDrop: true }]);
    await clients.messaging.contacts.create({ email: 'ada@example.com' }, { idempotencyKey: 'one' });

    didOnce('messaging.contacts.create');
    didOnce('messaging.contacts.create', { idempotencyKey: 'one' });
    expect(thrownBy(() => neverDid('messaging.contacts.create'))).toMatchObject({
      message: 'messaging.contacts.create was expected never to be done, found: 1 times.',
    });
    await clients.messaging.contacts.create({ email: 'bob@example.com' }, { idempotencyKey: 'two' });
    expect(thrownBy(() => didOnce('messaging.contacts.create'))).toMatchObject({ actual: ['2 times'] });
    expect(thrownBy(() => didOnce('messaging.contacts.create', { idempotencyKey: 'three' }))).toMatchObject({
      message: 'messaging.contacts.create under the key three was expected to be done once, found: 0 times.',
    });
  });

  it('says which faults were not met', async () => {
    await using scene = await open();
    const { platform, clients, metEveryFault } = scene;
    platform.fault('messaging.contacts.get', [{ status: 503 }]);

    expect(thrownBy(metEveryFault)).toMatchObject({ actual: ['{"status":503}'] });
    await clients.messaging.contacts.get('ann');
    metEveryFault();
  });
});

describe('what was written down', () => {
  it('distinguishes internal notes from messages to the customer', async () => {
    await using scene = await open();
    const { clients, notedOnce, neverToldCustomer } = scene;
    await clients.messaging.conversations.addNote('talk', { body: 'Suspected fraud' });
    neverToldCustomer();
    await clients.messaging.conversations.reply('talk', { body: 'Thank you for calling' });

    expect(notedOnce('fraud')).toMatchObject({ type: 'note', body: 'Suspected fraud' });
    expect(notedOnce(/^Suspected/).type).toBe('note');
    neverToldCustomer(/fraud/i);
    expect(thrownBy(() => neverToldCustomer('Thank'))).toEqual({
      message: 'No message that holds Thank to the customer was expected, found: Thank you for calling.',
      actual: ['Thank you for calling'],
      expected: [],
    });
    expect(thrownBy(() => notedOnce('Thank'))).toMatchObject({ actual: ['Suspected fraud'] });
  });

  it('fails for a note that was written twice, and takes what the customer writes as theirs', async () => {
    await using scene = await open();
    const { platform, clients, notedOnce, neverToldCustomer } = scene;
    await clients.messaging.conversations.addNote('talk', { body: 'Called' });
    await clients.messaging.conversations.addNote('talk', { body: 'Called' });
    platform.messaging.replyAsContact('talk', 'Is this fraud?');

    expect(thrownBy(() => notedOnce('Called'))).toMatchObject({ actual: ['Called', 'Called'] });
    neverToldCustomer('fraud');
  });

  it('finds whatever was written', async () => {
    await using scene = await open();
    const { clients, wroteNothing } = scene;
    await clients.messaging.contacts.findByPhone('+14155550100');
    expect(thrownBy(wroteNothing)).toBe('nothing');
    await clients.crm.tasks.create({ Subject: 'Call' });

    expect(thrownBy(wroteNothing)).toEqual({
      message: 'Nothing was expected to be written, found: crm.tasks.create.',
      actual: ['crm.tasks.create'],
      expected: [],
    });
  });

  it('finds the one message that reached the customer', async () => {
    await using scene = await open();
    const { clients, toldCustomerOnce } = scene;
    await clients.messaging.conversations.addNote('talk', { body: 'Paid by card' });
    await clients.messaging.conversations.reply('talk', { body: 'Your invoice is paid' });

    expect(toldCustomerOnce(/paid/i)).toMatchObject({ type: 'comment', body: 'Your invoice is paid' });
    expect(thrownBy(() => toldCustomerOnce('by card'))).toEqual({
      message: 'One message to the customer that holds by card was expected, found: Your invoice is paid.',
      actual: ['Your invoice is paid'],
      expected: ['by card'],
    });
    await clients.messaging.conversations.reply('talk', { body: 'Your invoice is paid' });
    expect(thrownBy(() => toldCustomerOnce('paid'))).toMatchObject({ actual: { length: 2 } });
  });

  it('finds the one task of a phone call', async () => {
    await using scene = await open();
    const { clients, loggedOnce } = scene;
    await clients.crm.tasks.create({ Subject: 'Call CA123' });
    await clients.crm.tasks.create({ Subject: 'Call', Description: 'CA456: paid' });

    expect(loggedOnce('CA123')).toMatchObject({ Subject: 'Call CA123' });
    expect(loggedOnce(/CA456/)).toMatchObject({ Description: 'CA456: paid' });
    expect(thrownBy(() => loggedOnce('Call'))).toMatchObject({
      message: expect.stringMatching(/^One task that holds Call was expected, found: .* Call CA123; .* Call\.$/),
    });
  });
});

it('asserts on the platform that it was given and no other', () => {
  const platforms: readonly FakePlatform[] = [createFakePlatform(), createFakePlatform()];
  for (const platform of platforms) platform.messaging.addContact({ id: 'ann' });
  platforms[0]?.messaging.addConversation({ id: 'talk', contact_id: 'ann', body: 'Hello' });

  for (const platform of platforms) assertOn(platform).neverToldCustomer();
});

describe('refundedOnce', () => {
  it('counts what was given back now, and not what a test or a bank did before', async () => {
    await using scene = await open();
    const { platform, refundedOnce, refundedNothing, paidNothing } = scene;
    const { id: paymentId } = platform.billing.addPayment({ invoice_id: 'inv_1', amount: 50 });
    platform.billing.addRefund({ payment_id: paymentId, amount: 10 });
    paidNothing();
    refundedNothing();

    const refund = async (amount: number) => {
      const { billing: url } = await platform.listen();
      const body = {
        customer_id: 'cus_1',
        invoice_id: 'inv_1',
        payment_id: paymentId,
        amount,
        idempotency_key: `k${amount}`,
      };
      const headers = { 'content-type': 'application/json', 'x-api-key': testCredentials.billing };
      await fetch(`${url}/v1/refunds`, { method: 'POST', headers, body: JSON.stringify(body) });
    };
    platform.billing.nextRefund('failed');
    await refund(5);
    refundedNothing();
    await refund(6);
    expect(refundedOnce({ paymentId })).toMatchObject({ amount: 6, idempotency_key: 'k6' });
    expect(refundedOnce({ invoiceId: 'inv_1' })).toMatchObject({ amount: 6 });
    expect(thrownBy(() => refundedOnce({ invoiceId: 'inv_2' }))).toMatchObject({ actual: [] });
    await refund(7);
    expect(thrownBy(() => refundedOnce({ paymentId }))).toMatchObject({
      actual: expect.arrayContaining([expect.stringContaining('7 of')]),
    });
    expect(thrownBy(refundedNothing)).toMatchObject({ expected: [] });
  });
});

describe('in the records of a platform', () => {
  it('a Task of HubSpot is logged once', async () => {
    await using platform = createFakePlatform({ crm: 'hubspot' });
    const { crm: baseUrl } = await platform.listen();
    const crm = createCrmClient(hubspot({ key: () => testCredentials.crm, baseUrl }));
    await crm.tasks.create({ Subject: 'Inbound call', Description: 'Call CA123: "paid" & done' });

    const { loggedOnce } = assertOn(platform);

    expect(loggedOnce('CA123: "paid" & done')).toMatchObject({ Subject: 'Inbound call' });
    expect(() => loggedOnce('CA124')).toThrow('Inbound call');
  });

  it('a call of HubSpot is logged once', async () => {
    await using platform = createFakePlatform({ crm: 'hubspot' });
    const { crm: baseUrl } = await platform.listen();
    const crm = createCrmClient(hubspot({ key: () => testCredentials.crm, baseUrl, tasksAs: 'calls' }));
    await crm.tasks.create({ Subject: 'Inbound call', Description: 'Call CA123' });

    expect(assertOn(platform).loggedOnce('CA123')).toMatchObject({ Subject: 'Inbound call' });
  });

  it('a Task of Salesforce is logged once', async () => {
    await using connected = await connectSalesforce();
    await connected.crm.tasks.create({ Subject: 'Inbound call CA123' });

    expect(assertOn(connected.platform).loggedOnce('CA123')).toMatchObject({ Subject: 'Inbound call CA123' });
  });

  it('a public comment of Zendesk reaches the customer, and an internal one is a note', async () => {
    await using zendesk = await connectCustomer();
    const { messaging, platform, ticketId } = zendesk;
    await messaging.conversations.addNote(ticketId, { body: 'Looks like fraud' });
    await messaging.conversations.reply(ticketId, { body: 'We call you back' });

    const { notedOnce, toldCustomerOnce, neverToldCustomer } = assertOn(platform);

    expect(notedOnce('fraud')).toMatchObject({ type: 'note', author: { type: 'admin' } });
    expect(toldCustomerOnce('call you back')).toMatchObject({ type: 'comment' });
    neverToldCustomer('fraud');
    expect(() => neverToldCustomer('call you back')).toThrow('We call you back');
    // Their own words.
    neverToldCustomer('It is cold.');
  });
});
