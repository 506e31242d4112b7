import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createTaskClaim } from '../../../src/phone-call/steps/task-claim.ts';
import { logCall } from '../../../src/phone-call/steps/log-call.ts';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { qualifyLead } from '../../../src/phone-call/steps/qualify-lead.ts';
import {
  duplicateIds,
  hasErrorCode,
  isDuplicate,
  ruleRefusals,
  salesforce,
} from '../../../src/crm/salesforce/index.ts';
import { ClientError, QuotaExceededError } from '../../../src/core/errors.ts';
import { salesforceFaults } from '../../../src/dev/testing/index.ts';
import * as timers from '../../../src/core/timers.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { failureOf } from '../../support/connect.ts';
import { connectSalesforce, queriesOf, sentTo } from '../../support/connected-salesforce.ts';

const lead = { LastName: 'Okafor', Company: 'Northwind', Email: 'ngozi@example.com', Phone: '+14155550100' };
const call = { callId: 'CA1', direction: 'Inbound', startedAt: '2026-11-21T10:00:00Z' } as const;
const key = { idempotencyKey: 'CA1:lead' };
const upserts = { preset: { externalIdField: 'Call_Id__c' } };

describe('a lead is looked for', () => {
  test('with a query of our own, the open ones first, whatever the format and field of its phone', async () => {
    await using org = await connectSalesforce();
    const { platform, crm } = org;
    const converted = platform.crm.addLead({ ...lead, Phone: '(415) 555-0100' });
    platform.crm.convertLead(converted.Id);
    const open = platform.crm.addLead({ ...lead, Phone: undefined, MobilePhone: '415.555.0100' });

    const { data, total } = await crm.leads.search({ phone: lead.Phone });

    expect([total, data[0]?.Id]).toEqual([1, open.Id]);
    expect(queriesOf(platform)[0]).toMatch(
      /^SELECT Id, .* FROM Lead WHERE Phone IN \('\+14155550100', '14155550100', '4155550100', .*'\(415\) 555-0100'.*\) OR MobilePhone IN \(.*\) ORDER BY IsConverted ASC, LastModifiedDate DESC LIMIT 1$/,
    );
  });

  test.each([
    ['+442071838750', '+44 20 7183 8750'],
    ['+442071838750', '020 7183 8750'],
    ['+15551234567', '(555) 123-4567'],
  ])('by %s when its phone is %s', async (e164, MobilePhone) => {
    await using org = await connectSalesforce();
    const { Id } = org.platform.crm.addContact({ LastName: 'Okafor', MobilePhone });
    org.platform.crm.addContact({ LastName: 'Roe', MobilePhone: '+44 20 7183 8751' });

    expect((await org.crm.contacts.search({ phone: e164, limit: 10 })).data.map((found) => found.Id)).toEqual([Id]);
  });

  test('among the open ones alone, when that is asked', async () => {
    await using org = await connectSalesforce();
    const { platform, crm } = org;
    const { Id } = platform.crm.addLead(lead);
    platform.crm.convertLead(Id);

    expect(await crm.leads.search({ email: lead.Email, isConverted: false })).toEqual({ data: [], total: 0 });
    expect((await crm.leads.search({ email: lead.Email })).data[0]).toMatchObject({
      Id,
      IsConverted: true,
      ConvertedContactId: platform.crm.contacts[0]?.Id,
      ConvertedOpportunityId: platform.crm.opportunities[0]?.Id,
      OwnerId: expect.any(String),
    });
    expect(queriesOf(platform)[0]).toContain("WHERE Email = 'ngozi@example.com' AND IsConverted = false ORDER");
  });

  test('by its digits too, when the org writes numbers in its own way', async () => {
    await using org = await connectSalesforce({ preset: { phoneSearch: 'digits' } });
    const { platform, crm } = org;
    const { Id } = platform.crm.addContact({ LastName: 'Okafor', OtherPhone: 'call 415/555--0100' });

    expect((await crm.contacts.search({ phone: lead.Phone })).data[0]?.Id).toBe(Id);
    expect(queriesOf(platform)).toHaveLength(2);
    expect(queriesOf(platform)[1]).toContain("OR OtherPhone LIKE '%4%1%5%5%5%5%0%1%0%0' ORDER");
  });

  test('by the search index when no query finds it, the open ones first', async () => {
    await using org = await connectSalesforce({ preset: { phoneSearch: 'index' }, org: { searchDelayMs: 0 } });
    const { platform, crm } = org;
    const before = platform.crm.addLead({ ...lead, Phone: '1 415 555 0100 ' });
    platform.crm.convertLead(before.Id);
    const { Id } = platform.crm.addLead({ ...lead, Phone: '415/555--0100' });

    expect((await crm.leads.search({ phone: lead.Phone })).data[0]?.Id).toBe(Id);
    expect((await crm.leads.search({ email: lead.Email })).data[0]?.Id).toBe(Id);
    expect((await crm.leads.search({ phone: '+14155550199', email: lead.Email })).data[0]?.Id).toBe(Id);
    expect(sentTo(platform).map((line) => line.split('?')[0])).toEqual([
      'GET query',
      'POST parameterizedSearch',
      'GET query',
      'GET query',
    ]);
    expect(platform.requests[1]?.body).toMatchObject({
      q: '4155550100',
      in: 'PHONE',
      sobjects: [{ name: 'Lead', limit: 1, where: 'IsConverted = false' }],
      overallLimit: 1,
    });
  });

  test('also when the search index does not know the lead of a minute ago', async () => {
    await using org = await connectSalesforce({ preset: { phoneSearch: 'index' } });
    const { platform, crm } = org;
    const first = await qualifyLead({ crm }, { ...call, lead: { ...lead, Email: undefined } });
    const second = await qualifyLead({ crm }, { ...call, callId: 'CA2', lead: { ...lead, Email: undefined } });

    expect([first.outcome, second.outcome]).toEqual(['lead_created', 'open_lead']);
    expect(platform.crm.leads).toHaveLength(1);
  });

  test('in the formats that the application gives', async () => {
    await using org = await connectSalesforce({
      preset: { phoneFormats: (e164) => [e164, '030 1234567'], phoneFields: { Contact: ['HomePhone'] } },
    });
    const { platform, crm } = org;
    const { Id } = platform.crm.addContact({ LastName: 'Meier', HomePhone: '030 1234567' });

    expect((await crm.contacts.search({ phone: '+49301234567' })).data[0]?.Id).toBe(Id);
    expect(queriesOf(platform)[0]).toContain("WHERE HomePhone IN ('+49301234567', '030 1234567') ORDER");
  });

  test('page after page, each record once, when all of them are wanted', async () => {
    await using org = await connectSalesforce({ org: { pageSize: 2 }, preset: { phoneSearch: 'digits' } });
    const { platform, crm } = org;
    const ids = [1, 2, 3, 4, 5].map(() => platform.crm.addLead(lead).Id);

    const found: string[] = [];
    for await (const { Id } of crm.leads.searchAll({ phone: lead.Phone })) found.push(Id);

    expect(found.toSorted()).toEqual(ids.toSorted());
    expect(sentTo(platform).map((line) => line.split('?')[0])).toEqual([
      'GET query',
      'GET query/01g000000000001AAA-2',
      'GET query/01g000000000001AAA-4',
      'GET query',
      'GET query/01g000000000001AAA-2',
      'GET query/01g000000000001AAA-4',
    ]);
  });
});

describe('a record is created', () => {
  test('as its id alone, and never twice: without a key it is looked for after an end that is not known', async () => {
    await using org = await connectSalesforce();
    const { platform, crm } = org;
    platform.fault('crm.leads.create', [{ executeThenDrop: true }]);

    expect(await crm.leads.create(lead)).toEqual({ id: platform.crm.leads[0]?.Id });
    expect(platform.crm.leads).toHaveLength(1);
    expect(queriesOf(platform)[0]).toContain('AND IsConverted = false');
  });

  test('by the name of its object too, and is looked for in the same way', async () => {
    await using org = await connectSalesforce();
    const { platform, crm } = org;
    platform.fault('crm.leads.create', [{ executeThenDrop: true }]);

    expect(await crm.records('Lead').create(lead)).toEqual({ id: platform.crm.leads[0]?.Id });
    expect(platform.crm.leads).toHaveLength(1);
  });

  test('and says that it may stand where no search can tell', async () => {
    await using org = await connectSalesforce();
    org.platform.fault('crm.cases.create', [{ executeThenDrop: true }]);

    const error = await failureOf(org.crm.cases.create({ Subject: 'No sound' }, { idempotencyKey: 'CA1:case' }));

    expect(error).toMatchObject({ code: 'max_retries_exceeded', attempts: 1, outcome: 'unknown' });
    expect(error).not.toHaveProperty('idempotencyKey');
  });

  test('by an external id: the same key is the same record, however often it is sent', async () => {
    await using org = await connectSalesforce(upserts);
    const { platform, crm } = org;
    platform.fault('crm.tasks.create', [{ executeThenDrop: true }, { status: 503 }]);

    const task = { Subject: 'Inbound call', CallType: 'Inbound' };
    const { id } = await crm.tasks.create(task, { idempotencyKey: 'CA1:task' });

    expect(platform.crm.tasks).toMatchObject([{ Id: id, Subject: 'Inbound call', Call_Id__c: 'CA1:task' }]);
    expect(sentTo(platform)).toEqual(Array.from({ length: 3 }, () => 'PATCH sobjects/Task/Call_Id__c/CA1%3Atask'));
    expect([platform.effects('crm.tasks.create'), platform.effects('crm.tasks.update')]).toEqual([1, 1]);
    expect(await crm.tasks.create(task, { idempotencyKey: 'CA1:task' })).toMatchObject({ id, created: false });
  });

  test('by an external id also after its end was not known, since the error says that repeating is safe', async () => {
    await using org = await connectSalesforce(upserts);
    org.platform.fault('crm.leads.create', [{ status: 500 }, { status: 500 }, { status: 500 }]);

    expect(await failureOf(org.crm.leads.create(lead, key))).toMatchObject({
      outcome: 'unknown',
      idempotencyKey: 'CA1:lead',
      codes: ['UNKNOWN_EXCEPTION'],
    });
  });

  test('not at all when several records have the external id, and the error lists the ids', async () => {
    await using org = await connectSalesforce(upserts);
    const { platform, crm } = org;
    const ids = [1, 2].map(() => platform.crm.addLead({ ...lead, Call_Id__c: 'CA1:lead' }).Id);

    const error = await failureOf(crm.leads.create(lead, key));

    expect(error).toMatchObject({
      code: 'client_error',
      status: 300,
      outcome: 'rejected',
      codes: ['DUPLICATE_EXTERNAL_ID'],
    });
    expect(duplicateIds(error)).toEqual(ids);
    expect(platform.crm.leads).toHaveLength(2);
  });

  test('under the assignment rule and the duplicate rule that the application chose', async () => {
    await using org = await connectSalesforce({
      org: { assignTo: '005000000000099', duplicateRule: 'alert' },
      preset: { assignmentRule: 'none', duplicateRule: { allowSave: true } },
    });
    const { platform, crm } = org;
    platform.crm.addContact({ LastName: 'Okafor', Email: lead.Email });

    await crm.leads.create(lead);

    expect(platform.crm.leads[0]?.OwnerId).toBe('005000000000001');
    expect(platform.requests[0]?.headers).toMatchObject({
      'sforce-auto-assign': 'FALSE',
      'sforce-duplicate-rule-header': 'allowSave=true',
    });
    await crm.tasks.create({ Subject: 'x' });
    expect(platform.requests[1]?.headers).not.toHaveProperty('sforce-auto-assign');
  });

  test('and updated, which gives its id', async () => {
    await using org = await connectSalesforce();
    const { Id } = org.platform.crm.addLead(lead);

    expect(await org.crm.leads.update(Id, { Status: 'Working' })).toEqual({ id: Id });
    expect(org.platform.requests[0]?.status).toBe(204);
  });
});

describe('a refusal', () => {
  test.each(['duplicateResult', 'duplicateResut'] as const)(
    'for duplicates names them, spelt %s, and the call goes on with the contact',
    async (spelling) => {
      await using org = await connectSalesforce({
        ...upserts,
        org: { duplicateRule: 'block', duplicateSpelling: spelling },
      });
      const { platform, crm } = org;
      const other = platform.crm.addLead({ LastName: 'Okafor', Company: 'Northwind', Email: lead.Email });
      const { Id } = platform.crm.addContact({ LastName: 'Okafor', Email: lead.Email });

      const error = await failureOf(crm.leads.create(lead, key));
      expect([isDuplicate(error), hasErrorCode(error, 'DUPLICATES_DETECTED')]).toEqual([true, true]);
      expect(duplicateIds(error)).toEqual([Id, other.Id]);

      // The search knows nothing yet, the rule does.
      platform.fault('crm.contacts.search', [noRows, noRows]);
      platform.fault('crm.leads.search', [noRows, noRows]);
      expect(await qualifyLead({ crm }, { ...call, lead })).toMatchObject({
        outcome: 'contact_task',
        contactId: Id,
        matchedBy: 'duplicate',
        complete: true,
      });
      expect(platform.crm.tasks).toMatchObject([{ WhoId: Id }]);
    },
  );

  test('for duplicates with all their fields is read whole, however long it is', async () => {
    await using org = await connectSalesforce();
    const { platform, crm } = org;
    const matches = Array.from({ length: 100 }, (_, index) => ({
      type: 'Lead' as const,
      id: `00Q${String(index).padStart(12, '0')}`,
    }));
    platform.fault('crm.leads.create', [salesforceFaults.duplicates(matches, 'duplicateResut')]);

    const error = await failureOf(crm.leads.create(lead));

    expect(duplicateIds(error)).toEqual(matches.map(({ id }) => id));
    expect(error instanceof ClientError && typeof error.details).toBe('string');

    const { Id } = platform.crm.addContact({ LastName: 'Okafor' });
    platform.fault('crm.leads.create', [salesforceFaults.duplicates([...matches, { type: 'Contact', id: Id }])]);
    expect(await qualifyLead({ crm }, { ...call, lead })).toMatchObject({ outcome: 'contact_task', contactId: Id });
  });

  test('by a validation rule gives its words and fields', async () => {
    await using org = await connectSalesforce();
    org.platform.fault('crm.leads.create', [
      salesforceFaults.validationRule('Company size is needed for EMEA.', ['NumberOfEmployees']),
    ]);

    const error = await failureOf(org.crm.leads.create(lead));

    expect(ruleRefusals(error)).toEqual([
      { message: 'Company size is needed for EMEA.', fields: ['NumberOfEmployees'] },
    ]);
    expect(error).toMatchObject({ status: 400, outcome: 'rejected', codes: ['FIELD_CUSTOM_VALIDATION_EXCEPTION'] });
    expect(JSON.stringify(error)).not.toContain('EMEA');
  });

  test('because the version is gone says so', async () => {
    await using org = await connectSalesforce();
    org.platform.fault('crm.leads.search', [salesforceFaults.retiredVersion]);

    expect((await failureOf(org.crm.leads.search({ email: lead.Email }))).message).toBe(
      'crm.leads.search was refused by the API with status 410: it does not serve version 60.0; pin another one',
    );
  });

  test('because a row is locked is repeated when that is wanted, and nothing is done twice', async () => {
    await using org = await connectSalesforce({ preset: { retryLockedRows: true } });
    const { platform, crm } = org;
    platform.fault('crm.tasks.create', [salesforceFaults.lockedRow, salesforceFaults.lockedRow]);

    await crm.tasks.create({ Subject: 'Inbound call' });

    expect([platform.requests.length, platform.crm.tasks.length]).toEqual([3, 1]);
    expect(crm.status().circuit).toBe('closed');
  });

  test('because a row is locked is final otherwise', async () => {
    await using org = await connectSalesforce();
    org.platform.fault('crm.tasks.create', [salesforceFaults.lockedRow]);

    expect(await failureOf(org.crm.tasks.create({ Subject: 'x' }))).toMatchObject({
      code: 'client_error',
      attempts: 1,
      codes: ['UNABLE_TO_LOCK_ROW'],
    });
  });
});

const noRows = { status: 200, body: { totalSize: 0, done: true, records: [] } } as const;

describe('the limits of the org', () => {
  test('are read from every answer', async () => {
    await using org = await connectSalesforce({ org: { dailyRequests: 100 } });
    await org.crm.leads.search({ email: lead.Email });
    await org.crm.leads.search({ email: lead.Email });

    expect(org.crm.status().usage).toEqual({ used: 2, limit: 100 });
  });

  test('once used up are not asked again for a quarter of an hour', async () => {
    const clock = createVirtualClock();
    await using org = await connectSalesforce({ client: {} });
    const { platform, crm } = org;
    platform.salesforce.useUpRequests();

    const first = await failureOf(crm.leads.search({ email: lead.Email }));
    const second = await failureOf(crm.leads.search({ email: lead.Email }));

    expect(first).toMatchObject({
      code: 'max_retries_exceeded',
      reason: 'rate_limited',
      attempts: 1,
      retryAfterMs: 900_000,
      codes: ['REQUEST_LIMIT_EXCEEDED'],
    });
    expect(second instanceof QuotaExceededError && second.outcome).toBe('not_sent');
    expect(platform.requests).toHaveLength(1);
    await clock.advance(900_000);
    platform.salesforce.resetUsage();
    expect(await crm.leads.search({ email: lead.Email })).toEqual({ data: [], total: 0 });
  });

  test.for([
    ['says nothing of the budget', {}],
    ['counts some requests less', { 'Sforce-Limit-Info': 'api-usage=14990/15000' }],
  ] as const)('once used up hold all calls back, also where the refusal %s', async ([, headers]) => {
    createVirtualClock();
    await using org = await connectSalesforce({});
    const { platform, crm } = org;
    platform.fault('crm.leads.search', [{ ...salesforceFaults.dailyLimit, headers }]);

    const first = await failureOf(crm.leads.search({ email: lead.Email }));
    const second = await failureOf(crm.tasks.create({ Subject: 'x' }));

    expect(first).toMatchObject({ reason: 'rate_limited', attempts: 1, retryAfterMs: 900_000 });
    expect(second).toMatchObject({ code: 'quota_exceeded', outcome: 'not_sent', retryAfterMs: 900_000 });
    expect(platform.requests).toHaveLength(1);
  });

  test('on long requests at the same time are waited for', async () => {
    const sleep = vi.spyOn(timers, 'sleep').mockResolvedValue();
    onTestFinished(() => sleep.mockRestore());
    await using org = await connectSalesforce({});
    org.platform.fault('crm.leads.search', [salesforceFaults.concurrentLimit]);

    expect(await org.crm.leads.search({ email: lead.Email })).toEqual({ data: [], total: 0 });
    expect(sleep.mock.calls.map(([ms]) => Math.round(ms))).toEqual([1_000]);
  });
});

describe('a lead and its Task in one request', () => {
  const composite = { preset: { externalIdField: 'Call_Id__c', composite: true } };
  const over = { ...call, lead, durationSeconds: 312, summary: 'Wants a demo @{task.id}.' };

  test('are made when the call is over', async () => {
    await using org = await connectSalesforce(composite);
    const { platform, crm } = org;

    const qualified = await qualifyLead({ crm }, over);

    const [made] = platform.crm.leads;
    expect(qualified).toMatchObject({ outcome: 'lead_created', leadId: made?.Id, complete: true });
    expect(platform.crm.tasks).toMatchObject([
      { WhoId: made?.Id, CallDurationInSeconds: 312, Description: 'Wants a demo @ {task.id}.', Call_Id__c: 'CA1:task' },
    ]);
    expect(sentTo(platform).filter((line) => !line.startsWith('GET'))).toEqual(['POST composite']);
  });

  test('are made when the call is over, and logging it afterwards has nothing left to send', async () => {
    await using org = await connectSalesforce(composite);
    const { platform, crm } = org;
    const task = createTaskClaim();
    const { lead: _lead, ...facts } = over;

    const { related } = await qualifyLead({ crm }, over, { task });
    const sent = platform.requests.length;

    expect(await logCall({ crm }, { ...facts, ...related }, { task })).toEqual({
      taskId: platform.crm.tasks[0]?.Id,
      task: 'unchanged',
    });
    expect(platform.requests).toHaveLength(sent);
  });

  test('are both made or neither, and the refusal is that of the part', async () => {
    await using org = await connectSalesforce({ ...composite, org: { duplicateRule: 'block' } });
    const { platform, crm } = org;
    const { Id } = platform.crm.addContact({ LastName: 'Okafor', Email: lead.Email });

    const error = await failureOf(
      crm.leads.createWithTask!({ lead, task: { CallType: 'Inbound' }, keys: { lead: 'CA1:lead', task: 'CA1:task' } }),
    );

    expect(error).toMatchObject({
      code: 'client_error',
      status: 400,
      outcome: 'rejected',
      codes: ['DUPLICATES_DETECTED'],
    });
    expect(duplicateIds(error)).toEqual([Id]);
    const second = await failureOf(
      crm.leads.createWithTask!({
        lead: { ...lead, Email: 'other@example.com' },
        task: { CallType: 'Sideways' },
        keys: { lead: 'CA1:lead', task: 'CA1:task' },
      }),
    );
    expect(second).toMatchObject({ status: 400, codes: ['INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST'] });
    expect([platform.crm.leads, platform.crm.tasks]).toEqual([[], []]);
  });

  test('are made once when the answer is lost', async () => {
    await using org = await connectSalesforce(composite);
    const { platform, crm } = org;
    platform.fault('crm.leads.createWithTask', [{ executeThenDrop: true }]);

    await qualifyLead({ crm }, over);

    expect([platform.crm.leads.length, platform.crm.tasks.length]).toEqual([1, 1]);
  });

  test('are two requests while the call goes on', async () => {
    await using org = await connectSalesforce(composite);
    await qualifyLead({ crm: org.crm }, { ...call, lead });

    expect(org.platform.crm.tasks).toEqual([]);
  });
});

test('a case is opened', async () => {
  await using org = await connectSalesforce(upserts);
  const { Id } = org.platform.crm.addContact({ LastName: 'Okafor' });

  const phoneCall = startPhoneCall({ crm: org.crm }, { callId: 'CA1', direction: 'Inbound' });
  await phoneCall.openCase({ subject: 'No sound', contactId: Id });

  expect(org.platform.crm.cases).toMatchObject([{ Subject: 'No sound', ContactId: Id, Call_Id__c: 'CA1:case' }]);
});

test.each([
  [{ version: '30.0' }, 'version must be above 30.0: Salesforce has served none of those since Summer ’25'],
  [{ version: '45.0', externalIdField: 'Call_Id__c' }, 'version must be at least 46.0 with externalIdField'],
  [{ externalIdField: 'Email' }, 'externalIdField must be a custom field (…__c) that is marked as external id'],
  [{ composite: true }, 'composite needs externalIdField for Lead and Task, to be safe to repeat'],
  [{ assignmentRule: { id: 'x\r\n' } }, 'assignmentRule.id must be the id of a rule'],
  [{ phoneFields: { Lead: [] } }, 'phoneFields.Lead must be names of fields, at least one'],
])('options that cannot work are refused: %j', (options, message) => {
  expect(() => salesforce(options)).toThrow(message);
});

test('an upsert of a version that says nothing about it is refused before it is sent', async () => {
  await using org = await connectSalesforce({ preset: { version: '45.0' } });

  const by = { field: 'Call_Id__c', value: 'CA1' };
  expect((await failureOf(org.crm.leads.upsert(by, lead))).message).toContain(
    'version must be at least 46.0 for an upsert',
  );
  expect(org.platform.requests).toEqual([]);
});

test('the key’s own field is not written by hand', async () => {
  await using org = await connectSalesforce(upserts);

  expect((await failureOf(org.crm.leads.create({ ...lead, Call_Id__c: 'x' }, key))).message).toBe(
    'crm.leads.create: Call_Id__c is written by the client itself, from the idempotency key',
  );
});
