import { describe, expect, test } from 'vitest';
import { connectCustomer, connectZendesk, linesTo } from '../../support/connected-zendesk.ts';

describe('organizations are companies', () => {
  test('one is created, found by its external id, updated and read with its contacts', async () => {
    await using connected = await connectCustomer();
    const { messaging, contactId } = connected;

    const made = await messaging.companies.create({ company_id: 'crm-17', name: 'Northwind Bakery' });
    await messaging.companies.update(made.id, { name: 'Northwind' });
    await messaging.contacts.update(contactId, { organization_id: Number(made.id) });

    expect(await messaging.companies.get(made.id)).toMatchObject({ id: made.id, name: 'Northwind' });
    expect((await messaging.companies.listForContact(contactId)).data).toMatchObject([{ name: 'Northwind' }]);
  });

  test('the same external id twice is one organization', async () => {
    await using connected = await connectZendesk();
    const { companies } = connected.messaging;

    const first = await companies.create({ company_id: 'crm-17', name: 'Northwind' });
    const second = await companies.create({ company_id: 'crm-17', name: 'Northwind Bakery' });

    expect(second.id).toBe(first.id);
  });

  test('one is found by its name or its external id, and is in the list', async () => {
    await using connected = await connectZendesk();
    const { companies } = connected.messaging;
    const { id } = await companies.create({ company_id: 'crm-17', name: 'Northwind' });

    expect(await companies.find({ name: 'northwind' })).toMatchObject({ id });
    expect(await companies.find({ companyId: 'crm-17' })).toMatchObject({ id });
    expect(await companies.find({ name: 'Southwind' })).toBeUndefined();
    expect((await companies.list()).data).toMatchObject([{ id, name: 'Northwind' }]);
  });

  test('a lost answer makes no second one', async () => {
    await using connected = await connectZendesk();
    const { messaging, platform } = connected;
    platform.fault('messaging.companies.create', [{ executeThenDrop: true }]);

    await messaging.companies.create({ company_id: 'crm-17', name: 'Northwind' });

    expect((await messaging.companies.list()).data).toHaveLength(1);
  });

  test('a contact without one has none', async () => {
    await using connected = await connectCustomer();

    expect((await connected.messaging.companies.listForContact(connected.contactId)).data).toEqual([]);
  });
});

describe('agents are admins', () => {
  test('one is read by its id', async () => {
    await using connected = await connectZendesk();
    const { messaging, account } = connected;

    expect(await messaging.admins.get(String(account.ownAgentId))).toMatchObject({ name: 'Voice agent' });
  });

  test('a ticket is assigned to one, and to no one again', async () => {
    await using connected = await connectCustomer();
    const { messaging, account, ticketId } = connected;
    const ticketOf = () => account.tickets.find(({ id }) => String(id) === ticketId);

    await messaging.conversations.assignToAdmin(ticketId, { toAdminId: String(account.ownAgentId) });
    expect(ticketOf()).toMatchObject({ assignee_id: account.ownAgentId });

    await messaging.conversations.unassign(ticketId);
    expect(ticketOf()).toMatchObject({ assignee_id: null });
  });
});

test('the tickets of a contact are read, and only those', async () => {
  await using connected = await connectCustomer();
  const { messaging, account, contactId, ticketId } = connected;
  const other = account.addUser({ name: 'Bob' });
  account.addTicket({ requester_id: other.id, subject: 'Door' });

  const { data } = await messaging.tickets.listForContact(contactId);

  expect(data.map(({ id }) => id)).toEqual([ticketId]);
  expect(linesTo(connected)).toHaveLength(1);
});
