import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { and, createCrmClient, type CrmOptions, not, or, where } from '../../../src/crm/index.ts';
import { hubspot, type HubSpotOptions } from '../../../src/crm/hubspot/index.ts';
import type { Middleware } from '../../../src/index.ts';
import {
  createFakePlatform,
  type FakePlatformOptions,
  type Fault,
  testCredentials,
} from '../../../src/dev/testing/index.ts';

const collect = async <Row>(rows: AsyncIterable<Row>): Promise<readonly Row[]> => {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
};

const connect = async (
  options?: HubSpotOptions,
  fake: FakePlatformOptions['crm'] = 'hubspot',
  client?: Partial<CrmOptions>,
) => {
  const platform = createFakePlatform({ crm: fake });
  const { crm: baseUrl } = await platform.listen();
  const authenticate = bearer(() => testCredentials.crm);
  const crm = createCrmClient({ ...hubspot(options), baseUrl, authenticate, ...client });
  return {
    platform,
    baseUrl,
    crm,
    account: platform.hubspot,
    [Symbol.asyncDispose]: async () => {
      await crm.close();
      await platform.close();
    },
  };
};

describe('records', () => {
  test('a lead is a contact whose lifecycle stage is lead', async () => {
    await using org = await connect();
    const { id } = await org.crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com' });

    expect(org.account.records('contacts')[0]?.properties).toMatchObject({
      firstname: 'Ada',
      lastname: 'Lovelace',
      email: 'ada@example.com',
      lifecyclestage: 'lead',
    });
    expect(await org.crm.leads.get(id)).toMatchObject({ Id: id, FirstName: 'Ada', IsConverted: false, Status: 'lead' });
  });

  test('a Task, a case, an opportunity and an appointment are associated in the request that makes them', async () => {
    await using org = await connect();
    const { crm, account } = org;
    const { id: WhoId } = await crm.contacts.create({ LastName: 'Okafor', Email: 'ngozi@example.com' });
    const { id: AccountId } = await crm.accounts.create({ Name: 'Northwind', NumberOfEmployees: 12 });
    const { id: WhatId } = await crm.opportunities.create({
      Name: 'Oven',
      StageName: 'appointmentscheduled',
      AccountId,
    });
    const { id: caseId } = await crm.cases.create({ Subject: 'Stuck door', ContactId: WhoId, Priority: 'High' });
    const { id: taskId } = await crm.tasks.create({ Subject: 'Call', Status: 'Completed', WhoId, WhatId });
    const times = { StartDateTime: '2026-11-24T14:00:00Z', DurationInMinutes: 30 };
    const { id: eventId } = await crm.events.create({ Subject: 'Visit', ...times, WhoId });

    const made = org.platform.requests.filter(({ method }) => method !== 'GET');
    expect(made.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual(
      ['contacts', 'companies', 'deals', 'tickets', 'tasks', 'meetings'].map(
        (type) => `POST /crm/objects/2026-09/${type} 201`,
      ),
    );
    expect(account.records('deals')[0]?.associations).toEqual({ companies: [AccountId], tasks: [taskId] });
    expect(account.records('tickets')[0]).toMatchObject({
      properties: { hs_pipeline_stage: '1', hs_ticket_priority: 'HIGH' },
      associations: { contacts: [WhoId] },
    });
    expect(account.records('tasks')[0]).toMatchObject({
      properties: { hs_task_status: 'COMPLETED' },
      associations: { contacts: [WhoId], deals: [WhatId] },
    });
    expect(await crm.events.get(eventId)).toMatchObject({ WhoId, EndDateTime: '2026-11-24T14:30:00.000Z' });
    expect(await crm.cases.get(caseId)).toMatchObject({ ContactId: WhoId, CaseNumber: caseId, IsClosed: false });
    expect(await crm.accounts.get(AccountId)).toMatchObject({ Name: 'Northwind', NumberOfEmployees: 12 });
  });

  test('an update sets properties, then associations', async () => {
    await using org = await connect();
    const { id: WhoId } = await org.crm.contacts.create({ LastName: 'Okafor' });
    const { id } = await org.crm.tasks.create({ Subject: 'Call' });

    await org.crm.tasks.update(id, { Description: 'Rang twice.', WhoId });
    await org.crm.tasks.update(id, { WhoId });

    expect(org.platform.requests.slice(2).map(({ method, path }) => `${method} ${path}`)).toEqual([
      `PATCH /crm/objects/2026-09/tasks/${id}`,
      `PUT /crm/objects/2026-09/tasks/${id}/associations/default/contacts/${WhoId}`,
      `PUT /crm/objects/2026-09/tasks/${id}/associations/default/contacts/${WhoId}`,
    ]);
    expect(await org.crm.tasks.get(id)).toMatchObject({ Description: 'Rang twice.', WhoId });
  });

  test('a Task may be a call, with its direction and duration', async () => {
    await using org = await connect({ tasksAs: 'calls' });
    const call = { Subject: 'Inbound call', CallType: 'Inbound', CallDurationInSeconds: 90, Status: 'Completed' };

    const { id } = await org.crm.tasks.create(call);

    expect(org.account.records('calls')[0]?.properties).toMatchObject({
      hs_call_direction: 'INBOUND',
      hs_call_duration: '90000',
      hs_call_status: 'COMPLETED',
    });
    expect(await org.crm.tasks.get(id)).toMatchObject({ CallDurationInSeconds: 90 });
  });

  test('notes and calls are records of their own names', async () => {
    await using org = await connect();
    const { id: WhoId } = await org.crm.contacts.create({ LastName: 'Okafor' });

    const { id } = await org.crm.records('notes').create({ hs_note_body: 'Prefers mornings.', WhoId });

    expect(org.account.records('notes')).toMatchObject([{ id, associations: { contacts: [WhoId] } }]);
  });

  test('an upsert by e-mail makes a contact once', async () => {
    await using org = await connect();
    const by = { field: 'Email', value: 'ada@example.com' };

    const first = await org.crm.contacts.upsert(by, { FirstName: 'Ada' });
    const second = await org.crm.contacts.upsert(by, { LastName: 'Lovelace' });

    expect([first.created, second.created, second.id]).toEqual([true, false, first.id]);
    expect(org.account.records('contacts')).toMatchObject([
      { properties: { firstname: 'Ada', lastname: 'Lovelace', email: 'ada@example.com' } },
    ]);
  });

  test('owners are users: found by e-mail, read by id, and listed', async () => {
    await using org = await connect();
    const { id } = org.account.add('owners', { email: 'kim@acme.example', firstname: 'Kim', lastname: 'Lee' });
    for (let count = 0; count < 510; count += 1) org.account.add('owners', { email: `agent${count}@acme.example` });
    const users = org.crm.records('User');

    const found = await users.search({ where: where('Email', '=', 'kim@acme.example') });
    expect(found.data.map(({ Id }) => Id)).toEqual([id]);
    expect(await users.get(id)).toMatchObject({ Id: id, Email: 'kim@acme.example', Name: 'Kim Lee', IsActive: true });
    expect(await users.get('7')).toBeUndefined();
    expect(await collect(org.crm.query('User', { fields: ['Email'] }))).toHaveLength(511);
    expect(org.platform.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /crm/owners/2026-09?email=kim%40acme.example&limit=200',
      `GET /crm/owners/2026-09/${id}`,
      'GET /crm/owners/2026-09/7',
      'GET /crm/owners/2026-09?limit=500',
      'GET /crm/owners/2026-09?limit=500&after=500',
    ]);
    await expect(users.search({ where: where('Name', '=', 'Kim') })).rejects.toMatchObject({ field: 'where' });
  });

  test('several writes in one request are refused with what to do', async () => {
    await using org = await connect();

    await expect(org.crm.composite({ a: { create: 'Account', fields: { Name: 'x' } } })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('one after the other'),
    });
    expect(org.platform.requests).toEqual([]);
  });
});

describe('searches', () => {
  test('a phone number is found however it is written', async () => {
    await using org = await connect();
    const ada = org.account.add('contacts', {
      lastname: 'Lovelace',
      phone: '(415) 555-0100',
      lifecyclestage: 'customer',
    });
    const bob = org.account.add('contacts', { lastname: 'Lee', mobilephone: '+14155550100', lifecyclestage: 'lead' });

    expect((await org.crm.contacts.search({ phone: '+14155550100', limit: 5 })).data).toMatchObject([{ Id: ada.id }]);
    expect((await org.crm.leads.search({ phone: '+14155550100', limit: 5 })).data).toMatchObject([{ Id: bob.id }]);
  });

  test('a person without a stage is a contact', async () => {
    await using org = await connect();
    const { id } = org.account.add('contacts', { email: 'ada@example.com' });

    expect((await org.crm.contacts.search({ email: 'ada@example.com' })).data).toMatchObject([{ Id: id }]);
    expect((await org.crm.leads.search({ email: 'ada@example.com' })).data).toEqual([]);
  });

  test('leads don’t hide a contact with the same number', async () => {
    await using org = await connect();
    const { id } = org.account.add('contacts', { phone: '+14155550100', lifecyclestage: 'customer' });
    for (let count = 0; count < 5; count += 1)
      org.account.add('contacts', { phone: '+14155550100', lifecyclestage: 'lead' });

    expect((await org.crm.contacts.search({ phone: '+14155550100' })).data.map(({ Id }) => Id)).toEqual([id]);
  });

  test('open cases of a contact are found by their association', async () => {
    await using org = await connect(undefined, { dialect: 'hubspot', searchDelayMs: 0 });
    const { id: ContactId } = await org.crm.contacts.create({ LastName: 'Okafor' });
    const { id } = await org.crm.cases.create({ Subject: 'Stuck door', ContactId });
    const other = await org.crm.cases.create({ Subject: 'Done', ContactId, closed_date: '2026-01-01T00:00:00Z' });

    const open = await org.crm.cases.search({ contactId: ContactId, isClosed: false, limit: 9 });
    const closed = await org.crm.cases.search({ contactId: ContactId, isClosed: true, limit: 9 });

    expect(open.data.map(({ Id }) => Id)).toEqual([id]);
    expect(closed.data.map(({ Id }) => Id)).toEqual([other.id]);
  });

  test('pages are read to their end, and no further than a limit', async () => {
    await using org = await connect();
    for (let count = 0; count < 450; count += 1) org.account.add('companies', { name: `Shop ${count}`, city: 'Turin' });
    const inTurin = where('BillingCity', '=', 'Turin');

    const all = await collect(org.crm.accounts.searchAll({ where: inTurin }));
    const some = await collect(org.crm.query('Account', { fields: ['Name'], where: inTurin, limit: 210 }));

    expect([all.length, some.length]).toEqual([450, 210]);
    expect(org.platform.requests.slice(0, 3).map(({ body }) => (body as { after?: string }).after)).toEqual([
      undefined,
      '200',
      '400',
    ]);
  });

  test('a new record isn’t found before its delay', async () => {
    await using org = await connect();
    await org.crm.contacts.create({ Email: 'ada@example.com' });

    expect((await org.crm.contacts.search({ email: 'ada@example.com' })).data).toEqual([]);
  });

  test('conditions become groups of filters', async () => {
    await using org = await connect();
    const either = or(where('LastName', '=', 'Lee'), where('Title', 'contains', 'baker'));

    await org.crm.contacts.search({ where: and(either, not(where('City', 'in', ['Turin']))) }).catch(() => {});
    await org.crm.contacts.search({ where: and(either, not(where('MailingCity', 'in', ['Turin']))) });

    const turin = { propertyName: 'city', operator: 'NOT_IN', values: ['turin'] };
    expect(org.platform.requests.at(-1)).toMatchObject({
      status: 200,
      body: {
        filterGroups: [
          { filters: [{ propertyName: 'lastname', operator: 'EQ', value: 'Lee' }, turin] },
          { filters: [{ propertyName: 'jobtitle', operator: 'CONTAINS_TOKEN', value: '*baker*' }, turin] },
        ],
      },
    });
  });

  test.each(['" OR 1=1', '{"operator":"HAS_PROPERTY"}', '*', '\u0000\u2028'])(
    'the text %j is a value and nothing else',
    async (text) => {
      await using org = await connect();
      org.account.add('companies', { name: 'Northwind' });

      expect((await org.crm.accounts.search({ name: text })).data).toEqual([]);
      expect(org.platform.requests.at(-1)).toMatchObject({
        status: 200,
        body: { filterGroups: [{ filters: [{ propertyName: 'name', operator: 'EQ', value: text }] }] },
      });
    },
  );

  test('more than HubSpot takes is refused before it is sent', async () => {
    await using org = await connect();
    const cities = Array.from({ length: 6 }, (_, index) => where('BillingCity', '=', `City ${index}`));

    await expect(org.crm.accounts.search({ name: 'x'.repeat(3000) })).rejects.toMatchObject({ field: 'where' });
    await expect(org.crm.accounts.search({ where: or(...cities) })).rejects.toMatchObject({ field: 'where' });
    await expect(org.crm.accounts.get('1', { fields: ['Owner.Name'] })).rejects.toMatchObject({ field: 'Owner.Name' });
    expect(org.platform.requests).toEqual([]);
  });
});

describe('people whom a search doesn’t know yet', () => {
  const phone = '+14155550100';
  const idsOf = ({ data, total }: { readonly data: readonly { readonly Id: string }[]; readonly total: number }) => ({
    ids: data.map(({ Id }) => Id),
    total,
  });

  test('a search by phone finds one whom this client has just made, with the fields it asks for', async () => {
    await using org = await connect();
    const { id } = await org.crm.leads.create({ LastName: 'Lee', Phone: phone, City: 'Turin' });

    expect(await org.crm.leads.search({ phone, limit: 5, fields: ['City'] })).toMatchObject({
      data: [{ Id: id, City: 'Turin', Phone: phone, Status: 'lead' }],
      total: 1,
    });
  });

  test('one whose number has changed since is left out', async () => {
    await using org = await connect();
    const { id } = await org.crm.leads.create({ LastName: 'Lee', Phone: phone });
    const other = await org.crm.leads.create({ LastName: 'Kim', MobilePhone: phone });
    await org.crm.leads.update(id, { Phone: '+14155550199' });

    expect(idsOf(await org.crm.leads.search({ phone, limit: 5 }))).toEqual({ ids: [other.id], total: 1 });
  });

  test.each<[string, Fault]>([
    ['the server fails', { status: 503, times: 9 }],
    ['the server doesn’t answer', { stall: 'headers' }],
  ])('one that can’t be read since %s doesn’t fail the search', async (_, fault) => {
    await using org = await connect(undefined, 'hubspot', { backoff: { minimumMs: 0, maximumMs: 0 } });
    const known = org.account.add('contacts', { phone, lifecyclestage: 'lead' });
    await org.crm.leads.create({ LastName: 'Lee', Phone: phone });
    org.platform.fault('crm.contacts.get', [fault]);

    const found = await org.crm.leads.search({ phone, limit: 5 }, { deadline: 400 });
    expect(idsOf(found)).toEqual({ ids: [known.id], total: 1 });
  });

  test('a caller who gives up ends the search', async () => {
    await using org = await connect();
    await org.crm.leads.create({ LastName: 'Lee', Phone: phone });
    org.platform.fault('crm.contacts.get', [{ stall: 'headers' }]);
    const stop = new AbortController();

    const search = org.crm.leads.search({ phone, limit: 5 }, { signal: stop.signal });
    await vi.waitFor(() => expect(org.platform.requests.at(-1)).toMatchObject({ method: 'GET' }));
    stop.abort();

    await expect(search).rejects.toMatchObject({ code: 'aborted' });
  });

  test('one deadline is for the search and for all that is read after it', async () => {
    const deadlines: unknown[] = [];
    const noteDeadline: Middleware = (request, next) => {
      deadlines.push(request.deadline);
      return next(request);
    };
    await using org = await connect(undefined, 'hubspot', { middleware: { perRequest: [noteDeadline] } });
    await org.crm.leads.create({ LastName: 'Lee', Phone: phone });
    deadlines.length = 0;

    await org.crm.leads.search({ phone }, { deadline: 4_000 });

    expect([deadlines.length, new Set(deadlines).size]).toEqual([2, 1]);
  });

  test('two whom HubSpot has merged are one', async () => {
    await using org = await connect();
    for (const Email of ['lee@example.com', 'lee@example.net'])
      await org.crm.leads.create({ LastName: 'Lee', Email, Phone: phone });
    // HubSpot answers with the record that is left.
    const left = { id: '7', properties: { phone, lifecyclestage: 'lead' } };
    org.platform.fault('crm.contacts.get', [{ status: 200, body: left, times: 2 }]);

    expect(idsOf(await org.crm.leads.search({ phone, limit: 5 }))).toEqual({ ids: ['7'], total: 1 });
  });
});

describe('refusals and limits', () => {
  test('a property that does not exist is named', async () => {
    await using org = await connect();

    await expect(org.crm.records('notes').create({ hs_note_body: 'Rang.', region: 'EMEA' })).rejects.toMatchObject({
      status: 400,
      codes: expect.arrayContaining(['PROPERTY_DOESNT_EXIST', 'VALIDATION_ERROR']),
      problems: expect.arrayContaining([expect.objectContaining({ fields: ['region'] })]),
    });
  });

  test('a doubled e-mail address names the contact that has it', async () => {
    await using org = await connect();
    const { id } = await org.crm.leads.create({ LastName: 'Lee', Email: 'lee@example.com' });

    await expect(org.crm.leads.create({ LastName: 'Lee', Email: 'lee@example.com' })).rejects.toMatchObject({
      status: 409,
      problems: [expect.objectContaining({ code: 'CONFLICT', ids: [id] })],
    });
  });

  test('a scope that is missing is a refusal with its category', async () => {
    const missingScopes = ['crm.objects.contacts.write'];
    await using org = await connect(undefined, { dialect: 'hubspot', missingScopes });

    await expect(org.crm.leads.create({ LastName: 'Lee' })).rejects.toMatchObject({ codes: ['MISSING_SCOPES'] });
  });

  test('the daily budget is reported, and its end stops the client', async () => {
    await using org = await connect(undefined, { dialect: 'hubspot', dailyRequests: 2 });
    await org.crm.accounts.create({ Name: 'Northwind' });

    expect(org.crm.status().usage).toEqual({ used: 1, limit: 2 });
    await org.crm.accounts.create({ Name: 'Eastwind' });
    await expect(org.crm.accounts.create({ Name: 'Westwind' })).rejects.toMatchObject({ retryAfterMs: 900_000 });
  });

  const tenSeconds = {
    status: 429,
    body: {
      status: 'error',
      message: 'You have reached your ten_secondly_rolling limit.',
      errorType: 'RATE_LIMIT',
      policyName: 'TEN_SECONDLY_ROLLING',
    },
  } as const;

  test.each(['with', 'without'])('a 429 of the ten seconds ends a live call at once, %s Retry-After', async (word) => {
    await using org = await connect();
    org.platform.fault('crm.contacts.get', [{ ...tenSeconds, ...(word === 'with' ? { retryAfter: 10 } : {}) }]);

    await expect(org.crm.contacts.get('1')).rejects.toMatchObject({
      code: 'max_retries_exceeded',
      reason: 'rate_limited',
      outcome: 'rejected',
      retryAfterMs: 10_000,
    });
    // The other calls of the app know it too, and don't wait for what doesn't come in time.
    await expect(org.crm.contacts.get('1')).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterMs: expect.closeTo(10_000, -3),
    });
    expect(org.platform.requests).toHaveLength(1);
  });

  test('and work with more time waits the ten seconds', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const answers = [Response.json(tenSeconds.body, { status: 429 }), Response.json({ id: '1', properties: {} })];
    const sentAt: number[] = [];
    const crm = createCrmClient({
      ...hubspot(),
      authenticate: bearer(() => 'token'),
      maximumDeadlineMs: 60_000,
      fetch: async () => {
        sentAt.push(performance.now());
        return answers[sentAt.length - 1] ?? Response.error();
      },
    });

    const read = crm.contacts.get('1', { deadline: 30_000 });
    await vi.advanceTimersByTimeAsync(15_000);

    expect(await read).toMatchObject({ Id: '1' });
    expect(sentAt[1]! - sentAt[0]!).toBeGreaterThanOrEqual(10_000);
  });

  test('HubSpot refuses a sixth search within a second', async () => {
    await using org = await connect();
    const search = () =>
      fetch(`${org.baseUrl}/crm/objects/2026-09/contacts/search`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testCredentials.crm}`, 'content-type': 'application/json' },
        body: '{}',
      });

    const answers = await Promise.all(Array.from({ length: 6 }, search));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(answers[0]?.headers.get('x-hubspot-ratelimit-remaining')).toBeNull();
    expect(await answers[5]?.json()).toEqual({
      status: 'error',
      message: 'You have reached your secondly limit.',
      correlationId: expect.any(String),
      category: 'RATE_LIMITS',
      errorType: 'RATE_LIMIT',
      policyName: 'SECONDLY',
    });
  });

  test.each([
    ['a property that it lacks', { propertyName: 'favourite_bread', operator: 'EQ', value: 'rye' }],
    ['an operator that it lacks', { propertyName: 'name', operator: 'LIKE', value: 'N' }],
    ['a value for an operator without one', { propertyName: 'name', operator: 'HAS_PROPERTY', value: 'N' }],
  ])('HubSpot refuses a filter with %s', async (_, filter) => {
    await using org = await connect();

    const search = org.crm.request({
      operation: 'crm.accounts.search',
      method: 'POST',
      path: 'objects/2026-09/companies/search',
      effect: 'read',
      body: { filterGroups: [{ filters: [filter] }] },
      returns: (json) => json,
    });

    await expect(search).rejects.toMatchObject({ status: 400, codes: ['VALIDATION_ERROR'] });
  });

  test('searches are sent five a second, and other requests don’t wait for them', async () => {
    await using org = await connect();
    const { id } = await org.crm.accounts.create({ Name: 'Westwind' });
    org.account.add('companies', { name: 'Northwind' });
    const searches = Array.from({ length: 6 }, () => org.crm.accounts.search({ name: 'Northwind' }));
    await vi.waitFor(() => expect(org.platform.requests).toHaveLength(6));

    await org.crm.accounts.get(id);
    expect(org.platform.requests).toHaveLength(7);

    expect((await Promise.all(searches)).map(({ total }) => total)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(org.platform.requests.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 200, 200, 200]);
  });

  test('when no request is left of ten seconds, the next one waits', async () => {
    await using org = await connect(undefined, { dialect: 'hubspot', rateLimit: { limit: 2, perMs: 10_000 } });
    await org.crm.accounts.create({ Name: 'Northwind' });
    expect(org.crm.status().rateLimit.pausedForMs).toBe(0);

    await org.crm.accounts.create({ Name: 'Eastwind' });

    expect(org.crm.status().rateLimit.pausedForMs).toBeGreaterThan(0);
  });

  test('a new lead whose end is unknown is looked up by its address, not made twice', async () => {
    await using org = await connect();
    org.platform.fault('crm.leads.create', [{ executeThenDrop: true }]);

    const { id } = await org.crm.leads.create({ LastName: 'Lee', Email: 'lee@example.com' });

    expect(org.account.records('contacts').map((contact) => contact.id)).toEqual([id]);
  });

  test('a new lead without an address isn’t sent again, since a search is behind', async () => {
    await using org = await connect();
    org.platform.fault('crm.leads.create', [{ executeThenDrop: true }]);

    await expect(org.crm.leads.create({ LastName: 'Lee', Phone: '+14155550100' })).rejects.toMatchObject({
      outcome: 'unknown',
    });
    expect(org.account.records('contacts')).toHaveLength(1);
  });
});
