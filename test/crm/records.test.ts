import { describe, expect, test } from 'vitest';
import { refusedArgument } from '../support/refused-argument.ts';
import { failureOf } from '../support/connect.ts';
import { connectSalesforce, queriesOf, sentTo } from '../support/connected-salesforce.ts';

const event = {
  Subject: 'Visit',
  StartDateTime: '2026-11-24T14:00:00+01:00',
  EndDateTime: '2026-11-24T15:00:00+01:00',
  OwnerId: '005000000000007',
};

describe('the same operations work on every object', () => {
  test.each([
    ['leads', 'Lead', { LastName: 'Okafor', Company: 'Northwind' }, { Status: 'Working' }],
    ['tasks', 'Task', { Subject: 'Call' }, { CallDurationInSeconds: 60 }],
    ['events', 'Event', event, { Location: 'Room 2' }],
  ] as const)('%s are created, read, changed and deleted', async (resource, object, fields, change) => {
    await using org = await connectSalesforce({ org: { externalIdFields: [] } });
    const records = org.crm[resource];

    const { id } = await records.create(fields);
    expect(await records.update(id, change)).toEqual({ id });
    expect(await records.get(id)).toMatchObject({ Id: id, ...change });
    await records.delete(id);

    expect(await records.get(id)).toBeUndefined();
    expect(sentTo(org.platform)).toEqual([
      `POST sobjects/${object}/`,
      `PATCH sobjects/${object}/${id}`,
      `GET sobjects/${object}/${id}`,
      `DELETE sobjects/${object}/${id}`,
      `GET sobjects/${object}/${id}`,
    ]);
    expect(org.platform.requests.map(({ operation }) => operation)).toEqual(
      ['create', 'update', 'get', 'delete', 'get'].map((action) => `crm.${resource}.${action}`),
    );
  });
});

describe('a record is read', () => {
  test('with the fields that are asked for, and no others', async () => {
    await using org = await connectSalesforce();
    const { Id } = org.platform.crm.addContact({ FirstName: 'Ngozi', LastName: 'Okafor', Email: 'ngozi@example.com' });

    expect(await org.crm.contacts.get(Id, { fields: ['Name', 'Region__c'] })).toEqual({
      attributes: expect.anything(),
      Id,
      Name: 'Ngozi Okafor',
      Region__c: null,
    });
    expect(sentTo(org.platform)).toEqual([`GET sobjects/Contact/${Id}?fields=Id%2CName%2CRegion__c`]);
  });

  test('with fields of its parents, in one request', async () => {
    await using org = await connectSalesforce();
    const { platform, crm } = org;
    const owner = platform.crm.addRecord('User', { Name: 'Jo Lindt', Email: 'jo@example.com' });
    const account = platform.crm.addAccount({ Name: 'Northwind', OwnerId: owner.Id });
    const { Id } = platform.crm.addContact({ LastName: 'Okafor', AccountId: account.Id, OwnerId: owner.Id });

    const found = await crm.contacts.get(Id, { fields: ['Name', 'Owner.Name', 'Account.Name', 'Account.Owner.Email'] });

    expect(found).toMatchObject({
      Name: 'Okafor',
      Owner: { Name: 'Jo Lindt' },
      Account: { Name: 'Northwind', Owner: { Email: 'jo@example.com' } },
    });
    expect(queriesOf(platform)).toEqual([
      `SELECT Id, Name, Owner.Name, Account.Name, Account.Owner.Email FROM Contact WHERE Id = '${Id}' LIMIT 1`,
    ]);
    expect(await crm.contacts.get('003000000000099', { fields: ['Owner.Name'] })).toBeUndefined();
    await expect(crm.contacts.get('', { fields: ['Owner.Name'] })).rejects.toThrow('id must not be empty');
  });

  test('without a parent that it does not have', async () => {
    await using org = await connectSalesforce();
    const { Id } = org.platform.crm.addContact({ LastName: 'Okafor' });

    expect((await org.crm.contacts.get(Id, { fields: ['Account.Name'] }))?.Account).toBeNull();
  });

  test.each([['Name FROM User'], ['Owner.'], ["Name'"], ['Owner..Name'], ['']])(
    'never by the field %j',
    async (field) => {
      await using org = await connectSalesforce();

      await expect(org.crm.leads.get('00Q000000000001', { fields: [field] })).rejects.toMatchObject({
        code: 'invalid_argument',
      });
      await expect(org.crm.leads.get('00Q000000000001', { fields: [field, 'Owner.Name'] })).rejects.toMatchObject({
        code: 'invalid_argument',
      });
      expect(org.platform.requests).toEqual([]);
    },
  );
});

describe('a record is deleted', () => {
  test('once: after an end that is not known it is looked up by its id', async () => {
    await using org = await connectSalesforce();
    const { platform, crm } = org;
    const { Id } = platform.crm.addEvent(event);
    platform.fault('crm.events.delete', [{ executeThenDrop: true }]);

    await crm.events.delete(Id);

    expect(sentTo(platform)).toEqual([`DELETE sobjects/Event/${Id}`, `GET sobjects/Event/${Id}`]);
    expect(platform.crm.events).toEqual([]);
  });

  test('also when the first request was lost on its way', async () => {
    await using org = await connectSalesforce();
    const { platform, crm } = org;
    const { Id } = platform.crm.addCase({ Subject: 'x' });
    platform.fault('crm.cases.delete', [{ status: 503 }]);

    await crm.cases.delete(Id);

    expect(platform.crm.cases).toEqual([]);
    expect(sentTo(platform).map((line) => line.split(' ')[0])).toEqual(['DELETE', 'GET', 'DELETE']);
  });

  test('and one that is gone already is refused', async () => {
    await using org = await connectSalesforce();
    const { Id } = org.platform.crm.addLead({ LastName: 'Okafor', Company: 'Northwind' });
    await org.crm.leads.delete(Id);

    expect(await failureOf(org.crm.leads.delete(Id))).toMatchObject({ status: 404, codes: ['ENTITY_IS_DELETED'] });
  });
});

describe('appointments', () => {
  test('are those that take any of the time between two moments, the earliest first', async () => {
    await using org = await connectSalesforce();
    const { platform, crm } = org;
    const add = (Subject: string, StartDateTime: string, EndDateTime: string) =>
      platform.crm.addEvent({ Subject, StartDateTime, EndDateTime, OwnerId: event.OwnerId });
    add('ends as it begins', '2026-11-24T08:00:00Z', '2026-11-24T09:00:00Z');
    add('late', '2026-11-24T11:30:00Z', '2026-11-24T13:00:00Z');
    add('early, in another zone', '2026-11-24T09:30:00+01:00', '2026-11-24T10:30:00+01:00');
    add('begins as it ends', '2026-11-24T12:00:00Z', '2026-11-24T13:00:00Z');
    platform.crm.addEvent({ ...event, StartDateTime: '2026-11-24T10:00:00Z', OwnerId: '005000000000008' });

    const by = { ownerId: event.OwnerId, from: '2026-11-24T09:00:00Z', to: '2026-11-24T12:00:00Z' };
    const { data } = await crm.events.search(by);

    expect(data.map(({ Subject }) => Subject)).toEqual(['early, in another zone', 'late']);
    expect(data[0]).toMatchObject({ StartDateTime: '2026-11-24T08:30:00.000+0000', ShowAs: 'Busy' });
    expect(queriesOf(platform)[0]).toContain(
      "FROM Event WHERE OwnerId = '005000000000007' AND StartDateTime < 2026-11-24T12:00:00.000Z AND EndDateTime > 2026-11-24T09:00:00.000Z ORDER BY StartDateTime ASC LIMIT 200",
    );
  });

  test.each([
    ['StartDateTime', '2026-11-24T14:00:00'],
    ['StartDateTime', '2026-02-30T14:00:00Z'],
  ])('have moments with a zone: %s %s is refused', async (field, value) => {
    await using org = await connectSalesforce();

    expect(await refusedArgument(() => org.crm.events.create({ ...event, [field]: value }))).toEqual({
      field,
      problem: 'must be a date and time with its zone, such as 2026-01-31T14:00:00Z',
    });
    expect((await refusedArgument(() => org.crm.events.search({ from: value }))).field).toBe('from');
    expect(org.platform.requests).toEqual([]);
  });

  test('are made once under a key, however often they are sent', async () => {
    await using org = await connectSalesforce({ preset: { externalIdField: 'Call_Id__c' } });
    const { platform, crm } = org;
    platform.fault('crm.events.create', [{ executeThenDrop: true }]);

    const { id } = await crm.events.create(event, { idempotencyKey: 'CA1:appointment' });

    expect(platform.crm.events.map(({ Id }) => Id)).toEqual([id]);
  });

  test('are not sent again without a key', async () => {
    await using org = await connectSalesforce();
    org.platform.fault('crm.events.create', [{ executeThenDrop: true }]);

    expect(await failureOf(org.crm.events.create(event))).toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(org.platform.crm.events).toHaveLength(1);
  });
});

test('tasks are found by whom they are about', async () => {
  await using org = await connectSalesforce();
  const { platform, crm } = org;
  const { Id: WhoId } = platform.crm.addContact({ LastName: 'Okafor' });
  platform.crm.addTask({ Subject: 'Done', WhoId, Status: 'Completed' });
  const { Id } = platform.crm.addTask({ Subject: 'Call back', WhoId, Status: 'Open' });
  platform.crm.addTask({ Subject: 'Other' });

  expect((await crm.tasks.search({ whoId: WhoId })).total).toBe(2);
  expect((await crm.tasks.search({ whoId: WhoId, isClosed: false })).data.map((task) => task.Id)).toEqual([Id]);
  expect((await refusedArgument(() => crm.tasks.search({ isClosed: true }))).field).toBe('whoId');
});

test('a case is found by the number that people know, with its account', async () => {
  await using org = await connectSalesforce();
  const { platform, crm } = org;
  const account = platform.crm.addAccount({ Name: 'Northwind' });
  platform.crm.addCase({ Subject: 'Other' });
  const { Id } = platform.crm.addCase({ Subject: 'Broken oven', AccountId: account.Id, CaseNumber: '00001234' });

  const { data } = await crm.cases.search({ caseNumber: '00001234', fields: ['Account.Name', 'LastModifiedDate'] });

  expect(data).toMatchObject([{ Id, Subject: 'Broken oven', Account: { Name: 'Northwind' } }]);
});

test('one name in place of a list of fields is refused before it is sent', async () => {
  await using org = await connectSalesforce();

  expect(await failureOf(org.crm.leads.get('00Q000000000001', { fields: 'Name' as never }))).toMatchObject({
    code: 'invalid_argument',
    field: 'fields',
    operation: 'crm.leads.get',
  });
  expect(org.platform.requests).toEqual([]);
});
