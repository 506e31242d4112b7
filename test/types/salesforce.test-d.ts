import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { jwtBearer } from '../../src/auth/index.ts';
import {
  and,
  createCrmClient,
  type CrmContact,
  type CrmEvent,
  type CrmOptions,
  idOf,
  type Lead,
  not,
  or,
  type RecordList,
  where,
} from '../../src/crm/index.ts';
import {
  duplicateIds,
  hasErrorCode,
  instanceUrl,
  platformEventDestination,
  platformEvents,
  salesforce,
  type SalesforceErrorCode,
  type SalesforcePreset,
} from '../../src/crm/salesforce/index.ts';
import type { ClientError } from '../../src/core/errors.ts';
import type { Credential } from '../../src/http/credential.ts';
import { createIntegration } from '../../src/integration.ts';
import { createTenants } from '../../src/tenants/create-tenants.ts';
import { createOutbox, type Destination } from '../../src/outbox/index.ts';

declare const authenticate: Credential;
declare const error: unknown;
const baseUrl = 'https://acme.my.salesforce.com';

test('the preset is options of a CRM client, and what comes after it wins', () => {
  expectTypeOf(salesforce()).toEqualTypeOf<SalesforcePreset>();
  expectTypeOf({ ...salesforce(), baseUrl, authenticate }).toExtend<CrmOptions>();
  createIntegration({ crm: { ...salesforce({ version: '64.0' }), baseUrl, authenticate, attempts: 2 } });
  // @ts-expect-error: the address of the org is not known
  createCrmClient({ ...salesforce(), authenticate });
});

test('its options are what an org decides', () => {
  salesforce({ externalIdField: { Lead: 'Call_Id__c', Task: 'Call_Id__c' }, composite: true });
  salesforce({ assignmentRule: { id: '01Q000000000001' }, duplicateRule: { allowSave: true } });
  // @ts-expect-error: no such object
  salesforce({ externalIdField: { Shoe: 'Call_Id__c' } });
  // @ts-expect-error: no such way
  salesforce({ phoneSearch: 'guess' });
});

test('rows come one by one, without a limit', () => {
  const { leads } = createCrmClient({ ...salesforce(), baseUrl, authenticate });

  expectTypeOf(leads.searchAll({ email: 'a@example.com' })).toEqualTypeOf<AsyncIterable<Lead>>();
  // @ts-expect-error: all of them
  leads.searchAll({ email: 'a@example.com', limit: 5 });
  // @ts-expect-error: not every CRM can
  void leads.createWithTask({ lead: {}, task: {}, keys: { lead: 'a', task: 'b' } });
});

test('codes are known by name', () => {
  expectTypeOf<SalesforceErrorCode>().toExtend<string>();
  expectTypeOf(duplicateIds(error)).toEqualTypeOf<readonly string[]>();
  hasErrorCode(error, 'UNABLE_TO_LOCK_ROW');
  // @ts-expect-error: a slip of the pen
  hasErrorCode(error, 'UNABLE_TO_LOCK_ROWS');
  expectTypeOf<ClientError['problems'][number]['ids']>().toEqualTypeOf<readonly string[] | undefined>();
});

test('a platform event has the name of one, and its destination is one of an outbox', () => {
  const crm = createCrmClient({ ...salesforce(), baseUrl, authenticate });
  const destination = platformEventDestination({
    name: 'salesforce',
    instanceUrl: baseUrl,
    authenticate,
    event: 'Voice_Call__e',
    fields: ({ id }) => ({ Delivery_Id__c: id }),
  });

  expectTypeOf(destination).toExtend<Destination>();
  expectTypeOf(createOutbox).parameter(0).toHaveProperty('destinations');
  void platformEvents(crm).publish('Voice_Call__e', { Call_Id__c: 'CA1' });
  // @ts-expect-error: a record is created by its own operation
  void platformEvents(crm).publish('Lead', {});
});

test('the address comes from a credential that asks for tokens', () => {
  const credential = jwtBearer({
    tokenEndpoint: 'https://login.salesforce.com/services/oauth2/token',
    audience: 'https://login.salesforce.com',
    clientId: () => 'consumer-key',
    subject: 'agent@example.com',
    privateKey: () => 'pem',
  });

  expectTypeOf(instanceUrl(credential)).resolves.toEqualTypeOf<string>();
  // @ts-expect-error: a static token says no address
  void instanceUrl(authenticate);
});

test('every object has the same operations, and their fields are typed', async () => {
  const crm = createCrmClient({ ...salesforce(), baseUrl, authenticate });

  const contact = await crm.contacts.get('003000000000001', { fields: ['Owner.Name'] });
  expectTypeOf(contact?.Name).toEqualTypeOf<string | null | undefined>();
  expectTypeOf(contact?.Owner?.Name).toEqualTypeOf<string | null | undefined>();
  expectTypeOf(contact?.Account?.NumberOfEmployees).toEqualTypeOf<number | null | undefined>();
  expectTypeOf(contact?.['Region__c']).toBeUnknown();
  expectTypeOf(crm.events.search({ ownerId: '005000000000001' })).resolves.toEqualTypeOf<RecordList<CrmEvent>>();
  expectTypeOf(crm.cases.delete('500000000000001')).resolves.toBeVoid();
  expectTypeOf(crm.tasks.update('00T000000000001', { Status: 'Done' })).resolves.toEqualTypeOf<{
    readonly id: string;
  }>();
  // @ts-expect-error: a duration is a number
  void crm.events.create({ DurationInMinutes: '30' });
  // @ts-expect-error: an event has no e-mail
  void crm.events.search({ email: 'ada@example.com' });
});

test('the org’s own fields are typed once they are declared', async () => {
  const crm = createCrmClient({
    ...salesforce(),
    baseUrl,
    authenticate,
    fields: {
      Lead: z.object({ Region__c: z.enum(['EMEA', 'APAC']), Score__c: z.number() }).partial(),
      Asset__c: z.object({ Serial__c: z.string(), Contact__r: z.object({ Name: z.string() }) }).partial(),
    },
  });

  const lead = await crm.leads.get('00Q000000000001', { fields: ['Region__c', 'Owner.Name'] });
  expectTypeOf(lead?.Region__c).toEqualTypeOf<'EMEA' | 'APAC' | null | undefined>();
  expectTypeOf(lead?.Name).toEqualTypeOf<string | null | undefined>();
  // @ts-expect-error: a slip of the pen, when it's read
  void lead?.Regoin__c;
  // @ts-expect-error: when it's asked for
  void crm.leads.get('00Q000000000001', { fields: ['Regoin__c'] });
  // @ts-expect-error: of a parent
  void crm.leads.get('00Q000000000001', { fields: ['Owner.Nmae'] });
  // @ts-expect-error: when it's written
  void crm.leads.create({ LastName: 'Okafor', Regoin__c: 'EMEA' });
  // @ts-expect-error: a value that it can't have
  void crm.leads.update('00Q000000000001', { Region__c: 'Mars' });

  void crm.leads.search({
    where: and(where('Region__c', '=', 'EMEA'), or(where('Score__c', '>', 5), not(where('City', '=', null)))),
  });
  void crm.query('Lead', { where: where('Owner.Name', 'starts with', 'Jo'), orderBy: [{ field: 'Score__c' }] });
  void crm.query('Lead', { where: where('CreatedDate', '>', new Date()) });
  // @ts-expect-error: a slip of the pen, in a condition
  void crm.leads.search({ where: and(where('Regoin__c', '=', 'EMEA')) });
  // @ts-expect-error: a text where a number is
  void crm.query('Lead', { where: where('Score__c', '>', '5') });
  // @ts-expect-error: a single value for a list
  void crm.query('Lead', { where: where('City', 'in', 'Lagos') });
  // @ts-expect-error: in an order
  void crm.query('Lead', { orderBy: [{ field: 'Scroe__c' }] });

  const asset = await crm.records('Asset__c').get('a00000000000001', { fields: ['Name', 'Contact__r.Name'] });
  expectTypeOf(asset?.Serial__c).toEqualTypeOf<string | null | undefined>();
  expectTypeOf(asset?.Contact__r?.Name).toEqualTypeOf<string | undefined>();
  // @ts-expect-error: not declared
  void crm.records('Asset__c').update('a00000000000001', { Seriel__c: 'A-1' });
  // @ts-expect-error: a slip of the pen, in one write of several
  void crm.composite({ lead: { create: 'Lead', fields: { Regoin__c: 'EMEA' } } });
  // @ts-expect-error: in an update
  void crm.composite({ lead: { update: 'Lead', id: '00Q000000000001', fields: { Regoin__c: 'EMEA' } } });
  // @ts-expect-error: in the field by which it's known
  void crm.composite({ lead: { upsert: 'Lead', by: { field: 'Regoin__c', value: 'x' }, fields: {} } });
  const both = { lead: { Regoin__c: 'EMEA' }, task: {}, keys: { lead: 'l', task: 't' } };
  // @ts-expect-error: next to a Task
  void crm.leads.createWithTask?.(both);
  // @ts-expect-error: a value that it can't have
  void crm.composite({ lead: { create: 'Lead', fields: { Region__c: 'Mars' } } });
  void crm.composite({
    account: { create: 'Account', fields: { Name: 'Northwind', Anything__c: 1 } },
    lead: { create: 'Lead', fields: { Region__c: 'EMEA', City: 'Lagos' }, duplicateRule: { allowSave: true } },
    asset: { upsert: 'Asset__c', by: { field: 'Serial__c', value: 'x' }, fields: { Contact__r: idOf('account') } },
    other: { create: 'Other__c', fields: { Account__c: idOf('account'), Anything__c: 1 } },
    gone: { delete: 'Case', id: '500000000000001' },
  });
  // What isn't declared stays open.
  void crm.records('Other__c').create({ Anything__c: 1 });
  void crm.contacts.create({ LastName: 'Okafor', Anything__c: 1 });
});

test('a query gives pages', async () => {
  const crm = createCrmClient({ ...salesforce(), baseUrl, authenticate });
  const query = crm.query('Contact', { fields: ['Name', 'Anything__c'], limit: 10 });

  expectTypeOf(await query).toEqualTypeOf<RecordList<CrmContact>>();
  for await (const contact of query) expectTypeOf(contact).toEqualTypeOf<CrmContact>();
});

test('what is declared reaches the client of an integration', async () => {
  const Lead = z.object({ Region__c: z.enum(['EMEA', 'APAC']) }).partial();
  const { crm, startPhoneCall } = createIntegration({
    crm: { ...salesforce(), baseUrl, authenticate, fields: { Lead } },
  });

  expectTypeOf((await crm.leads.get('00Q000000000001'))?.Region__c).toEqualTypeOf<'EMEA' | 'APAC' | null | undefined>();
  // @ts-expect-error: a slip of the pen
  void crm.leads.create({ Regoin__c: 'EMEA' });

  const phoneCall = startPhoneCall({ callId: 'CA123', direction: 'Inbound' });
  void phoneCall.qualifyLead({ lead: { LastName: 'Okafor', Region__c: 'EMEA' } });
  // @ts-expect-error: in a step of a phone call
  void phoneCall.qualifyLead({ lead: { LastName: 'Okafor', Regoin__c: 'EMEA' } });
  // @ts-expect-error: in one turn of it, a value that it can't have
  void phoneCall.turn().qualifyLead({ lead: { LastName: 'Okafor', Region__c: 'Mars' } });
});

test('what is declared reaches every record that a phone call writes', async () => {
  const fields = {
    Opportunity: z.object({ Source__c: z.string() }).partial(),
    Case: z.object({ Shop__c: z.string() }).partial(),
    Task: z.object({ Line__c: z.string() }).partial(),
  };
  const crm = { ...salesforce(), baseUrl, authenticate, fields };
  const tenants = createTenants({ resolve: () => ({ crm }) });
  const { startPhoneCall } = await tenants.open('acme');
  const phoneCall = startPhoneCall({ callId: 'CA123', direction: 'Inbound', taskFields: { Line__c: 'sales' } });

  void phoneCall.qualifyLead({ lead: { Anything__c: 1 }, opportunity: { Source__c: 'phone' } });
  // @ts-expect-error: a slip of the pen
  void phoneCall.qualifyLead({ lead: {}, opportunity: { Sorce__c: 'phone' } });
  // @ts-expect-error: in a case
  void phoneCall.openCase({ subject: 'Oven', fields: { Shpo__c: 'Lagos' } });
  // @ts-expect-error: in a Task
  void phoneCall.logCall({}, { taskFields: { Lien__c: 'sales' } });
  // @ts-expect-error: in each Task
  createIntegration({ crm, phoneCalls: { taskFields: { Lien__c: 'sales' } } });
});

test('several writes give one id each, by their names', () => {
  const crm = createCrmClient({ ...salesforce(), baseUrl, authenticate });
  const made = crm.composite({
    account: { create: 'Account', fields: { Name: 'Northwind' } },
    contact: { create: 'Contact', fields: { AccountId: idOf('account') } },
  });

  expectTypeOf(made).resolves.toEqualTypeOf<{
    readonly account: { readonly id: string };
    readonly contact: { readonly id: string };
  }>();
  void crm.leads.create({ LastName: 'x' }, { duplicateRule: { allowSave: true }, assignmentRule: 'none' });
  // @ts-expect-error: a part does one thing that is known
  void crm.composite({ account: { merge: 'Account' } });
});
