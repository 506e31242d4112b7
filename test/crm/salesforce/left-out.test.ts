import { expect, test } from 'vitest';
import type { IntegrationEvent } from '../../../src/observability/events.ts';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { connectSalesforce } from '../../support/connected-salesforce.ts';

const lead = {
  LastName: 'Okafor',
  Company: 'Northwind',
  Email: 'ngozi@example.com',
  NumberOfEmployees: 50,
  Use_Case__c: 'A voice agent',
  Lead_Score__c: 80,
};

const connectWithout = async (fields: readonly string[], preset = {}) => {
  const events: IntegrationEvent[] = [];
  const org = await connectSalesforce({
    preset,
    org: { hiddenFields: { Lead: fields } },
    client: { onEvent: (event) => void events.push(event) },
  });
  const leftOut = () =>
    events.flatMap((event) => (event.type === 'schema-drift' ? [[event.operation, ...event.fields]] : []));
  return { ...org, leftOut };
};

test.each([
  ['as a new record', {}],
  ['under a key', { externalIdField: 'Call_Id__c' }],
])(
  'a lead is saved %s without the fields that the org hasn’t, and their words are in its description',
  async (_, preset) => {
    await using org = await connectWithout(['Use_Case__c', 'Lead_Score__c'], preset);

    await org.crm.leads.create({ ...lead, Description: 'Rang twice.' }, { idempotencyKey: 'CA1:lead' });

    const [saved] = org.platform.crm.leads;
    expect(saved).toMatchObject({ LastName: 'Okafor', NumberOfEmployees: 50 });
    expect(saved).not.toHaveProperty('Use_Case__c');
    expect(saved?.Description).toBe('Rang twice.\n\nUse case: A voice agent\nLead score: 80');
    expect(org.leftOut()).toEqual([['crm.leads.create', 'Use_Case__c', 'Lead_Score__c']]);
  },
);

test('an update and an upsert go on too, and keep the description that is there', async () => {
  await using org = await connectWithout(['Use_Case__c', 'Lead_Score__c']);
  const { Id } = org.platform.crm.addLead({ ...lead, Call_Id__c: 'CA1', Description: 'Rang twice.' });

  await org.crm.leads.update(Id, { Use_Case__c: 'A voice agent', Title: 'Director' });
  await org.crm.leads.upsert({ field: 'Call_Id__c', value: 'CA1' }, { Lead_Score__c: 80, City: 'Lagos' });

  expect(org.platform.crm.leads).toMatchObject([
    {
      Title: 'Director',
      City: 'Lagos',
      Description: 'Rang twice.\n\nUse case: A voice agent\n\nLead score: 80',
    },
  ]);
});

test('a phone call’s Task keeps them when later steps write its description again', async () => {
  await using org = await connectSalesforce({ org: { hiddenFields: { Task: ['TaskSubtype', 'CallType'] } } });
  const call = startPhoneCall(
    { crm: org.crm },
    { callId: 'CA1', direction: 'Inbound', phone: '+14155550100', taskFields: { TaskSubtype: 'Call' } },
  );

  await call.logCall({ summary: 'Asked.' });
  await call.logCall({ summary: 'Asked twice.' });
  await call.finish({ outcome: 'resolved' });

  expect(org.platform.crm.tasks).toMatchObject([
    { Description: 'Asked twice.\n\nCall type: Inbound\nTask subtype: Call', Subject: 'Inbound call: resolved' },
  ]);
});

test('a record without its name is none, and any other refusal stays', async () => {
  await using org = await connectWithout(['LastName']);

  await expect(org.crm.leads.create(lead)).rejects.toMatchObject({ codes: ['INVALID_FIELD'] });
  await expect(org.crm.leads.create({ ...lead, LastName: '' })).rejects.toMatchObject({ code: 'client_error' });
  expect(org.platform.crm.leads).toEqual([]);
});
