import { describe, expect, test } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { not, where } from '../../../src/crm/index.ts';
import { hubspot, type HubSpotOptions } from '../../../src/crm/hubspot/index.ts';
import { createIntegration } from '../../../src/index.ts';
import { createFakePlatform, testCredentials } from '../../../src/dev/testing/index.ts';
import { crmCalendar } from '../../../src/tools/ready/crm-calendar.ts';

const connect = async (options?: HubSpotOptions) => {
  const platform = createFakePlatform({ crm: { dialect: 'hubspot', searchDelayMs: 0 } });
  const { crm: baseUrl } = await platform.listen();
  const integration = createIntegration({
    crm: { ...hubspot(options), baseUrl, authenticate: bearer(() => testCredentials.crm) },
  });
  return {
    platform,
    account: platform.hubspot,
    integration,
    crm: integration.crm,
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await platform.close();
    },
  };
};

describe('lists of values', () => {
  test.each([
    ['BillingCity', ['Turin', 'ROME'], 'city', { city: 'Turin' }],
    ['Name', ['NORTHWIND'], 'name', { name: 'Northwind' }],
    ['domain', ['Acme.example'], 'domain', { domain: 'acme.example' }],
  ])('find texts of %s in any case, and leave them out', async (field, values, property, own) => {
    await using org = await connect();
    const { id } = org.account.add('companies', own);
    const other = org.account.add('companies', { [property]: 'else' });

    const found = await org.crm.query('Account', { fields: ['Name'], where: where(field, 'in', values) });
    const others = await org.crm.query('Account', { fields: ['Name'], where: not(where(field, 'in', values)) });

    expect(found.data.map(({ Id }) => Id)).toEqual([id]);
    expect(others.data.map(({ Id }) => Id)).toEqual([other.id]);
  });

  test('find choices by their own names, which have capitals', async () => {
    await using org = await connect();
    const { id } = org.account.add('contacts', { lifecyclestage: 'lead', hs_lead_status: 'IN_PROGRESS' });
    const status = where('Status', 'in', ['IN_PROGRESS', 'NEW']);

    expect((await org.crm.leads.search({ where: status })).data.map(({ Id }) => Id)).toEqual([id]);
  });
});

describe('a text that HubSpot shows as HTML', () => {
  const said = 'a\nb <a href="https://x.example">x</a> 3 < 5 & "so"';
  const html = 'a<br>b &lt;a href=&quot;https://x.example&quot;&gt;x&lt;/a&gt; 3 &lt; 5 &amp; &quot;so&quot;';

  test.each([
    ['Task', 'Description', 'tasks', 'hs_task_body', {}],
    ['Task', 'Description', 'calls', 'hs_call_body', { tasksAs: 'calls' }],
    ['Event', 'Description', 'meetings', 'hs_meeting_body', {}],
    ['notes', 'hs_note_body', 'notes', 'hs_note_body', {}],
    ['calls', 'hs_call_body', 'calls', 'hs_call_body', {}],
  ] as const)(
    'of a new %s (%s) has no markup of its own, and is read as it was',
    async (object, field, type, property, options) => {
      await using org = await connect(options);
      const records = org.crm.records(object as string);

      const { id } = await records.create({ [field]: said });
      expect(org.account.records(type)[0]?.properties[property]).toBe(html);
      expect(await records.get(id, { fields: [field] })).toMatchObject({ [field]: said });

      await records.update(id, { [field]: '<b>' });
      expect(org.account.records(type)[0]?.properties[property]).toBe('&lt;b&gt;');
    },
  );

  test('was written by people, and is read as words', async () => {
    await using org = await connect();
    const { id } = org.account.add('notes', { hs_note_body: '<p>Prefers&nbsp;<b>mornings</b></p><p>&amp; tea</p>' });

    expect(await org.crm.records('notes').get(id, { fields: ['hs_note_body'] })).toMatchObject({
      hs_note_body: 'Prefers mornings\n& tea',
    });
  });

  test('isn’t the text of a ticket, which is plain', async () => {
    await using org = await connect();
    await org.crm.cases.create({ Subject: 'Door', Description: '3 < 5' });

    expect(org.account.records('tickets')[0]?.properties['content']).toBe('3 < 5');
  });
});

test('an internal phone call is logged without a direction', async () => {
  await using org = await connect({ tasksAs: 'calls' });
  const call = org.integration.startPhoneCall({ callId: 'CA1', direction: 'internal', phone: '+14155550100' });

  expect(await call.finish({ summary: 'Asked for a day off.' })).toMatchObject({ complete: true });
  expect(org.account.records('calls')).toMatchObject([{ properties: { hs_call_body: 'Asked for a day off.' } }]);
  expect(org.account.records('calls')[0]?.properties).not.toHaveProperty('hs_call_direction');
});

test('a new lead gets the first of the account’s own stages of leads', async () => {
  await using org = await connect({ leadStages: ['subscriber', 'salesqualifiedlead'] });
  const { id } = await org.crm.leads.create({ LastName: 'Okafor', Email: 'ngozi@example.com' });

  expect(org.account.records('contacts')[0]?.properties['lifecyclestage']).toBe('subscriber');
  expect((await org.crm.leads.search({ email: 'ngozi@example.com' })).data).toMatchObject([{ Id: id }]);
});

test('a new contact gets no stage from us', async () => {
  await using org = await connect();
  await org.crm.contacts.create({ LastName: 'Okafor' });

  expect(org.platform.requests[0]?.body).toEqual({ properties: { lastname: 'Okafor' } });
});

test('a canceled meeting blocks no slot, and isn’t the caller’s appointment', async () => {
  await using org = await connect();
  const start = new Date('2026-12-01T10:00:00Z');
  const end = new Date('2026-12-01T10:30:00Z');
  const calendar = crmCalendar(org.crm, { ownerId: '7', timeZone: 'UTC' });
  const attendee = { phone: '+14155550100', email: undefined };
  const wanted = { start, end, attendee, reason: undefined, reference: 'CA1' };
  const booked = await calendar.book(wanted, {});
  expect(await calendar.find(wanted, {})).toMatchObject({ id: booked?.id });

  await org.crm.events.update(booked?.id ?? '', { hs_meeting_outcome: 'CANCELED' });

  expect(await calendar.find(wanted, {})).toBeUndefined();
  expect(await calendar.freeSlots({ from: start, to: end }, {})).toEqual([{ start, end }]);
  expect(await calendar.book(wanted, {})).toMatchObject({ start });
});

test.each(['SCHEDULED', 'RESCHEDULED', 'NO_SHOW', 'COMPLETED'])(
  'a meeting whose outcome is %s keeps its time: some apps move a meeting and call it rescheduled',
  async (outcome) => {
    await using org = await connect();
    const start = new Date('2026-12-01T10:00:00Z');
    const end = new Date('2026-12-01T10:30:00Z');
    const calendar = crmCalendar(org.crm, { ownerId: '7', timeZone: 'UTC' });
    const attendee = { phone: '+14155550100', email: undefined };
    const wanted = { start, end, attendee, reason: undefined, reference: 'CA1' };
    const booked = await calendar.book(wanted, {});

    await org.crm.events.update(booked?.id ?? '', { hs_meeting_outcome: outcome });

    expect(await calendar.find(wanted, {})).toMatchObject({ id: booked?.id });
    expect(await calendar.freeSlots({ from: start, to: end }, {})).toEqual([]);
  },
);
