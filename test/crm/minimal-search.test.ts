import { describe, expect, it } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { createCrmClient } from '../../src/crm/index.ts';
import { salesforce } from '../../src/crm/salesforce/index.ts';
import { startPhoneCall } from '../../src/phone-call/start-phone-call.ts';
import { type DocumentedCrmOptions, startDocumentedCrm } from '../support/documented-crm.ts';
import { startRecordingServer } from '../support/recording-server.ts';

const phone = '+14155550100';
const facts = { callId: 'CA1', direction: 'Inbound', phone } as const;

/** The Lead fields of the interface document. */
const leadFields = [
  'Id',
  'FirstName',
  'LastName',
  'Company',
  'Email',
  'Phone',
  'Title',
  'NumberOfEmployees',
  'LeadSource',
  'Status',
  'Use_Case__c',
  'Expected_Close__c',
  'Lead_Score__c',
  'Description',
  'Rejection_Reason__c',
];
const allFields = [
  ...leadFields,
  'OwnerId',
  'IsConverted',
  'ConvertedContactId',
  'ConvertedAccountId',
  'ConvertedOpportunityId',
  'LastModifiedDate',
];
const whole =
  'SELECT Id, Status, Email, Phone, OwnerId, IsConverted, ConvertedContactId, ConvertedAccountId, ConvertedOpportunityId, LastModifiedDate FROM Lead';
const few = 'SELECT Id, Status, Email, Phone FROM Lead';
const ids = 'SELECT Id FROM Lead';

/** A CRM, and the last query that it took of a search for up to 20 leads. */
const crms: readonly (readonly [
  name: string,
  options: DocumentedCrmOptions,
  takes: readonly [q: string, limit: number],
])[] = [
  ['knows every column and takes any limit', {}, [whole, 20]],
  ['knows the documented fields', { columns: leadFields }, [few, 20]],
  ['knows the documented fields, and refuses with 422', { columns: leadFields, refusal: 422 }, [few, 20]],
  ['knows ids, phone and e-mail', { columns: ['Id', 'Phone', 'Email'] }, [ids, 20]],
  ['gives one row', { mostRows: 1 }, [whole, 1]],
  ['gives one row of every column that there is', { columns: allFields, mostRows: 1 }, [whole, 1]],
  ['gives one row of the documented fields', { columns: leadFields, mostRows: 1 }, [few, 1]],
  ['gives one id', { columns: ['Id', 'Phone', 'Email'], mostRows: 1 }, [ids, 1]],
  ['gives one id, and refuses with 422', { columns: ['Id', 'Phone', 'Email'], mostRows: 1, refusal: 422 }, [ids, 1]],
];

describe.each(crms)('a CRM that %s', (_name, options, [takes, limit]) => {
  it('is searched for what it knows, found out once', async () => {
    await using crm = await startDocumentedCrm(options);
    crm.leads.push({ Id: '00Q9', Phone: phone });

    const first = await crm.crm.leads.search({ phone, limit: 20 });
    const asked = crm.queries.length;
    const second = await crm.crm.leads.search({ phone, limit: 20 });

    expect([first, second].map(({ data }) => data.map(({ Id }) => Id))).toEqual([['00Q9'], ['00Q9']]);
    expect(asked).toBeLessThanOrEqual(5);
    expect(crm.queries).toHaveLength(asked + 1);
    expect(crm.queries.at(-1)?.q.startsWith(`${takes} WHERE`)).toBe(true);
    expect(crm.queries.at(-1)?.limit).toBe(limit);
  });

  it('takes a typed search of one lead, whatever was searched before', async () => {
    await using crm = await startDocumentedCrm(options);
    crm.leads.push({ Id: '00Q9', Email: 'ann@example.com' });

    for (const by of [{}, { limit: 20 }, {}])
      expect((await crm.crm.leads.search({ email: 'ann@example.com', ...by })).data).toMatchObject([{ Id: '00Q9' }]);
  });

  it('gets a new lead from qualifyLead, and knows it in the next phone call', async () => {
    await using crm = await startDocumentedCrm(options);
    const qualify = (callId: string) =>
      startPhoneCall({ crm: crm.crm }, { ...facts, callId }).qualifyLead({
        lead: { LastName: 'Lee', Company: 'Lee Ltd' },
      });

    expect((await qualify('CA1')).outcome).toBe('lead_created');
    expect(await qualify('CA2')).toMatchObject({ outcome: 'open_lead', leadId: '00Q1' });
    expect(crm.leads).toHaveLength(1);
  });

  it('gets a Task on the lead from finish', async () => {
    await using crm = await startDocumentedCrm(options);
    crm.leads.push({ Id: '00Q9', Phone: phone });

    const finished = await startPhoneCall({ crm: crm.crm }, facts).finish({ outcome: 'resolved', summary: 'Asked.' });

    expect(finished).toMatchObject({ complete: true, related: { whoId: '00Q9' } });
    expect(crm.tasks).toMatchObject([{ WhoId: '00Q9', Description: 'Asked.' }]);
  });

  it('gives all it can to searchAll', async () => {
    await using crm = await startDocumentedCrm(options);
    crm.leads.push({ Id: '00Q8', Phone: phone }, { Id: '00Q9', Phone: phone });

    const found: string[] = [];
    for await (const { Id } of crm.crm.leads.searchAll({ phone })) found.push(Id);

    expect(found).toEqual(limit === 1 ? ['00Q8'] : ['00Q8', '00Q9']);
  });

  it('is asked whether a lead is there whose end is unknown', async () => {
    await using crm = await startDocumentedCrm(options);
    crm.leads.push({ Id: '00Q9', Phone: phone });
    crm.fail('POST Lead/', 503);

    expect(await crm.crm.leads.create({ LastName: 'Lee', Phone: phone })).toEqual({ id: '00Q9' });
  });
});

it.each([
  ['contacts', 'Contact', { columns: ['Id', 'Email', 'Phone'] }, 'SELECT Id, Email, Phone FROM Contact'],
  ['contacts', 'Contact', { columns: ['Id', 'Phone'], mostRows: 1 }, 'SELECT Id FROM Contact'],
  ['accounts', 'Account', { columns: ['Id', 'Phone', 'Name'], mostRows: 1 }, 'SELECT Id, Name FROM Account'],
  ['accounts', 'Account', { columns: ['Id', 'Phone'] }, 'SELECT Id FROM Account'],
] as const)('%s are searched for what the CRM knows: %s %j', async (resource, object, options, takes) => {
  await using crm = await startDocumentedCrm({ ...options, searches: [object] });
  crm.others.push({ Id: '0031', Phone: phone });

  for (const limit of [1, 20, 20]) {
    const { data } = await crm.crm[resource].search({ phone, limit });
    expect(data).toMatchObject([{ Id: '0031' }]);
  }
  expect(crm.queries.at(-1)?.q).toBe(`${takes} WHERE Phone = '${phone}'`);
});

it('still sees that two people share a number where the CRM gives both', async () => {
  await using crm = await startDocumentedCrm({ columns: leadFields });
  crm.leads.push({ Id: '00Q8', Phone: phone, Email: 'a@example.com' }, { Id: '00Q9', Phone: phone });

  const qualified = await startPhoneCall({ crm: crm.crm }, facts).qualifyLead({ lead: { LastName: 'Lee' } });

  expect(qualified).toMatchObject({ outcome: 'ambiguous', count: 2 });
});

it('still sees that a lead was given up where the CRM knows the status', async () => {
  await using crm = await startDocumentedCrm({ columns: leadFields, mostRows: 1 });
  crm.leads.push({ Id: '00Q9', Phone: phone, Status: 'disqualified' });

  const qualified = await startPhoneCall({ crm: crm.crm }, facts).qualifyLead({
    lead: { LastName: 'Lee', Company: 'x' },
  });

  expect(qualified).toMatchObject({ outcome: 'lead_created', closedLeadId: '00Q9' });
});

it('a refusal that passes is not remembered', async () => {
  await using crm = await startDocumentedCrm();
  crm.leads.push({ Id: '00Q9', Phone: phone, IsConverted: true });
  crm.fail('POST Lead/search', 400);

  for (const limit of [20, 20]) {
    const { data } = await crm.crm.leads.search({ phone, limit });
    expect(data).toMatchObject([{ Id: '00Q9', IsConverted: true }]);
  }
  expect(crm.queries.map(({ q }) => q.split(' WHERE')[0])).toEqual([ids, whole, whole]);
});

it('a search that asks for what can only be wrong ends with the first refusal', async () => {
  await using crm = await startDocumentedCrm({ columns: leadFields });

  await expect(crm.crm.leads.search({ phone, fields: ['Region__c'] })).rejects.toMatchObject({ status: 400 });
  expect(crm.queries).toHaveLength(2);
  expect((await crm.crm.leads.search({ phone, fields: ['Title'] })).data).toEqual([]);
});

it('converted leads are not asked for with columns that show no conversion', async () => {
  await using crm = await startDocumentedCrm({ columns: leadFields });
  crm.leads.push({ Id: '00Q9', Phone: phone });

  await expect(crm.crm.leads.search({ phone, isConverted: true })).rejects.toMatchObject({ status: 400 });
  expect((await crm.crm.leads.search({ phone, isConverted: false })).data).toMatchObject([{ Id: '00Q9' }]);
});

it.each([401, 403, 404, 409, 500])('a %i is no word about columns', async (status) => {
  await using server = await startRecordingServer();
  server.answer({ status, json: {} });
  const crm = createCrmClient({
    baseUrl: server.baseUrl,
    authenticate: bearer(() => 't'),
    version: '60.0',
    attempts: 1,
  });

  await expect(crm.leads.search({ phone })).rejects.toHaveProperty('outcome');
  expect(server.requests).toHaveLength(1);
});

it('Salesforce is asked once', async () => {
  await using server = await startRecordingServer();
  server.answer({ status: 400, json: [{ errorCode: 'INVALID_FIELD', message: 'No such column' }] });
  const crm = createCrmClient({ ...salesforce(), baseUrl: server.baseUrl, authenticate: bearer(() => 't') });

  await expect(crm.leads.search({ phone })).rejects.toMatchObject({ status: 400 });
  expect(server.requests).toHaveLength(1);
});
