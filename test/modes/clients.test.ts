import { describe, expect, it } from 'vitest';
import { documentedOperations } from '../../src/dev/testing/operations.ts';
import { operationsOf } from '../support/connected-platform.ts';
import { type InMode, modes, startInMode } from './modes.ts';

const phone = '+442071838750';

const fill = ({ messaging, crm, billing }: InMode['platform']) => {
  messaging.addContact({ id: 'ann', name: 'Zoë Müller 🎂', phone, email: 'ann@example.com' });
  messaging.addConversation({ id: 'talk', contact_id: 'ann', body: 'Hello' });
  messaging.addTag({ id: 'vip', name: 'VIP' });
  crm.addLead({ Id: 'lead_1', LastName: 'Lee', Company: 'Lee Ltd', Email: 'ann@example.com', Phone: phone });
  billing.addCustomer({ id: 'cus_1', name: 'Ann', phone, email: 'ann@example.com' });
  billing.addInvoice({ id: 'inv_1', customer_id: 'cus_1', amount: 120.5 });
};

/** Everything that the interface document lists, through the clients, and what each call gives. */
const callEverything = async ({ integration, carryOut }: InMode) => {
  const { messaging, crm, billing } = integration;
  return [
    await carryOut(messaging.contacts.get('ann')),
    await carryOut(messaging.contacts.create({ phone: '+14155550122', email: 'bo@example.com' })),
    await carryOut(messaging.contacts.update('ann', { name: 'Ann' })),
    await carryOut(messaging.contacts.findByPhone(phone)),
    await carryOut(messaging.contacts.findByEmail('ann@example.com')),
    await carryOut(messaging.contacts.findByPhone('+14155550199')),
    await carryOut(messaging.conversations.get('talk')),
    await carryOut(messaging.conversations.create({ contactId: 'ann', body: 'Summary' })),
    await carryOut(messaging.conversations.reply('talk', { body: 'Thank you — gern!' })),
    await carryOut(messaging.conversations.addNote('talk', { body: 'Angry' })),
    await carryOut(messaging.conversations.tags.attach('talk', { tagId: 'vip' })),
    await carryOut(crm.leads.create({ LastName: 'Bo', Company: 'Bo Ltd', NumberOfEmployees: 7, Lead_Score__c: 80 })),
    await carryOut(crm.leads.search({ email: 'ann@example.com', phone })),
    await carryOut(crm.tasks.create({ Subject: 'Call', WhoId: 'lead_1', ActivityDate: '2026-01-31' })),
    await carryOut(billing.customers.get('cus_1')),
    await carryOut(billing.customers.find({ phone })),
    await carryOut(billing.customers.find({ email: 'unknown@example.com' })),
    await carryOut(billing.invoices.listOpen('cus_1')),
    await carryOut(
      billing.payments.create({ customer_id: 'cus_1', invoice_id: 'inv_1', amount: 120.5, payment_method_id: 'pm_1' }),
    ),
  ];
};

/** Times pass and phone numbers are formatted in some modes; everything else is the same. */
const comparable = (results: readonly unknown[]): unknown =>
  JSON.parse(
    JSON.stringify(results, (name, value: unknown) =>
      ['created_at', 'updated_at', 'CreatedDate', 'LastModifiedDate', 'phone', 'Phone'].includes(name) ? '…' : value,
    ),
  );

const usual = async () => {
  await using started = await startInMode({ name: 'usual' });
  fill(started.platform);
  return await callEverything(started);
};

describe.each(modes)('the clients with $name', (mode) => {
  it('give what they usually give, with one request per call', async () => {
    const expected = await usual();
    await using started = await startInMode(mode);
    fill(started.platform);

    const results = await callEverything(started);

    expect(comparable(results)).toEqual(comparable(expected));
    expect(started.platform.requests).toHaveLength(results.length);
    expect(new Set(operationsOf(started.platform))).toEqual(documentedOperations);
  });
});
