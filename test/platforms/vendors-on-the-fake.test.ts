import { IntercomClient } from 'intercom-client';
import { Connection } from 'jsforce';
import { describe, expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { createCrmClient } from '../../src/crm/index.ts';
import { salesforce } from '../../src/crm/salesforce/index.ts';
import {
  createFakePlatform,
  type FakePlatformOptions,
  testConnectedApp,
  testCredentials,
} from '../../src/testing/index.ts';

describe('jsforce works with the fake org', () => {
  const connect = async (crm: FakePlatformOptions['crm'] = 'salesforce') => {
    const platform = createFakePlatform({ crm });
    const { crm: instanceUrl } = await platform.listen();
    const open = (accessToken: string) =>
      new Connection({ instanceUrl, loginUrl: instanceUrl, accessToken, version: '60.0' });
    return { platform, open, jsforce: open(testCredentials.crm), [Symbol.asyncDispose]: () => platform.close() };
  };
  const ada = { LastName: 'Lovelace', Company: 'Analytical Engines', Email: 'ada@example.com' };

  test('records are made, changed, upserted and found', async () => {
    await using org = await connect();
    const { jsforce } = org;
    const [leads, tasks] = [jsforce.sobject('Lead'), jsforce.sobject('Task')];

    const { id = '', ...made } = await leads.create(ada);
    const changed = await leads.update({ Id: id, Title: 'Countess' });
    const task = { Subject: 'Call', WhoId: id, Call_Id__c: 'CA123:task' };
    const first = await tasks.upsert(task, 'Call_Id__c');
    const second = await tasks.upsert(task, 'Call_Id__c');
    const found = await jsforce.query<{ Id: string; Title: string }>(
      "SELECT Id, Title FROM Lead WHERE LastName = 'Lovelace'",
    );

    expect(made).toEqual({ success: true, errors: [] });
    expect(changed).toEqual({ id, success: true, errors: [] });
    expect(first).toEqual({ id: first.id, success: true, errors: [], created: true });
    expect(second).toEqual({ ...first, created: false });
    expect(found.records.map(({ Id, Title }) => ({ Id, Title }))).toEqual([{ Id: id, Title: 'Countess' }]);
  });

  test('a query is followed over its pages', async () => {
    await using org = await connect({ dialect: 'salesforce', pageSize: 2 });
    const names = ['Ada', 'Bob', 'Cy', 'Di', 'Eve'];
    for (const LastName of names) org.platform.crm.addLead({ LastName, Company: 'Lee Ltd' });

    const query = org.jsforce.query<{ LastName: string }>('SELECT LastName FROM Lead ORDER BY LastName');
    const { records } = await query.execute({ autoFetch: true, maxFetch: 100 });

    expect(records.map(({ LastName }) => LastName)).toEqual(names);
  });

  test('records of every kind are read, related and deleted', async () => {
    await using org = await connect();
    const { jsforce, platform } = org;
    const owner = platform.crm.addRecord('User', { Name: 'Jo Lindt' });
    const times = { StartDateTime: '2026-11-24T14:00:00Z', EndDateTime: '2026-11-24T15:00:00Z' };

    const { id: eventId = '' } = await jsforce
      .sobject('Event')
      .create({ Subject: 'Visit', OwnerId: owner.Id, ...times });
    const { id: assetId = '' } = await jsforce.sobject('Asset__c').create({ Name: 'Oven', Serial__c: 'A-1' });
    const event = await jsforce.sobject('Event').retrieve(eventId, { fields: ['Subject', 'StartDateTime'] } as object);
    const asset = await jsforce.sobject('Asset__c').retrieve(assetId);
    const { records } = await jsforce.query(
      "SELECT Id, Owner.Name FROM Event WHERE StartDateTime > 2026-11-24T13:00:00Z AND (NOT Subject = 'x')",
    );
    const deleted = await jsforce.sobject('Event').destroy(eventId);

    expect(event).toMatchObject({ Subject: 'Visit', StartDateTime: '2026-11-24T14:00:00.000+0000' });
    expect(asset).toMatchObject({ Id: assetId, Name: 'Oven', Serial__c: 'A-1' });
    expect(records).toMatchObject([{ Id: eventId, Owner: { Name: 'Jo Lindt' } }]);
    expect([deleted.success, platform.crm.events]).toEqual([true, []]);
  });

  test('several writes are one request, all of them or none', async () => {
    await using org = await connect();
    const { jsforce, platform } = org;
    const at = '/services/data/v60.0';
    const part = (referenceId: string, object: string, body: object) => ({
      method: 'POST',
      url: `${at}/sobjects/${object}/`,
      referenceId,
      body,
    });
    const account = part('account', 'Account', { Name: 'Northwind' });
    const send = (parts: readonly object[]) =>
      jsforce.requestPost(`${at}/composite`, { allOrNone: true, compositeRequest: parts });

    await send([account, part('contact', 'Contact', { LastName: 'Okafor', AccountId: '@{account.id}' })]);
    await send([account, part('contact', 'Contact', {})]);

    expect(platform.crm.accounts).toHaveLength(1);
    expect(platform.crm.contacts).toMatchObject([{ AccountId: platform.crm.accounts[0]?.Id }]);
  });

  test('and our client sends what it sends', async () => {
    await using theirs = await connect();
    await using ours = await connect();
    const { jsforce } = theirs;
    const { crm: baseUrl } = await ours.platform.listen();
    const crm = createCrmClient({ ...salesforce(), baseUrl, authenticate: bearer(() => testCredentials.crm) });
    const lead = { LastName: 'Lovelace', Company: 'Analytical Engines' };
    const by = { field: 'Call_Id__c', value: 'C 17' };

    const { id = '' } = await jsforce.sobject('Lead').create(lead);
    await jsforce.sobject('Lead').update({ Id: id, Title: 'Countess' });
    await jsforce.sobject('Lead').retrieve(id);
    await jsforce.sobject('Contact').upsert({ LastName: 'Okafor', [by.field]: by.value }, by.field);
    await jsforce.sobject('Asset__c').create({ Name: 'Oven' });
    await jsforce.sobject('Lead').destroy(id);

    const { id: own } = await crm.leads.create(lead);
    await crm.leads.update(own, { Title: 'Countess' });
    await crm.leads.get(own);
    await crm.contacts.upsert(by, { LastName: 'Okafor' });
    await crm.records('Asset__c').create({ Name: 'Oven' });
    await crm.leads.delete(own);

    const sent = (platform: typeof ours.platform) =>
      platform.requests.map(({ method, path, body, status }) => ({
        method,
        path: path.replace(/\/$/, ''),
        body,
        status,
      }));
    expect(sent(ours.platform)).toEqual(sent(theirs.platform));
  });

  test('a session is had with the credential of the application', async () => {
    await using org = await connect();
    const { clientId: client_id, clientSecret: client_secret = '' } = testConnectedApp;
    const jsforce = org.open('');

    await jsforce.authorize({ grant_type: 'client_credentials', client_id, client_secret });

    expect((await jsforce.query('SELECT Id FROM Lead')).totalSize).toBe(0);
  });

  test.each<[code: string, when: string, call: (jsforce: Connection) => Promise<unknown>]>([
    ['REQUIRED_FIELD_MISSING', 'a field is missing', (jsforce) => jsforce.sobject('Lead').create({ LastName: 'Lee' })],
    ['INVALID_FIELD', 'a field does not exist', async (jsforce) => jsforce.query('SELECT Nonsense FROM Lead')],
    ['MALFORMED_QUERY', 'a text has no end', async (jsforce) => jsforce.query("SELECT Id FROM Lead WHERE Name = 'x")],
    [
      'MALFORMED_QUERY',
      'a backslash is not escaped',
      async (jsforce) => jsforce.sobject('Account').find({ Name: 'AC\\DC' }, ['Id']),
    ],
    ['NOT_FOUND', 'there is no such record', (jsforce) => jsforce.sobject('Lead').update({ Id: '00Q000000000000AAA' })],
  ])('%s is read when %s', async (errorCode, _, call) => {
    await using org = await connect();

    await expect(call(org.jsforce)).rejects.toMatchObject({ errorCode });
  });

  test('a session that is not known is read as one that has expired', async () => {
    await using org = await connect();

    await expect(org.open('other').query('SELECT Id FROM Lead')).rejects.toMatchObject({
      errorCode: 'INVALID_SESSION_ID',
    });
  });
});

describe('intercom-client works with the fake workspace', () => {
  // The newest version that intercom-client 7.0.3 knows.
  const messaging = { dialect: 'intercom', version: '2.14', searchDelayMs: 0 } as const;
  const connect = async () => {
    const platform = createFakePlatform({ messaging });
    const { messaging: baseUrl } = await platform.listen();
    const open = (token: string) => new IntercomClient({ token, baseUrl, version: messaging.version });
    return { platform, open, client: open(testCredentials.messaging), [Symbol.asyncDispose]: () => platform.close() };
  };

  test('a contact is made, found and searched for', async () => {
    await using workspace = await connect();
    const { contacts } = workspace.client;

    const { id } = await contacts.create({ email: 'ada@example.com' });
    const found = await contacts.search({ query: { field: 'email', operator: '=', value: 'ada@example.com' } });

    expect(await contacts.find({ contact_id: id })).toMatchObject({ id, email: 'ada@example.com', role: 'user' });
    expect(found.data.map((contact) => contact.id)).toEqual([id]);
  });

  test('a conversation is begun, noted upon, replied to and closed', async () => {
    await using workspace = await connect();
    const { platform, client } = workspace;
    const contact = platform.messaging.addContact({ email: 'ada@example.com' });
    const by = { type: 'admin', admin_id: 'admin_1' } as const;

    const { conversation_id } = await client.conversations.create({
      from: { type: 'user', id: contact.id },
      body: 'Rang.',
    });
    await client.conversations.reply({ conversation_id, body: { ...by, message_type: 'note', body: 'Tired.' } });
    await client.conversations.reply({ conversation_id, body: { ...by, message_type: 'comment', body: 'Done.' } });
    const closed = await client.conversations.manage({ conversation_id, body: { ...by, message_type: 'close' } });

    expect(closed).toMatchObject({ id: conversation_id, state: 'closed' });
    expect(platform.messaging.conversations[0]?.parts.map(({ type, body }) => ({ type, body }))).toEqual([
      { type: 'note', body: 'Tired.' },
      { type: 'comment', body: 'Done.' },
      { type: 'close', body: null },
    ]);
  });

  test('refusals are of the class that intercom-client has for them', async () => {
    await using workspace = await connect();
    const nameOf = (call: Promise<unknown>) => call.then(String, (error: Error) => error.constructor.name);

    expect([
      await nameOf(workspace.open('other').contacts.find({ contact_id: 'c1' })),
      await nameOf(workspace.client.conversations.find({ conversation_id: 'v1' })),
    ]).toEqual(['UnauthorizedError', 'NotFoundError']);
  });
});
