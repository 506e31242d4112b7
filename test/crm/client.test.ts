import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { type CrmClient, type CrmOptions, createCrmClient, leadDispositions } from '../../src/crm/index.ts';
import { InvalidArgumentError } from '../../src/core/errors.ts';
import type { IntegrationEvent } from '../../src/observability/events.ts';
import { startMswServer } from '../support/msw-server.ts';
import type { RecordingServer } from '../support/recording-server.ts';
import { refusedArgument } from '../support/refused-argument.ts';
import fc from '../support/fast-check.ts';

let server: RecordingServer;
let sentBefore: number;

beforeAll(async () => {
  server = await startMswServer();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.answer({ json: { id: '00Q1', success: true } });
  sentBefore = server.requests.length;
});

const connect = (options: Partial<CrmOptions> = {}): CrmClient =>
  createCrmClient({
    baseUrl: server.baseUrl,
    authenticate: bearer(() => 'token'),
    version: '60.0',
    backoff: { minimumMs: 1, maximumMs: 1 },
    ...options,
  });

/** Method, target below the version, and body of what was sent since the test began. */
const sent = () =>
  server.requests
    .slice(sentBefore)
    .map(({ line, body }) => [line.replace('/services/data/v60.0/', ''), ...(body === undefined ? [] : [body])]);

const lead = {
  FirstName: 'Ada',
  LastName: 'Lovelace',
  Company: 'Analytical Engines',
  Email: 'ada@example.com',
  Phone: '+14155550100',
  Title: 'Founder',
  NumberOfEmployees: 12,
  LeadSource: 'Voice Agent',
  Status: 'Qualified by voice agent',
  Use_Case__c: 'Reporting',
  Expected_Close__c: '2027-02-28',
  Lead_Score__c: 87.5,
  Description: 'Wants a demo. Transcript: https://example.com/t/1',
  Region__c: 'EMEA',
};

const task = {
  Subject: 'Inbound call',
  Status: 'Completed',
  ActivityDate: '2026-11-21',
  Description: 'Summary and transcript',
  WhoId: '00Q1',
  WhatId: '0061',
  CallType: 'Inbound',
  CallDurationInSeconds: 312,
};

describe('requests are what the interface document says', () => {
  test('any field of the org is written, and null empties one', async () => {
    server.answer({ json: { id: '00T1' } }, { status: 204 }, { json: { id: '0031' } });
    const { tasks, leads, contacts } = connect();
    const fields = {
      Email: null,
      Phone: null,
      City: 'Turin',
      DoNotCall: true,
      AnnualRevenue: 1e6,
      acme__Tier__c: null,
    };

    await tasks.create({ ...task, TaskSubtype: 'Call', Priority: 'High' });
    await leads.update('00Q1', fields);
    await contacts.create({ LastName: 'Lovelace', HomePhone: '020 7183 8750', MailingCity: 'London' });

    expect(sent()).toEqual([
      ['POST sobjects/Task/', { ...task, TaskSubtype: 'Call', Priority: 'High' }],
      ['PATCH sobjects/Lead/00Q1', fields],
      ['POST sobjects/Contact/', { LastName: 'Lovelace', HomePhone: '020 7183 8750', MailingCity: 'London' }],
    ]);
  });

  test('leads are searched by e-mail or phone, one row, with a query that the client writes', async () => {
    const found = { Id: '00Q1', IsConverted: true, ConvertedContactId: '0031', Status: 'converted', Rating: 'Hot' };
    server.answer({ json: [found] });

    expect(await connect().leads.search({ email: "o'hara@example.com", phone: '+14155550100' })).toEqual({
      data: [found],
      total: 1,
    });
    expect(sent()).toEqual([
      [
        'POST sobjects/Lead/search',
        {
          q: "SELECT Id, Status, Email, Phone, OwnerId, IsConverted, ConvertedContactId, ConvertedAccountId, ConvertedOpportunityId, LastModifiedDate FROM Lead WHERE Email = 'o\\'hara@example.com' OR Phone = '+14155550100' ORDER BY IsConverted ASC, LastModifiedDate DESC",
          limit: 1,
        },
      ],
    ]);
  });

  test('leads and tasks are updated, and 204 is the end of it', async () => {
    server.answer({ status: 204 });
    const { leads, tasks } = connect();

    expect(await leads.update('00Q1', { Status: leadDispositions.nurture, Region__c: null })).toEqual({ id: '00Q1' });
    expect(await tasks.update('00T1', { CallDurationInSeconds: 0 })).toEqual({ id: '00T1' });
    expect(sent()).toEqual([
      ['PATCH sobjects/Lead/00Q1', { Status: 'nurture', Region__c: null }],
      ['PATCH sobjects/Task/00T1', { CallDurationInSeconds: 0 }],
    ]);
  });

  test('contacts, accounts, opportunities and cases are created in the same style', async () => {
    const crm = connect();

    await crm.contacts.create({ LastName: 'Lovelace', AccountId: '0011' });
    await crm.accounts.create({ Name: 'Analytical Engines' });
    await crm.opportunities.create({ Name: 'Upsell', StageName: 'Open', CloseDate: '2027-01-31', AccountId: '0011' });
    await crm.cases.create({ Subject: 'Cannot log in', Origin: 'Phone', ContactId: '0031' });

    expect(sent()).toEqual([
      ['POST sobjects/Contact/', { LastName: 'Lovelace', AccountId: '0011' }],
      ['POST sobjects/Account/', { Name: 'Analytical Engines' }],
      ['POST sobjects/Opportunity/', { Name: 'Upsell', StageName: 'Open', CloseDate: '2027-01-31', AccountId: '0011' }],
      ['POST sobjects/Case/', { Subject: 'Cannot log in', Origin: 'Phone', ContactId: '0031' }],
    ]);
  });

  test('contacts, accounts, opportunities and cases are searched in the same style', async () => {
    server.answer({ json: [] });
    const crm = connect();

    await crm.contacts.search({ phone: '+14155550100' });
    await crm.accounts.search({ name: "O'Hara \\ Sons", limit: 5 });
    await crm.opportunities.search({ accountId: '0011', isClosed: false });
    await crm.cases.search({ contactId: '0031', caseNumber: '00001' });

    expect(sent()).toEqual([
      [
        'POST sobjects/Contact/search',
        {
          q: "SELECT Id, AccountId, Email, Phone, OwnerId, LastModifiedDate FROM Contact WHERE Phone = '+14155550100' OR MobilePhone = '+14155550100' ORDER BY LastModifiedDate DESC",
          limit: 1,
        },
      ],
      [
        'POST sobjects/Account/search',
        {
          q: "SELECT Id, Name, OwnerId, LastModifiedDate FROM Account WHERE Name = 'O\\'Hara \\\\ Sons' ORDER BY LastModifiedDate DESC",
          limit: 5,
        },
      ],
      [
        'POST sobjects/Opportunity/search',
        {
          q: "SELECT Id, AccountId, StageName, IsClosed, OwnerId, LastModifiedDate FROM Opportunity WHERE AccountId = '0011' AND IsClosed = false ORDER BY LastModifiedDate DESC",
          limit: 1,
        },
      ],
      [
        'POST sobjects/Case/search',
        {
          q: "SELECT Id, CaseNumber, Subject, Status, IsClosed, OwnerId, ContactId, LastModifiedDate FROM Case WHERE ContactId = '0031' AND CaseNumber = '00001' ORDER BY LastModifiedDate DESC",
          limit: 1,
        },
      ],
    ]);
  });
});

describe('the version', () => {
  test.each([undefined, 'v60.0', '60.0/../..'])('is required: %j is refused', (version) => {
    expect(() => connect({ version: version as string })).toThrow(
      'version must be a version such as 60.0: it is always pinned',
    );
  });
});

describe('nothing is sent', () => {
  test.each([
    ['Email', 'ada at example.com', 'must be an e-mail address'],
    ['Phone', '(415) 555-0100', 'must be a phone number in E.164 format, such as +14155550100'],
    ['NumberOfEmployees', 1.5, 'must be an integer'],
    ['NumberOfEmployees', -1, 'must be at least 0'],
    ['Expected_Close__c', '2026-02-30', 'must be a date, YYYY-MM-DD'],
    ['Lead_Score__c', '87', 'must be a number'],
    ['Status', 7, 'must be a string'],
    ['Region__c', { $ne: '' }, 'must be a text, a number, true, false or null'],
    ['Region__c', Number.POSITIVE_INFINITY, 'must be a text, a number, true, false or null'],
    ['Not a name', 'x', 'must be the plain name of a field'],
  ])('for a lead whose %s is %s', async (field, value, problem) => {
    const { leads } = connect();
    const wrong = { LastName: 'Lovelace', [field]: value };

    expect(await refusedArgument(() => leads.create(wrong))).toEqual({ field, problem });
    expect(await refusedArgument(() => leads.update('00Q1', wrong))).toEqual({ field, problem });
    expect(sent()).toEqual([]);
  });

  test.each([
    ['ActivityDate', '2026-13-01', 'must be a date, YYYY-MM-DD'],
    ['WhoId', '', 'must not be empty'],
  ])('for a task whose %s is %s', async (field, value, problem) => {
    expect(await refusedArgument(() => connect().tasks.create({ ...task, [field]: value }))).toEqual({
      field,
      problem,
    });
    expect(sent()).toEqual([]);
  });

  test('for a record without a field', async () => {
    const crm = connect();
    expect(await refusedArgument(() => crm.leads.create({}))).toEqual({
      field: 'fields',
      problem: 'must have at least one field',
    });
    expect((await refusedArgument(() => crm.cases.create({ Subject: undefined }))).field).toBe('fields');
    expect(sent()).toEqual([]);
  });

  test.each<[name: string, by: object, field: string, problem: string]>([
    ['neither', {}, 'phone', 'or email must be given'],
    ['a query of its own', { q: 'SELECT Id FROM User' }, 'phone', 'or email must be given'],
    ['a limit of 0', { email: 'ada@example.com', limit: 0 }, 'limit', 'must be at least 1'],
    ['a limit of 201', { email: 'ada@example.com', limit: 201 }, 'limit', 'must be at most 200'],
    [
      'an injected field',
      { email: 'ada@example.com', fields: ['Id FROM User'] },
      'fields.0',
      'must be the plain name of a field',
    ],
    ['an injected e-mail', { email: "x' OR Name != '" }, 'email', 'must be an e-mail address'],
  ])('for a search for people with %s', async (_name, by, field, problem) => {
    const crm = connect();
    expect(await refusedArgument(() => crm.leads.search(by))).toEqual({ field, problem });
    expect(await refusedArgument(() => crm.contacts.search(by))).toEqual({ field, problem });
    expect(sent()).toEqual([]);
  });

  test('for a search that would match everything', async () => {
    const crm = connect();
    expect((await refusedArgument(() => crm.accounts.search({}))).field).toBe('name');
    expect((await refusedArgument(() => crm.cases.search({ isClosed: false }))).field).toBe('contactId');
    expect((await refusedArgument(() => crm.opportunities.search({ accountId: '' }))).field).toBe('accountId');
    expect(sent()).toEqual([]);
  });

  test.each(['..', 7])('for the id %j', async (id) => {
    expect((await refusedArgument(() => connect().leads.update(id as string, { Status: 'x' }))).field).toBe('id');
    expect((await refusedArgument(() => connect().tasks.update(id as string, { Status: 'x' }))).field).toBe('id');
    expect(sent()).toEqual([]);
  });
});

describe('answers are read leniently', () => {
  test.each([
    ['ids', ['00Q1', '00Q2']],
    ['objects with id', [{ id: '00Q1' }, { id: '00Q2' }]],
    ['objects with Id', [{ Id: '00Q1' }, { Id: '00Q2' }]],
    ['an envelope', { data: [{ Id: '00Q1' }, { Id: '00Q2' }] }],
  ])('%s are leads that were found', async (_name, json) => {
    server.answer({ json });
    expect(await connect().leads.search({ phone: '+14155550100', limit: 2 })).toEqual({
      data: [{ Id: '00Q1' }, { Id: '00Q2' }],
      total: 2,
    });
  });

  test('a created record needs only its id, however it is written', async () => {
    server.answer({ json: '"00Q1"' }, { json: { Id: '00Q1', LastName: 'Lovelace' } }, { json: { success: true } });
    const { leads } = connect();

    expect(await leads.create({ LastName: 'Lovelace' })).toEqual({ id: '00Q1' });
    expect(await leads.create({ LastName: 'Lovelace' })).toEqual({ id: '00Q1', LastName: 'Lovelace' });
    await expect(leads.create({ LastName: 'Lovelace' })).rejects.toMatchObject({
      code: 'unexpected_response',
      outcome: 'unknown',
    });
  });

  test.each([null, '00Q1'])(
    'a create that was not successful is refused with the errors of the CRM, id %s',
    async (id) => {
      const errors = [
        { statusCode: 'FIELD_CUSTOM_VALIDATION_EXCEPTION', message: 'Needs a budget.', fields: ['Budget__c'] },
      ];
      server.answer({ json: { id, success: false, errors } });

      await expect(connect().leads.create({ LastName: 'Lovelace' })).rejects.toMatchObject({
        code: 'client_error',
        outcome: 'rejected',
        message:
          'crm.leads.create was refused by the API with status 400: FIELD_CUSTOM_VALIDATION_EXCEPTION (Budget__c)',
        problems: [{ code: 'FIELD_CUSTOM_VALIDATION_EXCEPTION', message: 'Needs a budget.', fields: ['Budget__c'] }],
        details: { id, success: false, errors },
      });
      expect(server.requests.length - sentBefore).toBe(1);
    },
  );

  test('why sales rejected a lead can be read', async () => {
    server.answer({ json: [{ Id: '00Q1', Status: 'disqualified', Rejection_Reason__c: 'No budget' }] });
    const by = { email: 'ada@example.com', fields: ['Rejection_Reason__c'] };

    const { data } = await connect().leads.search(by);

    expect(data[0]?.Rejection_Reason__c).toBe('No budget');
    expect(sent()[0]?.[1]).toMatchObject({
      q: expect.stringContaining(', LastModifiedDate, Rejection_Reason__c FROM'),
    });
  });

  test('a field of another type is left out and told to the observer', async () => {
    const events: IntegrationEvent[] = [];
    server.answer({ json: [{ Id: '00Q1', IsConverted: 'no', Status: 'Open' }] });

    const { data } = await connect({ onEvent: (event) => events.push(event) }).leads.search({
      email: 'ada@example.com',
    });

    expect(data).toEqual([{ Id: '00Q1', Status: 'Open' }]);
    expect(events.filter(({ type }) => type === 'schema-drift')).toEqual([
      expect.objectContaining({ operation: 'crm.leads.search', fields: ['IsConverted'] }),
    ]);
  });
});

test.each([
  ['one lead', [{ Id: '00Q1', IsConverted: false, Status: 'Open' }]],
  ['several leads', [{ Id: '00Q1' }, { Id: '00Q2', IsConverted: true }]],
  ['no lead', []],
])('a search that finds %s as described reports no drift', async (_what, found) => {
  const events: IntegrationEvent[] = [];
  server.answer({ json: found });

  await connect({ onEvent: (event) => events.push(event) }).leads.search({ email: 'ada@example.com' });

  expect(events.map(({ type }) => type)).toEqual(['credential-used', 'attempt', 'call']);
});

test('all rows of a search end with an error where the pages go in a circle', async () => {
  server.answer({ json: [{ Id: '00Q1' }] });
  const crm = connect({ dialect: { nextPage: () => ({ method: 'GET', path: 'next' }) } });
  const found: string[] = [];
  const readAll = async () => {
    for await (const { Id } of crm.leads.searchAll({ phone: '+14155550100' })) found.push(Id);
  };

  await expect(readAll()).rejects.toMatchObject({
    code: 'unexpected_response',
    message: 'crm.leads.search: the pages go in a circle',
  });
  expect(found).toEqual(['00Q1']);
});

describe('with an API that knows no idempotency keys', () => {
  const search = 'POST sobjects/Lead/search';

  test('a lead is looked for before it is sent again, and the one that is there is the answer', async () => {
    server.answer({ status: 503 }, { json: ['00Q1'] });

    expect(await connect({ idempotency: 'none' }).leads.create(lead)).toEqual({ id: '00Q1' });
    expect(sent().map(([line]) => line)).toEqual(['POST sobjects/Lead/', search]);
  });

  test('a converted lead is not taken for it', async () => {
    server.answer({ status: 503 }, { json: [{ Id: '00Q0', IsConverted: true }] }, { json: { id: '00Q1' } });

    expect(await connect({ idempotency: 'none' }).leads.create(lead)).toEqual({ id: '00Q1' });
    expect(sent().map(([line]) => line)).toEqual(['POST sobjects/Lead/', search, 'POST sobjects/Lead/']);
  });

  test.each([
    ['a lead that cannot be looked for', (crm: CrmClient) => crm.leads.create({ LastName: 'Lovelace' })],
    ['a task', (crm: CrmClient) => crm.tasks.create(task)],
  ])('%s is not sent again', async (_name, create) => {
    server.answer({ status: 503 });
    for (const options of [{ idempotency: 'none' } as const, { idempotency: undefined as never }])
      await expect(create(connect(options))).rejects.toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(sent()).toHaveLength(2);
  });

  test('a search is a read: it has no key and is always sent again', async () => {
    server.answer({ status: 503 }, { json: [] });
    await connect({ idempotency: 'none' }).leads.search({ email: 'ada@example.com' });
    await connect().leads.search({ email: 'ada@example.com' });

    expect(sent().map(([line]) => line)).toEqual([search, search, search]);
    expect(server.requests.at(-1)?.headers['idempotency-key']).toBeUndefined();
  });

  test('an update is sent again, since it ends the same', async () => {
    server.answer({ status: 503 }, { status: 204 });
    await connect({ idempotency: 'none' }).leads.update('00Q1', { Status: 'Open' });
    expect(sent().map(([line]) => line)).toEqual(['PATCH sobjects/Lead/00Q1', 'PATCH sobjects/Lead/00Q1']);
  });
});

test('no id changes the route', async () => {
  server.answer({ status: 204 });
  const { leads } = connect();
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (id) => {
      const before = server.requests.length;
      const error = await leads.update(id, { Status: 'Open' }).catch((error: unknown) => error);
      if (error instanceof InvalidArgumentError) return server.requests.length === before;
      return server.requests.at(-1)?.line === `PATCH /services/data/v60.0/sobjects/Lead/${encodeURIComponent(id)}`;
    }),
    { numRuns: 30 },
  );
});

test('an endpoint that the client lacks can be asked, under the pinned version', async () => {
  server.answer({ json: { totalSize: 0 } });
  await connect().request({ operation: 'crm.limits', method: 'GET', path: 'limits', returns: (json) => json });
  expect(sent()).toEqual([['GET limits']]);
});
