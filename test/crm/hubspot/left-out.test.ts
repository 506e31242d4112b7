import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import type { CrmContactFields, CrmOptions } from '../../../src/crm/index.ts';
import { hubspot, type HubSpotOptions } from '../../../src/crm/hubspot/index.ts';
import { createIntegration, type IntegrationEvent } from '../../../src/index.ts';
import { createFakePlatform, type FakeHubSpotRule, testCredentials } from '../../../src/dev/testing/index.ts';

const connect = async (rules: readonly FakeHubSpotRule[] = [], options?: HubSpotOptions) => {
  const platform = createFakePlatform({ crm: { dialect: 'hubspot', searchDelayMs: 0, rules } });
  const { crm: baseUrl } = await platform.listen();
  const events: IntegrationEvent[] = [];
  const integration = createIntegration({
    crm: { ...hubspot(options), baseUrl, authenticate: bearer(() => testCredentials.crm) },
    onEvent: (event) => events.push(event),
  });
  return {
    platform,
    account: platform.hubspot,
    baseUrl,
    integration,
    crm: integration.crm,
    ring: () => integration.startPhoneCall({ callId: 'CA1', direction: 'inbound', phone: '+14155550100' }),
    drifted: () => events.flatMap((event) => (event.type === 'schema-drift' ? [event.fields] : [])),
    refusals: () => events.filter((event) => event.type === 'call' && event.outcome === 'rejected'),
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await platform.close();
    },
  };
};

const allArguments = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  company: 'Analytical Engines',
  email: 'ada@example.com',
  title: 'Countess',
  employees: 50,
  use_case: 'Bread for 200',
  expected_close: '2026-12-31',
  score: 80,
  summary: 'Wants an oven.',
};

describe('a caller is saved', () => {
  test('with every argument of qualify_lead, though the account has no property for four', async () => {
    await using org = await connect();
    const call = org.ring();

    const { status, value } = await call.tools.run('qualify_lead', JSON.stringify(allArguments));

    expect({ status, value }).toEqual({ status: 'done', value: { result: 'saved as a new lead' } });
    expect(org.account.records('contacts')).toMatchObject([
      {
        properties: {
          email: 'ada@example.com',
          jobtitle: 'Countess',
          message:
            'Wants an oven.\n\nNumber of employees: 50\nUse case: Bread for 200\nExpected close: 2026-12-31\nLead score: 80',
        },
      },
    ]);
    expect(org.drifted()).toEqual([['NumberOfEmployees', 'Use_Case__c', 'Expected_Close__c', 'Lead_Score__c']]);
    expect(org.refusals()).toEqual([]);
  });

  test('by the starter as it is', async () => {
    await using org = await connect();
    vi.stubEnv('CRM_BASE_URL', org.baseUrl);
    vi.stubEnv('CRM_TOKEN', testCredentials.crm);
    onTestFinished(() => void vi.unstubAllEnvs());
    const starter = new URL('../../../templates/crm/hubspot.ts', import.meta.url).href;
    const { crm } = (await import(starter)) as { readonly crm: CrmOptions };
    await using integration = createIntegration({ crm });
    const call = integration.startPhoneCall({ callId: 'CA1', direction: 'inbound', phone: '+14155550100' });

    const { status } = await call.tools.run('qualify_lead', JSON.stringify(allArguments));

    expect(status).toBe('done');
    expect(org.account.records('contacts')).toMatchObject([{ properties: { email: 'ada@example.com' } }]);
  });

  test.each<[name: string, options: HubSpotOptions, lead: object, left: string, line: string]>([
    [
      'a property that was renamed',
      { properties: { Lead: { Use_Case__c: 'use_case' } } },
      { Use_Case__c: 'Bread' },
      'Use_Case__c',
      'Use case: Bread',
    ],
    ['a property that isn’t writable', {}, { hs_object_id: '7' }, 'hs_object_id', 'Hs object id: 7'],
    ['a choice that the account hasn’t', {}, { Status: 'warm' }, 'Status', 'Status: warm'],
    ['a stage that a rule refuses', {}, { Status: 'subscriber' }, 'Status', 'Status: subscriber'],
    [
      'a name of its own that the account hasn’t',
      {},
      { favourite_bread: 'rye' },
      'favourite_bread',
      'Favourite bread: rye',
    ],
    ['an address that a rule refuses', {}, { Email: 'ada@example.org' }, 'Email', 'Email: ada@example.org'],
    ['a code that a rule refuses', {}, { PostalCode: 'W1' }, 'PostalCode', 'Postal code: W1'],
  ])('without %s', async (_name, options, lead, left, line) => {
    const formats = [
      { property: 'zip', matches: /^\d{5}$/ },
      { property: 'email', matches: /\.com$/ },
      { property: 'lifecyclestage', matches: /^lead$/ },
    ];
    await using org = await connect(
      formats.map((format) => ({ object: 'contacts', format })),
      options,
    );

    await org.crm.leads.create({ LastName: 'Lovelace', Description: 'Rang.', ...lead });

    expect(org.account.records('contacts')).toMatchObject([{ properties: { message: `Rang.\n\n${line}` } }]);
    expect(org.drifted()).toEqual([[left]]);
  });

  test('in every object that has a description, in a batch, an update and an upsert', async () => {
    await using org = await connect();
    const { crm, account } = org;

    await crm.accounts.create({ Name: 'Northwind', Rating: 'Hot' });
    const { id } = await crm.contacts.create({ Email: 'ada@example.com', Department: 'Ovens' });
    await crm.contacts.update(id, { Department: 'Bread' });
    await crm.contacts.update(id, { Department: 'Bread', favourite_bread: 'rye' });
    await crm.contacts.upsert({ field: 'Email', value: 'ada@example.com' }, { HomePhone: '1', LastName: 'Lovelace' });
    await crm.batch.create('Contact', [{ LastName: 'Lee', OtherPhone: '2' }]);
    await crm.cases.create({ Subject: 'Door', Description: 'Stuck.', Priority: 'Blocker', Origin: 'Chatbot' });
    await crm.tasks.create({ Subject: 'Call', Priority: 'Urgent', TaskSubtype: 'Call' });
    await crm.opportunities.create({ Name: 'Oven', Probability: 40, OwnerId: '7' });
    await crm.events.create({ Subject: 'Visit', StartDateTime: '2026-12-01T10:00:00Z', IsAllDayEvent: true });

    expect(account.records('companies')[0]?.properties['description']).toBe('Rating: Hot');
    expect(account.records('contacts').map(({ properties }) => properties['message'])).toEqual([
      'Department: Ovens\n\nDepartment: Bread\n\nFavourite bread: rye\n\nHome phone: 1',
      'Other phone: 2',
    ]);
    expect(account.records('tickets')[0]?.properties['content']).toBe('Stuck.\n\nPriority: Blocker\nOrigin: Chatbot');
    expect(account.records('tasks')[0]?.properties['hs_task_body']).toBe('Task subtype: Call<br>Priority: Urgent');
    expect(account.records('deals')[0]?.properties['description']).toBe('Probability: 40');
    expect(account.records('meetings')[0]?.properties['hs_meeting_body']).toBe('Is all day event: true');
  });

  test('but a field that HubSpot needs is not left out, nor one that another record has', async () => {
    await using org = await connect();
    await org.crm.contacts.create({ Email: 'ada@example.com' });

    await expect(org.crm.contacts.create({ Email: 'ada@example.com' })).rejects.toMatchObject({ status: 409 });
    await expect(org.crm.opportunities.create({ Amount: 7 })).rejects.toMatchObject({ status: 400 });
    expect(org.drifted()).toEqual([]);
  });
});

describe('what is left out stays when the description is written again', () => {
  test('by later steps of the phone call', async () => {
    await using org = await connect();
    const taskFields = { TaskSubtype: 'Call', favourite_bread: 'rye' };
    const options = { callId: 'CA1', direction: 'inbound', phone: '+14155550100', taskFields } as const;
    const call = org.integration.startPhoneCall(options);

    await call.logCall({ summary: 'Asked.' });
    await call.logCall({ summary: 'Asked twice.' });
    await call.finish({ summary: 'Bought it.', outcome: 'resolved' });

    expect(org.account.records('tasks')).toHaveLength(1);
    expect(org.account.records('tasks')[0]?.properties['hs_task_body']).toBe(
      'Bought it.<br><br>Task subtype: Call<br>Favourite bread: rye',
    );
  });

  test.each<[name: string, change: CrmContactFields, message: string]>([
    ['a text', { Description: 'New.' }, 'New.\n\nDepartment: Ovens\nFavourite bread: rye'],
    ['an empty one', { Description: '' }, 'Department: Ovens\nFavourite bread: rye'],
    ['none', { FirstName: 'Ada' }, 'Old.\n\nDepartment: Ovens\nFavourite bread: rye'],
    [
      'one of the fields',
      { Description: 'New.', Department: 'Bread' },
      'New.\n\nFavourite bread: rye\nDepartment: Bread',
    ],
    [
      'another field',
      { Description: 'New.', HomePhone: '1' },
      'New.\n\nDepartment: Ovens\nFavourite bread: rye\nHome phone: 1',
    ],
    ['the line itself', { Description: 'Department: Ovens' }, 'Department: Ovens\n\nFavourite bread: rye'],
    ['an emptied field', { Description: 'New.', Department: null }, 'New.\n\nFavourite bread: rye'],
  ])('by an update with %s', async (_name, change, message) => {
    await using org = await connect();
    const fields = { Email: 'ada@example.com', Description: 'Old.', Department: 'Ovens', favourite_bread: 'rye' };
    const { id } = await org.crm.contacts.create(fields);
    await org.crm.contacts.create({ Email: 'lee@example.com', Description: 'Lee.', Department: 'Sales' });

    await org.crm.contacts.update(id, change);
    await org.crm.contacts.update(id, change);

    const texts = org.account.records('contacts').map(({ properties }) => properties['message']);
    expect(texts).toEqual([message, 'Lee.\n\nDepartment: Sales']);
  });

  test('by an upsert', async () => {
    await using org = await connect();
    await org.crm.contacts.create({ Email: 'ada@example.com', Description: 'Old.', Department: 'Ovens' });

    await org.crm.contacts.upsert({ field: 'Email', value: 'ada@example.com' }, { Description: 'New.' });

    expect(org.account.records('contacts')[0]?.properties['message']).toBe('New.\n\nDepartment: Ovens');
  });
});

describe('a lead that the account’s rules refuse', () => {
  const needsEmail: FakeHubSpotRule = { object: 'contacts', requires: ['email', 'company'] };

  test('is on the call’s Task with everything, says what is missing, and is saved when that is said', async () => {
    await using org = await connect([needsEmail]);
    const call = org.ring();
    const { email: _, ...anonymous } = allArguments;

    const refused = await call.tools.run('qualify_lead', JSON.stringify(anonymous));
    const [task] = org.account.records('tasks');

    expect(refused.value).toEqual({
      result: expect.stringContaining('noted for follow-up'),
      complete: false,
      details: expect.anything(),
    });
    expect(refused.text).toContain('"propertyName":["email"]');
    for (const said of [
      'Ada',
      'Analytical Engines',
      'Countess',
      '50',
      'Bread for 200',
      '2026-12-31',
      '80',
      '+14155550100',
    ])
      expect(task?.properties['hs_task_body']).toContain(said);
    expect(org.refusals()).toHaveLength(1);

    const saved = await call.tools.run('qualify_lead', JSON.stringify(allArguments));
    await call.finish({ summary: 'Wants an oven soon.' });

    expect(saved.value).toEqual({ result: 'saved as a new lead' });
    const [finished, ...others] = org.account.records('tasks');
    expect(others).toEqual([]);
    expect(finished?.associations).toEqual({ contacts: [org.account.records('contacts')[0]?.id] });
    expect(finished?.properties['hs_task_body']).toContain('Bread for 200');
  });

  test('names the properties of a condition', async () => {
    const when = { property: 'hs_lead_status', value: 'UNQUALIFIED' };
    await using org = await connect([{ object: 'contacts', when, requires: ['message', 'city'] }]);
    const { id } = await org.crm.leads.create({ LastName: 'Lee' });

    const refusal = org.crm.leads.update(id, { Status: 'disqualified' });

    await expect(refusal).rejects.toMatchObject({
      status: 400,
      codes: ['MISSING_CONDITIONAL_REQUIRED_PROPERTY', 'VALIDATION_ERROR'],
      problems: [{ fields: ['message', 'city'] }, {}],
    });
  });

  test('is an error where the Task can’t be written either', async () => {
    await using org = await connect([needsEmail]);
    org.platform.fault('crm.tasks.create', [{ status: 403 }]);

    await expect(org.ring().qualifyLead({ lead: { LastName: 'Lee' } })).rejects.toMatchObject({
      codes: ['MISSING_REQUIRED_PROPERTY', 'VALIDATION_ERROR'],
    });
  });
});
