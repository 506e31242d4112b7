import { describe, expect, test } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { createCrmClient } from '../../../src/crm/index.ts';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { startDocumentedCrm } from '../../support/documented-crm.ts';
import { serve } from '../../support/serve.ts';

const phone = '+14155550100';
const facts = { callId: 'CA1', direction: 'Inbound', phone, startedAt: '2026-03-01T10:00:00Z' } as const;
const lead = { LastName: 'Lee', Company: 'Lee Ltd' };

describe('a CRM with the three documented endpoints', () => {
  test('gets a new lead after two searches', async () => {
    await using crm = await startDocumentedCrm();

    const first = await startPhoneCall(crm, facts).qualifyLead({ lead });
    const second = await startPhoneCall(crm, { ...facts, callId: 'CA2' }).qualifyLead({
      lead,
      opportunity: { Name: 'o' },
    });

    expect(first).toMatchObject({ outcome: 'lead_created', leadId: '00Q1', complete: true });
    expect(second).toMatchObject({ outcome: 'open_lead', leadId: '00Q1', complete: true });
    expect(crm.requests.toSorted()).toEqual([
      // The first 404 of each is asked about again.
      'POST Account/search',
      'POST Account/search',
      'POST Contact/search',
      'POST Contact/search',
      'POST Contact/search',
      'POST Lead/',
      'POST Lead/search',
      'POST Lead/search',
    ]);
  });

  test.each(['data', 'records'])('may give the found leads under %s', async (name) => {
    await using server = await serve(async () => Response.json({ [name]: [{ Id: '00Q1' }] }));
    const crm = createCrmClient({ baseUrl: server.url, authenticate: bearer(() => 't'), version: '60.0' });

    expect((await crm.leads.search({ phone, limit: 2 })).data).toEqual([{ Id: '00Q1' }]);
  });

  test('gets the Task of a finished call on the lead that the search found', async () => {
    await using crm = await startDocumentedCrm();
    crm.leads.push({ Id: '00Q1', Phone: phone });

    const finished = await startPhoneCall(crm, facts).finish({ summary: 'Asked.', durationSeconds: 60 });

    expect(finished).toMatchObject({ complete: true, related: { whoId: '00Q1' } });
    expect(crm.tasks).toMatchObject([{ WhoId: '00Q1', Description: 'Asked.' }]);
  });

  test('is not taken for empty when its lead search is not there', async () => {
    await using server = await serve(async () => Response.json({}, { status: 404 }));
    const crm = createCrmClient({ baseUrl: server.url, authenticate: bearer(() => 't'), version: '60.0' });

    await expect(startPhoneCall({ crm }, facts).qualifyLead({ lead })).rejects.toMatchObject({
      operation: 'crm.leads.search',
      status: 404,
    });
  });
});

/** A CRM that answers every search with the same people, whatever was asked. */
const startCarelessCrm = async (people: readonly object[]) => {
  const tasks: unknown[] = [];
  const server = await serve(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/search')) return Response.json(people);
    if (pathname.endsWith('/Task/')) tasks.push(await request.json());
    return Response.json({ id: pathname.includes('Lead') ? '00Q1' : '00T1' }, { status: 201 });
  });
  const crm = createCrmClient({ baseUrl: server.url, authenticate: bearer(() => 't'), version: '60.0' });
  return { crm, tasks, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
};

describe('a CRM that ignores the condition', () => {
  const bob = { Id: '00Q9', Phone: '+19995550000', Email: 'bob@example.com' };

  test.each<[string, object, { phone?: string; email?: string }]>([
    ['by phone', bob, { phone }],
    ['by phone, in another field', { Id: '00Q9', MobilePhone: '999-555-0000' }, { phone }],
    ['by e-mail', bob, { email: 'ada@example.com' }],
    ['by both', bob, { phone, email: 'ada@example.com' }],
    ['by both, with an address alone', { Id: '00Q9', Email: 'bob@example.com' }, { phone, email: 'ada@example.com' }],
  ])('never makes a stranger the caller %s', async (_name, stranger, known) => {
    await using careless = await startCarelessCrm([stranger]);

    const { outcome } = await startPhoneCall(careless, { ...facts, phone: undefined, ...known }).qualifyLead({ lead });

    expect(outcome).toBe('lead_created');
    expect(JSON.stringify(careless.tasks)).not.toContain('00Q9');
  });

  test.each<[string, object, { phone?: string; email?: string }]>([
    ['the same number', { Id: '0031', Phone: '(415) 555-0100' }, { phone }],
    ['the same number elsewhere', { ...bob, Id: '0031', MobilePhone: '415-555-0100' }, { phone }],
    ['the same address', { ...bob, Id: '0031' }, { phone, email: 'BOB@example.com' }],
    ['nothing of the two', { Id: '0031' }, { phone }],
  ])('finds the caller with %s', async (_name, person, known) => {
    await using careless = await startCarelessCrm([person]);

    const found = await startPhoneCall(careless, { ...facts, phone: undefined, ...known }).qualifyLead({ lead });

    expect(found).toMatchObject({ outcome: 'contact_task', contactId: '0031' });
  });
});
