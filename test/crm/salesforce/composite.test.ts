import { describe, expect, test } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { createCrmClient, idOf } from '../../../src/crm/index.ts';
import { salesforce, salesforceLogin } from '../../../src/crm/salesforce/index.ts';
import { failureOf } from '../../support/connect.ts';
import { refusedArgument } from '../../support/refused-argument.ts';
import { connectSalesforce, sentTo } from '../../support/connected-salesforce.ts';
import { startRecordingServer } from '../../support/recording-server.ts';

const by = { field: 'Call_Id__c', value: 'C/17 ?' };

describe('an upsert', () => {
  test('creates a record, and then changes it', async () => {
    await using org = await connectSalesforce();
    const { platform, crm } = org;

    const first = await crm.contacts.upsert(by, { LastName: 'Okafor' });
    const second = await crm.contacts.upsert(by, { LastName: 'Obi' });

    expect([first.created, second.created, second.id]).toEqual([true, false, first.id]);
    expect(platform.crm.contacts).toMatchObject([{ Id: first.id, LastName: 'Obi', Call_Id__c: 'C/17 ?' }]);
    expect(sentTo(platform)[0]).toBe('PATCH sobjects/Contact/Call_Id__c/C%2F17%20%3F');
  });

  test('is sent again after an end that is not known, since it makes no second record', async () => {
    await using org = await connectSalesforce();
    org.platform.fault('crm.cases.create', [{ executeThenDrop: true }, { status: 503 }]);

    await org.crm.cases.upsert(by, { Subject: 'Broken oven' });

    expect(org.platform.crm.cases).toHaveLength(1);
    expect(org.platform.requests).toHaveLength(3);
  });

  test('works on any object, and is refused where the field is no external id', async () => {
    await using org = await connectSalesforce();
    const { crm } = org;

    expect((await crm.records('Asset__c').upsert(by, { Name: 'Oven' })).created).toBe(true);
    expect(await failureOf(crm.leads.upsert({ field: 'Region__c', value: 'x' }, { LastName: 'Obi' }))).toMatchObject({
      status: 404,
      outcome: 'rejected',
    });
  });
});

describe('several writes in one request', () => {
  test('are all done, and a later one can have the id of an earlier one', async () => {
    await using org = await connectSalesforce();
    const { platform, crm } = org;
    const lead = platform.crm.addLead({ LastName: 'Okafor', Company: 'Northwind' });
    const old = platform.crm.addTask({ Subject: 'Call back' });

    const made = await crm.composite({
      account: { create: 'Account', fields: { Name: 'Northwind' } },
      contact: { create: 'Contact', fields: { LastName: 'Okafor', AccountId: idOf('account') } },
      asset: { upsert: 'Asset__c', by, fields: { Name: 'Oven', Contact__c: idOf('contact') } },
      lead: { update: 'Lead', id: lead.Id, fields: { Status: 'Closed' } },
      task: { delete: 'Task', id: old.Id },
    });

    const [account, contact, asset] = [
      platform.crm.accounts[0],
      platform.crm.contacts[0],
      platform.crm.records('Asset__c')[0],
    ];
    expect(made).toEqual({
      account: { id: account?.Id },
      contact: { id: contact?.Id },
      asset: { id: asset?.Id },
      lead: { id: lead.Id },
      task: { id: old.Id },
    });
    expect([contact?.['AccountId'], asset?.['Contact__c']]).toEqual([account?.Id, contact?.Id]);
    expect([platform.crm.leads[0]?.['Status'], platform.crm.tasks]).toEqual(['Closed', []]);
    expect(sentTo(platform)).toEqual(['POST composite']);
  });

  test.each<[what: string, parts: readonly object[], field: string]>([
    ['leaves one out', [{ referenceId: 'lead', httpStatusCode: 201, body: { id: '00Q1' } }], 'task must be done'],
    [
      'gives no id',
      [
        { referenceId: 'lead', httpStatusCode: 201, body: { id: '00Q1' } },
        { referenceId: 'task', httpStatusCode: 204, body: null },
      ],
      'task.id must be the id of the record',
    ],
    [
      'says of one that it failed, without its usual form',
      [{ referenceId: 'lead', httpStatusCode: 400 }],
      'lead must be done',
    ],
  ])('are not said to be done when the answer %s', async (_what, compositeResponse, message) => {
    await using server = await startRecordingServer();
    server.answer({ json: { more: true, compositeResponse } });
    const crm = createCrmClient({ ...salesforce(), baseUrl: server.baseUrl, authenticate: bearer(() => 'token') });

    const error = await failureOf(
      crm.composite({
        lead: { upsert: 'Lead', by, fields: { LastName: 'Obi' } },
        task: { create: 'Task', fields: { WhoId: idOf('lead') } },
      }),
    );

    expect(error).toMatchObject({ outcome: 'unknown', message: expect.stringContaining(message) });
    expect(server.requests).toHaveLength(1);
  });

  test('are none of them done when one is refused, and the error is that one’s', async () => {
    await using org = await connectSalesforce();
    const { platform, crm } = org;

    const error = await failureOf(
      crm.composite({
        account: { create: 'Account', fields: { Name: 'Northwind' } },
        contact: { create: 'Contact', fields: { AccountId: idOf('account') } },
      }),
    );

    expect(error).toMatchObject({ status: 400, codes: ['REQUIRED_FIELD_MISSING'], outcome: 'rejected' });
    expect([platform.crm.accounts, platform.crm.contacts]).toEqual([[], []]);
  });

  test('are not sent again after an end that is not known, unless each is an upsert or an update', async () => {
    await using org = await connectSalesforce();
    const { platform, crm } = org;
    platform.fault('crm.composite', [{ executeThenDrop: true }, 'ok', { executeThenDrop: true }]);

    const create = crm.composite({ account: { create: 'Account', fields: { Name: 'Northwind' } } });
    expect(await failureOf(create)).toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(platform.crm.accounts).toHaveLength(1);
    await crm.composite({ asset: { upsert: 'Asset__c', by, fields: { Name: 'Oven' } } });
    await crm.composite({ asset: { upsert: 'Asset__c', by, fields: { Name: 'Stove' } } });

    expect(platform.crm.records('Asset__c')).toMatchObject([{ Name: 'Stove' }]);
    expect(platform.requests).toHaveLength(4);
  });

  test.each<[parts: object, field: string]>([
    [{}, 'parts'],
    [{ 'no name': { create: 'Account', fields: { Name: 'x' } } }, 'no name'],
    [{ a: { merge: 'Account', fields: { Name: 'x' } } }, 'a'],
    [{ a: { create: 'Account/../User', fields: { Name: 'x' } } }, 'object'],
    [{ a: { create: 'Contact', fields: { LastName: 'x', AccountId: idOf('b') } } }, 'a.AccountId'],
    [{ a: { create: 'Contact', fields: { Email: 'x' } } }, 'a.Email'],
    [{ a: { update: 'Contact', id: '', fields: { LastName: 'x' } } }, 'a.id'],
    [{ a: { upsert: 'Contact', fields: { LastName: 'x' } } }, 'a.by.field'],
  ])('are refused before they are sent: %j', async (parts, field) => {
    await using org = await connectSalesforce();

    expect((await refusedArgument(() => org.crm.composite(parts as never))).field).toBe(field);
    expect(org.platform.requests).toEqual([]);
  });

  test('take a reference in what a caller said for the text that it is', async () => {
    await using org = await connectSalesforce();
    await org.crm.composite({
      account: { create: 'Account', fields: { Name: 'Northwind' } },
      task: { create: 'Task', fields: { Subject: '@{account.id}' } },
    });

    expect(org.platform.crm.tasks[0]?.['Subject']).toBe('@ {account.id}');
  });
});

describe('the rules of the org', () => {
  const lead = { LastName: 'Okafor', Company: 'Northwind', Email: 'ngozi@example.com' };

  test('can be said for one record: create it anyway, without the assignment rule', async () => {
    await using org = await connectSalesforce({ org: { assignTo: '005000000000099', duplicateRule: 'alert' } });
    const { platform, crm } = org;
    platform.crm.addContact({ LastName: 'Okafor', Email: lead.Email });

    expect(await failureOf(crm.leads.create(lead))).toMatchObject({ codes: ['DUPLICATES_DETECTED'] });
    await crm.leads.create(lead, { duplicateRule: { allowSave: true }, assignmentRule: 'none' });

    expect(platform.crm.leads.map(({ OwnerId }) => OwnerId)).toEqual(['005000000000001']);
    expect(platform.requests[1]?.headers).toMatchObject({
      'sforce-duplicate-rule-header': 'allowSave=true',
      'sforce-auto-assign': 'FALSE',
    });
    expect(platform.requests[0]?.headers).not.toHaveProperty('sforce-duplicate-rule-header');
  });

  test('win over those of the client, and reach an update and an upsert too', async () => {
    await using org = await connectSalesforce({ preset: { assignmentRule: 'none' } });
    const { platform, crm } = org;
    const rule = { assignmentRule: { id: '01Q000000000001' } } as const;

    const { id } = await crm.leads.create(lead, { assignmentRule: 'active' });
    await crm.leads.update(id, { Status: 'Open' }, rule);
    await crm.leads.upsert(by, lead, rule);
    await crm.leads.update(id, { Status: 'Open' });

    expect(platform.requests.map(({ headers }) => headers['sforce-auto-assign'])).toEqual([
      'TRUE',
      '01Q000000000001',
      '01Q000000000001',
      undefined,
    ]);
  });

  test('can be said for each part of a composite, and win over those of the client', async () => {
    await using org = await connectSalesforce({
      preset: { assignmentRule: 'none' },
      org: { assignTo: '005000000000099', duplicateRule: 'alert' },
    });
    const { platform, crm } = org;
    platform.crm.addContact({ LastName: 'Okafor', Email: lead.Email });
    const allowed = { duplicateRule: { allowSave: true } };

    await crm.composite({
      first: { create: 'Lead', fields: lead, ...allowed },
      second: { create: 'Lead', fields: lead, ...allowed, assignmentRule: 'active' },
      third: { update: 'Case', id: platform.crm.addCase({ Subject: 'Oven' }).Id, fields: { Subject: 'Broken oven' } },
    });

    const [duplicate, none, active] = ['sforce-duplicate-rule-header', 'FALSE', 'TRUE'];
    expect(platform.requests[0]?.body).toMatchObject({
      compositeRequest: [
        { httpHeaders: { [duplicate]: 'allowSave=true', 'sforce-auto-assign': none } },
        { httpHeaders: { [duplicate]: 'allowSave=true', 'sforce-auto-assign': active } },
        expect.not.objectContaining({ httpHeaders: expect.anything() }),
      ],
    });
    expect(platform.crm.leads.map(({ OwnerId }) => OwnerId)).toEqual(['005000000000001', '005000000000099']);
  });
});

test.each([
  ['production', 'https://login.salesforce.com', 'https://login.salesforce.com'],
  ['sandbox', 'https://test.salesforce.com', 'https://test.salesforce.com'],
  ['https://acme.my.salesforce.com', 'https://acme.my.salesforce.com', 'https://login.salesforce.com'],
  [
    'https://acme--uat.sandbox.my.salesforce.com/',
    'https://acme--uat.sandbox.my.salesforce.com',
    'https://test.salesforce.com',
  ],
] as const)('a login at %s asks %s for tokens', (login, origin, audience) => {
  expect(salesforceLogin(login)).toEqual({ tokenEndpoint: `${origin}/services/oauth2/token`, audience });
});

test.each(['sandboxes', 'http://acme.my.salesforce.com', ''])('a login at %j is refused', (login) => {
  expect(() => salesforceLogin(login as 'sandbox')).toThrow(
    "login must be 'production', 'sandbox' or the https address",
  );
});
