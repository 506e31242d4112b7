import { expect, test } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { hubspot } from '../../../src/crm/hubspot/index.ts';
import { createIntegration } from '../../../src/index.ts';
import { createFakePlatform, testCredentials } from '../../../src/dev/testing/index.ts';

const lead = { FirstName: 'Ada', LastName: 'Lovelace', Company: 'Analytical Engines', Email: 'ada@example.com' };

const connect = async () => {
  const platform = createFakePlatform({ crm: 'hubspot' });
  const { crm: baseUrl } = await platform.listen();
  const open = () =>
    createIntegration({
      crm: {
        ...hubspot(),
        baseUrl,
        authenticate: bearer(() => testCredentials.crm),
        backoff: { minimumMs: 1, maximumMs: 2 },
        attemptTimeoutMs: 1_000,
      },
    });
  const [integration, otherProcess] = [open(), open()];
  let calls = 0;
  const ring = ({ startPhoneCall } = integration) =>
    startPhoneCall({ callId: `CA${(calls += 1)}`, direction: 'Inbound', phone: '+14155550100' });
  return {
    platform,
    account: platform.hubspot,
    crm: integration.crm,
    ring,
    ringElsewhere: () => ring(otherProcess),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([integration.close(), otherProcess.close()]);
      await platform.close();
    },
  };
};

test('a new caller becomes a lead with a Task about the call', async () => {
  await using org = await connect();
  const call = org.ring();

  const qualified = await call.qualifyLead({ lead, summary: 'Wants an oven.' });
  await call.logCall({ outcome: 'resolved', durationSeconds: 90 });

  const [person, ...others] = org.account.records('contacts');
  expect([qualified.outcome, others]).toEqual(['lead_created', []]);
  expect(person?.properties).toMatchObject({
    lifecyclestage: 'lead',
    phone: '+14155550100',
    message: 'Wants an oven.',
  });
  expect(org.account.records('tasks')).toMatchObject([
    { properties: { hs_task_subject: 'Inbound call: resolved' }, associations: { contacts: [person?.id] } },
  ]);
});

test.each([
  ['429', [{ status: 429, retryAfter: 0 }]],
  ['5xx', [{ status: 503, times: 2 }]],
  ['a hang', [{ stall: 'headers' }]],
  ['a lost answer', [{ executeThenDrop: true }]],
] as const)('%s makes no second contact', async (_, faults) => {
  await using org = await connect();
  org.platform.fault('crm.contacts.search', [faults[0]]);
  org.platform.fault('crm.leads.create', [faults[0]]);

  const first = await org
    .ring()
    .qualifyLead({ lead })
    .catch((error: unknown) => error);
  const second = await org.ring().qualifyLead({ lead });

  expect(org.account.records('contacts')).toHaveLength(1);
  expect(first).toMatchObject({ outcome: expect.any(String) });
  expect(['open_lead', 'lead_created']).toContain(second.outcome);
});

test('a search that doesn’t know the lead yet makes no second one: its address is taken', async () => {
  await using org = await connect();
  await org.ring().qualifyLead({ lead });

  const again = await org.ringElsewhere().qualifyLead({ lead: { ...lead, Title: 'Countess' } });

  expect(again).toMatchObject({ outcome: 'open_lead', matchedBy: 'duplicate', complete: true });
  expect(org.account.records('contacts')).toHaveLength(1);
});

test('a search that doesn’t know the lead yet makes no second one of a caller without an address', async () => {
  await using org = await connect();
  const { Email: _, ...anonymous } = lead;
  const first = await org.ring().qualifyLead({ lead: anonymous });

  const again = await org.ring().qualifyLead({ lead: anonymous });

  expect(first.outcome).toBe('lead_created');
  expect(again).toMatchObject({ outcome: 'open_lead', matchedBy: 'phone', complete: true });
  expect(org.account.records('contacts')).toMatchObject([{ properties: { phone: '+14155550100' } }]);
});

test('a caller without an address whose lead may have been made gets no second one', async () => {
  await using org = await connect();
  const { Email: _, ...anonymous } = lead;
  org.platform.fault('crm.leads.create', [{ executeThenDrop: true, times: 2 }]);
  const first = await org
    .ring()
    .qualifyLead({ lead: anonymous })
    .catch((error: unknown) => error);

  const again = await org
    .ring()
    .qualifyLead({ lead: anonymous })
    .catch((error: unknown) => error);

  expect([first, again]).toMatchObject([{ outcome: 'unknown' }, { outcome: 'unknown' }]);
  expect(org.account.records('contacts')).toHaveLength(1);
});

test('a lead that was deleted meanwhile isn’t found again', async () => {
  await using org = await connect();
  const { Email: _, ...anonymous } = lead;
  await org.ring().qualifyLead({ lead: anonymous });
  await org.crm.leads.delete(org.account.records('contacts')[0]?.id ?? '');

  const again = await org.ring().qualifyLead({ lead: anonymous });

  expect(again.outcome).toBe('lead_created');
});

test('a customer who wants more gets a deal', async () => {
  await using org = await connect();
  const { id } = org.account.add('contacts', {
    phone: '(415) 555-0100',
    lifecyclestage: 'customer',
    email: lead.Email,
  });

  const qualified = await org.ring().qualifyLead({
    lead,
    opportunity: { Name: 'Second oven', StageName: 'appointmentscheduled' },
  });

  expect(qualified).toMatchObject({ outcome: 'contact_opportunity', contactId: id, complete: true });
  expect(org.account.records('deals')).toMatchObject([{ properties: { dealname: 'Second oven' } }]);
});

test('a lead that sales has given up becomes one again only as a refusal says', async () => {
  await using org = await connect();
  org.account.add('contacts', { email: lead.Email, lifecyclestage: 'lead', hs_lead_status: 'UNQUALIFIED' });

  const qualified = await org.ring().qualifyLead({ lead });

  expect(qualified.outcome).toBe('open_lead');
  expect(org.account.records('contacts')).toHaveLength(1);
});

test('qualifying moves a person through the lifecycle stages', async () => {
  await using org = await connect();
  const qualified = await org.ring().qualifyLead({ lead }, { qualifiedStatus: 'salesqualifiedlead' });

  expect(qualified.outcome).toBe('lead_created');
  expect(org.account.records('contacts')[0]?.properties).toMatchObject({ lifecyclestage: 'salesqualifiedlead' });
});

test('a case is a ticket of the caller', async () => {
  await using org = await connect();
  const { id } = org.account.add('contacts', { email: lead.Email, lifecyclestage: 'customer' });

  await org.ring().openCase({ subject: 'Stuck door', contactId: id, priority: 'High' });

  expect(org.account.records('tickets')).toMatchObject([
    { properties: { subject: 'Stuck door', source_type: 'PHONE' }, associations: { contacts: [id] } },
  ]);
});
