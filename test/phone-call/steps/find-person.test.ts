import { expect, it, test } from 'vitest';
import { findPerson, readCrmRecord } from '../../../src/phone-call/steps/find-person.ts';
import { connectSalesforce } from '../../support/connected-salesforce.ts';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { connectPlatform } from '../../support/connected-platform.ts';
import { startDocumentedCrm } from '../../support/documented-crm.ts';
import { serve } from '../../support/serve.ts';
import { bearer } from '../../../src/auth/index.ts';
import { createCrmClient } from '../../../src/crm/index.ts';

test.each<[written: string, kind: string | undefined]>([
  ['+43 1 12345678', undefined],
  ['+43 1 123 0 45678', undefined],
  ['(030) 1234-5678', 'contact'],
])('of the numbers that end like +493012345678, %s is that of: %s', async (MobilePhone, kind) => {
  await using org = await connectSalesforce({ preset: { phoneSearch: 'digits' } });
  org.platform.crm.addContact({ LastName: 'Weber', MobilePhone });

  const person = await findPerson(org.crm, { phone: '+493012345678', closedStatuses: [] }, {});

  expect(person?.kind).toBe(kind);
});

const facts = { callId: 'CA1', direction: 'Inbound', phone: '+14155550100' } as const;

it.each([
  ['Lead', '00Q000000000009'],
  ['Contact', '003000000000009'],
  ['Opportunity', '006000000000009'],
] as const)('nothing is known of a %s that is gone when it is read', async (object, id) => {
  await using connected = await connectPlatform();

  expect(await readCrmRecord(connected.clients.crm, object, id, {})).toEqual({});
});

it.each([
  ['Lead', '00Q9', { outcome: 'open_lead', leadId: '00Q9', matchedBy: 'duplicate' }],
  ['Contact', '0039', { outcome: 'contact_task', contactId: '0039', matchedBy: 'duplicate' }],
] as const)('a new lead that duplicates a %s which is gone meanwhile gets its Task there', async (_object, id, as) => {
  const tasks: unknown[] = [];
  await using server = await serve(async (request) => {
    const path = new URL(request.url).pathname.split('/sobjects/')[1];
    if (request.method === 'GET') return Response.json({}, { status: 404 });
    if (path?.endsWith('/search')) return Response.json([]);
    if (path === 'Task/') tasks.push(await request.json());
    if (path !== 'Lead/') return Response.json({ id: '00T1' }, { status: 201 });
    const message = `duplicate value found: Email duplicates value on record with id: ${id}`;
    return Response.json([{ errorCode: 'DUPLICATE_VALUE', message }], { status: 400 });
  });
  const crm = createCrmClient({ baseUrl: server.url, authenticate: bearer(() => 't'), version: '60.0' });
  const phoneCall = startPhoneCall({ crm }, facts);

  expect(await phoneCall.qualifyLead({ lead: { LastName: 'Lee', Company: 'Lee Ltd' } })).toMatchObject(as);
  await phoneCall.finish({ summary: 'Asked.' });

  expect(tasks).toMatchObject([{ WhoId: id, Description: 'Asked.' }]);
});

it('a CRM that cannot read a lead says so', async () => {
  await using crm = await startDocumentedCrm({ missing: 405 });

  await expect(readCrmRecord(crm.crm, 'Lead', '00Q9', {})).rejects.toMatchObject({ status: 405 });
});
