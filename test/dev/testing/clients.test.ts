import { describe, expect, it } from 'vitest';
import { apiKey, bearer } from '../../../src/auth/index.ts';
import { createBillingClient } from '../../../src/billing/index.ts';
import { createCrmClient } from '../../../src/crm/index.ts';
import { createMessagingClient } from '../../../src/messaging/index.ts';
import { type FakePlatform, testCredentials } from '../../../src/dev/testing/index.ts';
import { makePlatform } from './contract-suite.ts';

const connect = async (platform: FakePlatform) => {
  const baseUrls = await platform.listen();
  return {
    messaging: createMessagingClient({
      baseUrl: baseUrls.messaging,
      authenticate: bearer(() => testCredentials.messaging),
      platform: 'Acme',
      version: '2.11',
      adminId: 'admin_1',
    }),
    crm: createCrmClient({ baseUrl: baseUrls.crm, authenticate: bearer(() => testCredentials.crm), version: '60.0' }),
    billing: createBillingClient({
      baseUrl: baseUrls.billing,
      authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
      version: { path: 'v1' },
      payments: { below: 5000 },
      backoff: { minimumMs: 0, maximumMs: 0 },
    }),
  };
};

describe('the clients of this package', () => {
  it('are understood by the fake platform in everything they say', async () => {
    await using platform = makePlatform();
    platform.crm.addAccount({ Id: 'acc_1', Name: 'Acme' });
    const { messaging, crm, billing } = await connect(platform);

    const { id } = await messaging.contacts.create({ phone: '+14155550122', custom_attributes: { tier: 1 } });
    await messaging.contacts.get(id);
    await messaging.contacts.update(id, { name: 'Bo' });
    await messaging.contacts.search({ field: 'name', operator: '~', value: 'b' });
    await messaging.contacts.tags.attach(id, { tagId: 'vip' });
    await messaging.contacts.tags.list(id);
    await messaging.contacts.tags.detach(id, { tagId: 'vip' });
    const talk = await messaging.conversations.create({ contactId: id, body: 'Hello' });
    await messaging.conversations.get(talk.id);
    await messaging.conversations.reply(talk.id, { body: 'Hi' });
    await messaging.conversations.assignToTeam(talk.id, { teamId: 'support' });
    await messaging.conversations.tags.attach(talk.id, { tagId: 'vip' });
    await messaging.conversations.tags.detach(talk.id, { tagId: 'vip' });
    const noted = await messaging.conversations.addNote(talk.id, { body: 'Angry' });
    const closed = await messaging.conversations.close(talk.id);
    await messaging.companies.get('acme');
    await messaging.companies.update('acme', { plan: 'Platinum', custom_attributes: { health: 'good' } });
    const companies = await messaging.companies.listForContact('ann');
    await messaging.admins.list();
    await messaging.admins.me();
    await messaging.teams.list();
    const lead = await crm.leads.create({ LastName: 'Lee', Company: 'Lee Ltd', Phone: '+14155550122' });
    await crm.leads.update(lead.id, { Status: 'Qualified' });
    const leads = await crm.leads.search({ email: 'ann@example.com', phone: '+14155550100' });
    const task = await crm.tasks.create({ Subject: 'Call', WhoId: lead.id });
    await crm.tasks.update(task.id, { Status: 'Completed' });
    const person = await crm.contacts.create({ LastName: 'Lee', AccountId: 'acc_1' });
    await crm.contacts.search({ phone: '+14155550111' });
    await crm.accounts.create({ Name: 'Lee Ltd' });
    const accounts = await crm.accounts.search({ name: 'ACME' });
    await crm.opportunities.create({ Name: 'Deal', StageName: 'New', CloseDate: '2026-03-01', AccountId: 'acc_1' });
    await crm.opportunities.search({ accountId: 'acc_1', isClosed: false });
    await crm.cases.create({ Subject: 'Broken', ContactId: person.id });
    await crm.cases.search({ contactId: person.id, isClosed: false });
    await billing.customers.get('cus_1');
    const customer = await billing.customers.find({ phone: '+14155550100' });
    const missing = await billing.customers.find({ email: 'unknown@example.com' });
    const invoices = await billing.invoices.listOpen('cus_1');
    const payment = await billing.payments.create({
      customer_id: 'cus_1',
      invoice_id: 'inv_1',
      amount: 120.5,
      payment_method_id: 'pm_1',
    });

    expect(platform.requests.filter(({ status = 500 }) => status >= 400).map(({ operation }) => operation)).toEqual([
      'billing.customers.find',
    ]);
    expect(noted.notes?.map(({ body }) => body)).toEqual(['Angry']);
    expect(closed.state).toBe('closed');
    expect(companies.data.map(({ plan }) => plan?.name)).toEqual(['Platinum']);
    expect(leads.data.map(({ Id }) => Id)).toEqual(['lead_1']);
    expect(accounts.data.map(({ Id }) => Id)).toEqual(['acc_1']);
    expect([customer?.id, missing]).toEqual(['cus_1', undefined]);
    expect(invoices.data.map(({ id: invoiceId, amount }) => [invoiceId, amount])).toEqual([['inv_1', 120.5]]);
    expect(payment).toMatchObject({ status: 'completed', confirmation_number: 'CONF-1' });
  });

  it('pay once when a payment is refused, then executed and dropped', async () => {
    await using platform = makePlatform();
    const { billing } = await connect(platform);
    platform.fault('billing.payments.create', [{ status: 503 }, { executeThenDrop: true }]);

    const payment = await billing.payments.create(
      { customer_id: 'cus_1', invoice_id: 'inv_1', amount: 120.5, payment_method_id: 'pm_1' },
      { idempotencyKey: 'call_1:payment' },
    );

    expect(payment.status).toBe('completed');
    expect(platform.effects('billing.payments.create', { idempotencyKey: 'call_1:payment' })).toBe(1);
    expect(platform.requests.map(({ status, executed, replayed }) => [status, executed, replayed])).toEqual([
      [503, false, false],
      [undefined, true, false],
      [201, false, true],
    ]);
  });
});
