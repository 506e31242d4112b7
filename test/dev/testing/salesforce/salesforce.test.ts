import { describe, expect, test } from 'vitest';
import {
  createFakePlatform,
  type FakePlatform,
  type FakeSalesforceOptions,
  testCredentials,
} from '../../../../src/dev/testing/index.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const org = (options: Partial<FakeSalesforceOptions> = {}) =>
  createFakePlatform({ crm: { dialect: 'salesforce', ...options } });

interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one request without a socket; a path without a slash is below the version. */
const send = (platform: FakePlatform, line: string, { body, headers }: Sent = {}) => {
  const [method = '', path = ''] = line.split(/ (.*)/s);
  const { status, body: text } = platform.handle('crm', {
    method,
    url: path.startsWith('/') ? path : `/services/data/v60.0/${path}`,
    headers: {
      authorization: `Bearer ${testCredentials.crm}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? '' : JSON.stringify(body),
  });
  return { status, json: text === '' ? undefined : JSON.parse(text) };
};

const query = (platform: FakePlatform, q: string) => send(platform, `GET query?q=${encodeURIComponent(q)}`);

/** Status and code of a refusal. */
const refusal = ({ status, json }: ReturnType<typeof send>) => [status, json[0]?.errorCode];

const lead = { LastName: 'Okafor', Company: 'Northwind', Email: 'ngozi@example.com' };

describe('a query', () => {
  test('finds rows with their type, and says when there are more', () => {
    const platform = org({ pageSize: 1 });
    const [first, second] = [1, 2].map(() => platform.crm.addLead(lead));

    const page = query(platform, "SELECT Id, Phone FROM Lead WHERE Email = 'NGOZI@example.com' ORDER BY Id");
    const next = send(platform, `GET ${page.json.nextRecordsUrl}`);

    const row = (Id: string | undefined) => ({
      attributes: { type: 'Lead', url: `/services/data/v60.0/sobjects/Lead/${Id}` },
      Id,
      Phone: null,
    });
    expect(page.json).toEqual({
      totalSize: 2,
      done: false,
      nextRecordsUrl: '/services/data/v60.0/query/01g000000000001AAA-1',
      records: [row(first?.Id)],
    });
    expect(next.json).toEqual({ totalSize: 2, done: true, records: [row(second?.Id)] });
  });

  test.each([
    ["SELECT Id FROM Lead WHERE Email = 'o'hara@example.com'", 'MALFORMED_QUERY'],
    ['SELECT Id, Id FROM Lead', 'MALFORMED_QUERY'],
    ['SELECT * FROM Lead', 'MALFORMED_QUERY'],
    [`SELECT Id FROM Lead WHERE Email = '${'a'.repeat(100_000)}'`, 'MALFORMED_QUERY'],
    ['SELECT Id FROM User', 'INVALID_TYPE'],
    ['SELECT Id, Shoe FROM Lead', 'INVALID_FIELD'],
    ['SELECT Id FROM Lead WHERE Email = 5', 'INVALID_FIELD'],
    ["SELECT Id FROM Lead WHERE CreatedDate > '2026-01-01T00:00:00Z'", 'INVALID_FIELD'],
    ["SELECT Id FROM Lead WHERE NOT NumberOfEmployees = '5'", 'INVALID_FIELD'],
    ["SELECT Id FROM Lead WHERE IsConverted LIKE 'a%'", 'INVALID_FIELD'],
    ["SELECT Id FROM Lead WHERE Description LIKE 'a%'", 'INVALID_FIELD'],
    ["SELECT Id FROM Lead WHERE Description = 'a'", 'INVALID_FIELD'],
    ['SELECT Id FROM Lead ORDER BY Description', 'INVALID_FIELD'],
    ["SELECT Id FROM Opportunity WHERE AccountId = 'Northwind'", 'INVALID_QUERY_FILTER_OPERATOR'],
  ])('is refused when the real org refuses it: %s', (q, code) => {
    expect(refusal(query(org(), q))).toEqual([400, code]);
  });

  test.each([
    'SELECT Id FROM Lead WHERE ConvertedContactId = null',
    "SELECT Id FROM Lead WHERE (Phone LIKE '%555%' OR MobilePhone IN ('a', 'b')) AND Lead_Score__c > 5 LIMIT 5",
  ])('is answered when it is right: %s', (q) => {
    expect(query(org(), q).json).toEqual({ totalSize: 0, done: true, records: [] });
  });

  test('goes on only from a locator that it gave', () => {
    expect(refusal(send(org(), 'GET query/01gNONE-5'))).toEqual([400, 'INVALID_QUERY_LOCATOR']);
  });
});

test('the search of the interface document does not exist', () => {
  const answer = send(org(), 'POST sobjects/Lead/search', { body: { q: 'SELECT Id FROM Lead', limit: 1 } });
  expect(refusal(answer)).toEqual([405, 'METHOD_NOT_ALLOWED']);
});

describe('a write', () => {
  test.each([
    ['POST sobjects/Lead/', { Company: 'Northwind' }, 'REQUIRED_FIELD_MISSING'],
    ['POST sobjects/Lead/', { LastName: 'Okafor' }, 'REQUIRED_FIELD_MISSING'],
    ['POST sobjects/Lead/', { ...lead, Shoe: 43 }, 'INVALID_FIELD'],
    ['POST sobjects/Lead/', { ...lead, Email: 'not-an-email' }, 'INVALID_EMAIL_ADDRESS'],
    ['POST sobjects/Lead/', { ...lead, LastName: 'x'.repeat(256) }, 'STRING_TOO_LONG'],
    ['POST sobjects/Lead/', { ...lead, NumberOfEmployees: 'many' }, 'JSON_PARSER_ERROR'],
    ['POST sobjects/Task/', { CallType: 'inbound' }, 'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST'],
    ['POST sobjects/Task/', { WhoId: 'missing' }, 'MALFORMED_ID'],
    ['POST sobjects/Task/', { WhoId: '003000000000009' }, 'INVALID_CROSS_REFERENCE_KEY'],
    ['POST sobjects/Task/', { WhoId: '001000000000001' }, 'INVALID_CROSS_REFERENCE_KEY'],
    ['POST sobjects/Task/', { WhoId: '00Q000000000001', WhatId: '001000000000001' }, 'FIELD_INTEGRITY_EXCEPTION'],
    ['POST sobjects/Task/', { WhoId: '00Q000000000002' }, 'CANNOT_UPDATE_CONVERTED_LEAD'],
    ['PATCH sobjects/Lead/00Q000000000002', { Status: 'Working' }, 'CANNOT_UPDATE_CONVERTED_LEAD'],
    ['PATCH sobjects/Lead/00Q000000000001', { LastName: null }, 'REQUIRED_FIELD_MISSING'],
    ['PATCH sobjects/Lead/00Q000000000001', { Id: 'x' }, 'INVALID_FIELD'],
    ['PATCH sobjects/Lead/Call_Id__c/CA1', { ...lead, Call_Id__c: 'CA1' }, 'INVALID_FIELD'],
    ['PATCH sobjects/Lead/Call_Id__c/CA1', { Company: 'Northwind' }, 'REQUIRED_FIELD_MISSING'],
    [`PATCH sobjects/Lead/Call_Id__c/${'x'.repeat(256)}`, lead, 'STRING_TOO_LONG'],
    ['POST sobjects/Voice_Call__e/', { Outcome: 'x' }, 'INVALID_FIELD'],
  ])('is refused: %s %j', (line, body, code) => {
    const platform = org();
    platform.crm.addLead(lead);
    platform.crm.addLead({ ...lead, IsConverted: true });
    platform.crm.addAccount({ Name: 'Northwind' });
    const before = [platform.crm.leads, platform.crm.tasks];

    expect(refusal(send(platform, line, { body }))).toEqual([400, code]);
    expect([platform.crm.leads, platform.crm.tasks]).toEqual(before);
  });

  test.each([
    ['PATCH sobjects/Lead/Email/a@example.com', lead],
    ['PATCH sobjects/Lead/00Q000000000009', { Status: 'x' }],
    ['POST sobjects/Shoe/', {}],
    ['GET sobjects/Lead/00Q000000000009', undefined],
  ])('leads nowhere: %s', (line, body) => {
    expect(refusal(send(org(), line, { body }))).toEqual([404, 'NOT_FOUND']);
  });

  test('by an external id creates, updates, and refuses when several have it', () => {
    const platform = org();
    const upsert = (body: object) => send(platform, 'PATCH sobjects/Lead/Call_Id__c/CA1', { body });

    const created = upsert(lead);
    const updated = upsert({ Status: 'Working' });
    const { Id } = platform.crm.addLead({ ...lead, Call_Id__c: 'CA1' });

    const id = platform.crm.leads[0]?.Id;
    expect(created).toEqual({ status: 201, json: { id, success: true, errors: [], created: true } });
    expect(updated).toEqual({ status: 200, json: { id, success: true, errors: [], created: false } });
    expect(upsert(lead)).toEqual({
      status: 300,
      json: [`/services/data/v60.0/sobjects/Lead/${id}`, `/services/data/v60.0/sobjects/Lead/${Id}`],
    });
    expect([platform.effects('crm.leads.create'), platform.effects('crm.leads.update')]).toEqual([1, 1]);
  });

  const allow = { 'sforce-duplicate-rule-header': 'allowSave=true' };
  const withDuplicate = (duplicateRule: 'block' | 'alert' | 'none', headers: Record<string, string>) => {
    const platform = org({ duplicateRule });
    const { Id } = platform.crm.addContact({ LastName: 'Okafor', Email: 'NGOZI@example.com' });
    return { Id, ...send(platform, 'POST sobjects/Lead/', { body: lead, headers }) };
  };

  test.each([
    ['block', allow],
    ['alert', {}],
  ] as const)('that duplicates another is refused with the others: rule %s, headers %j', (duplicateRule, headers) => {
    const { Id, status, json } = withDuplicate(duplicateRule, headers);

    expect(status).toBe(400);
    expect(json[0]).toMatchObject({
      errorCode: 'DUPLICATES_DETECTED',
      duplicateResult: {
        allowSave: duplicateRule === 'alert',
        matchResults: [{ entityType: 'Contact', matchRecords: [{ record: { Id } }] }],
      },
    });
  });

  test.each([
    ['alert', allow],
    ['none', {}],
  ] as const)('that duplicates another is done: rule %s, headers %j', (duplicateRule, headers) => {
    expect(withDuplicate(duplicateRule, headers).status).toBe(201);
  });

  test('of a lead runs the assignment rule unless the request says otherwise', () => {
    const platform = org({ assignTo: '005000000000099' });
    send(platform, 'POST sobjects/Lead/', { body: lead });
    send(platform, 'POST sobjects/Lead/', { body: lead, headers: { 'sforce-auto-assign': 'FALSE' } });

    expect(platform.crm.leads.map(({ OwnerId }) => OwnerId)).toEqual(['005000000000099', '005000000000001']);
  });
});

describe('a composite', () => {
  const part = (referenceId: string, method: string, path: string, body?: object) => ({
    method,
    url: `/services/data/v60.0/${path}`,
    referenceId,
    ...(body && { body }),
  });
  const composite = (platform: FakePlatform, compositeRequest: readonly object[], allOrNone = true) =>
    send(platform, 'POST composite', { body: { allOrNone, compositeRequest } });
  const parts = (answer: ReturnType<typeof send>) =>
    answer.json.compositeResponse.map((each: { referenceId: string; httpStatusCode: number; body: unknown }) => [
      each.referenceId,
      each.httpStatusCode,
      Array.isArray(each.body) ? each.body[0].errorCode : 'done',
    ]);
  const createLead = part('lead', 'POST', 'sobjects/Lead/', lead);

  test('does one after the other, and a part may name what one before it answered', () => {
    const platform = org();
    const answer = composite(platform, [
      createLead,
      part('task', 'POST', 'sobjects/Task/', { WhoId: '@{lead.id}', Subject: 'About @{lead.id}' }),
      part('again', 'GET', 'sobjects/Lead/@{lead.id}'),
      part('rows', 'GET', `query?q=${encodeURIComponent('SELECT Id FROM Task')}`),
    ]);

    const id = platform.crm.leads[0]?.Id;
    expect(parts(answer)).toEqual([
      ['lead', 201, 'done'],
      ['task', 201, 'done'],
      ['again', 200, 'done'],
      ['rows', 200, 'done'],
    ]);
    expect(platform.crm.tasks).toMatchObject([{ WhoId: id, Subject: `About ${id}` }]);
    expect([platform.effects('crm.leads.create'), platform.effects('crm.tasks.create')]).toEqual([1, 1]);
  });

  test('does everything or nothing when that is asked, and says which part failed', () => {
    const platform = org();
    const answer = composite(platform, [createLead, part('task', 'POST', 'sobjects/Task/', { CallType: 'x' })]);

    expect(parts(answer)).toEqual([
      ['lead', 400, 'PROCESSING_HALTED'],
      ['task', 400, 'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST'],
    ]);
    expect([platform.crm.leads, platform.effects('crm.leads.create')]).toEqual([[], 0]);
  });

  test('does what it can otherwise', () => {
    const platform = org();
    const answer = composite(
      platform,
      [part('bad', 'POST', 'sobjects/Lead/', {}), part('ref', 'GET', 'sobjects/Lead/@{bad.id}'), createLead],
      false,
    );

    expect(parts(answer)).toEqual([
      ['bad', 400, 'REQUIRED_FIELD_MISSING'],
      ['ref', 400, 'PROCESSING_HALTED'],
      ['lead', 201, 'done'],
    ]);
    expect(platform.crm.leads).toHaveLength(1);
  });

  test.each([
    [
      'too many parts',
      Array.from({ length: 26 }, (_, index) => ({ ...createLead, referenceId: `r${index}` })),
      'LIMIT_EXCEEDED',
    ],
    ['none', [], 'LIMIT_EXCEEDED'],
    ['two of one name', [createLead, createLead], 'INVALID_FIELD'],
    ['one without a name', [{ method: 'GET', url: '/' }], 'JSON_PARSER_ERROR'],
  ])('is refused with %s', (_what, compositeRequest, code) => {
    expect(refusal(composite(org(), compositeRequest))).toEqual([400, code]);
  });

  test('has parts that lead to real places only', () => {
    const answer = composite(
      org(),
      [
        part('a', 'POST', 'composite', {}),
        part('b', 'PUT', 'sobjects/Lead/00Q000000000001'),
        { ...createLead, referenceId: 'c', url: '/services/data/v20.0/sobjects/Lead/' },
      ],
      false,
    );

    expect(parts(answer)).toEqual([
      ['a', 404, 'NOT_FOUND'],
      ['b', 405, 'METHOD_NOT_ALLOWED'],
      ['c', 410, 'UNSUPPORTED_API_VERSION'],
    ]);
  });
});

describe('a search of the index', () => {
  const search = (platform: FakePlatform, body: object) => send(platform, 'POST parameterizedSearch', { body });

  test('does not know what is new', async () => {
    const clock = createVirtualClock();
    const platform = createFakePlatform({ crm: { dialect: 'salesforce' } });
    const { Id } = platform.crm.addContact({ LastName: 'Okafor', Phone: '+14155550100' });
    const found = () =>
      search(platform, { q: '4155550100', in: 'PHONE', sobjects: [{ name: 'Contact' }], fields: ['Id'] }).json
        .searchRecords;

    expect(found()).toEqual([]);
    await clock.advance(60_000);
    expect(found()).toMatchObject([{ Id }]);
  });

  test('finds phones in any format, addresses as a whole, and names by a part of them', () => {
    const platform = org({ searchDelayMs: 0 });
    const { Id } = platform.crm.addContact({
      LastName: 'Okafor',
      Email: 'ngozi@example.com',
      HomePhone: '(415) 555-0100',
    });
    platform.crm.addContact({ LastName: 'Meier', Email: 'meier@example.com' });
    const ids = (q: string, scope: string) =>
      search(platform, { q, in: scope, sobjects: [{ name: 'Contact' }], fields: ['Id'] }).json.searchRecords.map(
        (row: { Id: string }) => row.Id,
      );

    expect(ids('4155550100', 'PHONE')).toEqual([Id]);
    expect(ids('NGOZI@example.com', 'EMAIL')).toEqual([Id]);
    expect(ids('okaf', 'NAME')).toEqual([Id]);
    expect(ids('ngozi', 'ALL')).toEqual([Id]);
    expect(ids('4155550199', 'PHONE')).toEqual([]);
  });

  test.each([
    [{ q: 'a' }, 'MALFORMED_SEARCH'],
    [{ q: 'ab', in: 'FACE' }, 'INVALID_SEARCH_SCOPE'],
    [{ q: 'ab', sobjects: [{ name: 'User' }] }, 'INVALID_TYPE'],
    [{ q: 'ab', sobjects: [{ name: 'Lead', fields: ['Shoe'] }] }, 'INVALID_FIELD'],
    [{ q: 'ab', sobjects: [{ name: 'Lead', where: "IsConverted = 'x'" }] }, 'INVALID_FIELD'],
    [{ q: 'ab', sobjects: [{ name: 'Lead', where: 'IsConverted' }] }, 'MALFORMED_QUERY'],
    [{ q: 'ab', limit: 5 }, 'INVALID_FIELD'],
  ])('is refused: %j', (body, code) => {
    expect(refusal(search(org(), body))).toEqual([400, code]);
  });
});

describe('the org', () => {
  test('serves many versions, none of those that are gone, and lists them to anybody', () => {
    const platform = org();
    const at = (version: string) => send(platform, `GET /services/data/v${version}/sobjects/Lead/00Q000000000001`);

    expect(refusal(at('30.0'))).toEqual([410, 'UNSUPPORTED_API_VERSION']);
    expect(refusal(at('31.0'))).toEqual([404, 'NOT_FOUND']);
    expect(refusal(at('68.0'))).toEqual([404, 'NOT_FOUND']);
    expect(refusal(at('99.0'))).toEqual([404, 'NOT_FOUND']);
    expect(send(platform, 'GET /services/data/', { headers: { authorization: '' } }).status).toBe(200);
    expect(refusal(send(platform, 'GET query?q=x', { headers: { authorization: '' } }))).toEqual([
      401,
      'INVALID_SESSION_ID',
    ]);
  });

  test('counts requests on every answer, and has an end', () => {
    const platform = org({ dailyRequests: 1 });

    expect(query(platform, 'SELECT Id FROM Lead').status).toBe(200);
    expect(refusal(query(platform, 'SELECT Id FROM Lead'))).toEqual([403, 'REQUEST_LIMIT_EXCEEDED']);
    expect(platform.salesforce.usage).toEqual({ used: 1, limit: 1 });
    platform.salesforce.resetUsage();
    expect(query(platform, 'SELECT Id FROM Lead').status).toBe(200);
  });

  test('is none when the platform speaks the default API’s dialect', () => {
    expect(() => createFakePlatform().salesforce).toThrow(
      "The CRM of this platform doesn't speak Salesforce's dialect",
    );
  });

  test('answers each search under the client’s own name for it', () => {
    const platform = org();
    query(platform, 'SELECT Id FROM Contact');
    send(platform, 'POST parameterizedSearch', { body: { q: 'ab', sobjects: [{ name: 'Lead' }] } });
    query(platform, 'SELECT Id FROM User');

    expect(platform.requests.map(({ operation }) => operation)).toEqual([
      'crm.contacts.search',
      'crm.leads.search',
      'crm.query',
    ]);
  });
});

describe('the token endpoint', () => {
  const ask = async (platform: FakePlatform, form: Record<string, string>, headers: Record<string, string> = {}) => {
    const { crm } = await platform.listen();
    const response = await fetch(`${crm}/services/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers,
    });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };
  const client = { client_id: 'test-consumer-key', client_secret: 'test-consumer-secret' };

  test('gives a token that opens the org, its address, and no expiry', async () => {
    await using platform = org();
    const { crm } = await platform.listen();

    const { status, json } = await ask(platform, { grant_type: 'client_credentials', ...client });

    const { access_token: token, ...rest } = json;
    expect([status, rest]).toEqual([
      200,
      {
        instance_url: crm,
        id: expect.any(String),
        token_type: 'Bearer',
        issued_at: expect.stringMatching(/^\d{13}$/),
        signature: expect.any(String),
        scope: 'api',
      },
    ]);
    const headers = { authorization: `Bearer ${String(token)}` };
    expect(send(platform, 'GET query?q=SELECT%20Id%20FROM%20Lead', { headers }).status).toBe(200);
    platform.crm.acceptOnly('another');
    expect(send(platform, 'GET query?q=SELECT%20Id%20FROM%20Lead', { headers }).status).toBe(401);
  });

  test('takes the client in a header too', async () => {
    await using platform = org();
    const authorization = `Basic ${Buffer.from('test-consumer-key:test-consumer-secret').toString('base64')}`;

    expect((await ask(platform, { grant_type: 'client_credentials' }, { authorization })).status).toBe(200);
  });

  test.each([
    [{ grant_type: 'client_credentials', client_id: client.client_id }, 'invalid_client'],
    [{ grant_type: 'client_credentials', ...client, client_secret: 'x' }, 'invalid_client'],
    [{ grant_type: 'client_credentials', client_id: 'x' }, 'invalid_client_id'],
    [{ grant_type: 'refresh_token', ...client, refresh_token: 'x' }, 'invalid_grant'],
    [{ grant_type: 'password', ...client }, 'unsupported_grant_type'],
    [{ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'a.b.c' }, 'invalid_grant'],
    [{}, 'unsupported_grant_type'],
  ])('refuses %j', async (form, error) => {
    await using platform = org();
    const { status, json } = await ask(platform, form);

    expect([status, json['error']]).toEqual([400, error]);
  });

  test('takes a public client’s refresh token without a secret', async () => {
    await using platform = org();
    const form = { grant_type: 'refresh_token', client_id: client.client_id, refresh_token: 'test-refresh-token' };

    expect((await ask(platform, form)).status).toBe(200);
  });
});
