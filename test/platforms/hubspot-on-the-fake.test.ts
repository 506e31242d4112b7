import { Client as HubSpotClient, Signature } from '@hubspot/api-client';
import { describe, expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { createCrmClient, where } from '../../src/crm/index.ts';
import { hubspot } from '../../src/crm/hubspot/index.ts';
import { createFakePlatform, type FakeHubSpotOptions, testCredentials } from '../../src/dev/testing/index.ts';
import { hubspotSignature } from '../../src/webhooks/index.ts';
import { startDatedPaths } from './dated-paths.ts';

describe('@hubspot/api-client works with the fake account', () => {
  const connect = async (options?: Pick<FakeHubSpotOptions, 'rules'>) => {
    const platform = createFakePlatform({ crm: { dialect: 'hubspot', searchDelayMs: 0, ...options } });
    const { crm: baseUrl } = await platform.listen();
    const { url: basePath, close } = await startDatedPaths(baseUrl);
    const open = (accessToken: string) => new HubSpotClient({ accessToken, basePath, numberOfApiCallRetries: 0 });
    return {
      platform,
      baseUrl,
      open,
      client: open(testCredentials.crm).crm,
      [Symbol.asyncDispose]: async () => {
        await close();
        await platform.close();
      },
    };
  };
  const associated = (associationTypeId: number, id: string) => ({
    to: { id },
    types: [{ associationCategory: 'HUBSPOT_DEFINED' as never, associationTypeId }],
  });

  test('and our client sends what it sends, under the dated paths', async () => {
    await using theirs = await connect();
    await using ours = await connect();
    const crm = createCrmClient({
      ...hubspot(),
      baseUrl: ours.baseUrl,
      authenticate: bearer(() => testCredentials.crm),
    });
    const { client } = theirs;
    const at = '2026-11-24T12:00:00.000Z';

    const { id: AccountId } = await crm.accounts.create({ Name: 'Northwind' });
    const { id: WhoId } = await crm.contacts.create({ LastName: 'Okafor', Email: 'ngozi@example.com', AccountId });
    const { id: WhatId } = await crm.opportunities.create({
      Name: 'Oven',
      StageName: 'Appointment Scheduled',
      AccountId,
    });
    await crm.cases.create({ Subject: 'Stuck door', Status: 'New', ContactId: WhoId });
    const task = { Subject: 'Call back', Status: 'Completed', ActivityDate: '2026-11-24' };
    const { id: taskId } = await crm.tasks.create({ ...task, WhoId, WhatId });
    await crm.events.create({ Subject: 'Visit', StartDateTime: at, WhoId });
    await crm.records('notes').create({ hs_note_body: 'Rang.', hs_timestamp: at, WhoId });
    await crm.records('calls').create({ hs_call_title: 'Rang.', hs_timestamp: at, WhoId });
    await crm.tasks.update(taskId, { Description: 'Twice.' });
    await crm.tasks.update(taskId, { WhoId });
    await crm.contacts.upsert({ field: 'Email', value: 'ngozi@example.com' }, { FirstName: 'Ngozi' });
    await crm.accounts.search({ name: 'Northwind' });
    await crm.contacts.get(WhoId, { fields: ['LastName', 'Email'] });
    await crm.records('notes').get('7', { fields: ['hs_note_body'] });
    const { id: ownerId } = ours.platform.hubspot.add('owners', { email: 'kim@acme.example' });
    await crm.records('User').get(ownerId);
    await crm.records('User').search({ where: where('Email', '=', 'kim@acme.example'), limit: 1 });
    await crm.query('User', { fields: ['Email'] });
    await crm.batch.create('contacts', [{ lastname: 'Lee' }]);
    await crm.batch.update('Contact', [{ id: WhoId, fields: { MailingCity: 'Turin' } }]);
    const by = { field: 'Email', value: 'ngozi@example.com' };
    await crm.batch.upsert('Contact', [{ by, fields: { LastName: 'Okafor' } }]);
    await crm.batch.get('contacts', [WhoId], { fields: ['city'] });
    await crm.batch.get('contacts', [WhoId, '7'], { fields: ['city'] });
    await crm.tasks.delete(taskId);

    const company = await client.companies.basicApi.create({ properties: { name: 'Northwind' } });
    const contact = await client.contacts.basicApi.create({
      properties: { lastname: 'Okafor', email: 'ngozi@example.com' },
      associations: [associated(1, company.id)],
    });
    // Its stages are read for their labels.
    await client.pipelines.pipelinesApi.getAll('deals');
    const deal = await client.deals.basicApi.create({
      properties: { dealname: 'Oven', dealstage: 'appointmentscheduled' },
      associations: [associated(5, company.id)],
    });
    await client.pipelines.pipelinesApi.getAll('tickets');
    await client.tickets.basicApi.create({
      properties: { hs_pipeline_stage: '1', subject: 'Stuck door' },
      associations: [associated(16, contact.id)],
    });
    const made = await client.objects.tasks.basicApi.create({
      properties: { hs_timestamp: at, hs_task_subject: 'Call back', hs_task_status: 'COMPLETED' },
      associations: [associated(204, contact.id), associated(216, deal.id)],
    });
    await client.objects.meetings.basicApi.create({
      properties: { hs_timestamp: at, hs_meeting_title: 'Visit', hs_meeting_start_time: at },
      associations: [associated(200, contact.id)],
    });
    await client.objects.notes.basicApi.create({
      properties: { hs_timestamp: at, hs_note_body: 'Rang.' },
      associations: [associated(202, contact.id)],
    });
    await client.objects.calls.basicApi.create({
      properties: { hs_timestamp: at, hs_call_title: 'Rang.' },
      associations: [associated(194, contact.id)],
    });
    await client.objects.tasks.basicApi.update(made.id, { properties: { hs_task_body: 'Twice.' } });
    await client.associations.v4.basicApi.createDefault('tasks', made.id, 'contacts', contact.id);
    await client.contacts.batchApi.upsert({
      inputs: [
        {
          idProperty: 'email',
          id: 'ngozi@example.com',
          properties: { firstname: 'Ngozi', email: 'ngozi@example.com' },
        },
      ],
    });
    await client.companies.searchApi.doSearch({
      filterGroups: [{ filters: [{ propertyName: 'name', operator: 'EQ' as never, value: 'Northwind' }] }],
      sorts: [{ propertyName: 'hs_lastmodifieddate', direction: 'DESCENDING' }] as never,
      properties: ['hs_object_id', 'name', 'hubspot_owner_id', 'hs_lastmodifieddate'],
      limit: 1,
    });
    await client.contacts.basicApi.getById(contact.id, ['hs_object_id', 'lastname', 'email', 'lifecyclestage']);
    const read = ['hs_object_id', 'hs_note_body'];
    await client.objects.notes.basicApi
      .getById('7', read, undefined, ['companies', 'contacts', 'deals'])
      .catch(() => {});
    const { id: owner } = theirs.platform.hubspot.add('owners', { email: 'kim@acme.example' });
    await client.owners.ownersApi.getById(Number(owner));
    await client.owners.ownersApi.getPage('kim@acme.example', undefined, 1);
    await client.owners.ownersApi.getPage(undefined, undefined, 500);
    const objectWriteTraceId = '0';
    await client.contacts.batchApi.create({
      inputs: [{ properties: { lastname: 'Lee' }, objectWriteTraceId }],
    } as never);
    await client.contacts.batchApi.update({
      inputs: [{ id: contact.id, properties: { city: 'Turin' }, objectWriteTraceId }],
    });
    await client.contacts.batchApi.upsert({
      inputs: [
        {
          idProperty: 'email',
          id: 'ngozi@example.com',
          properties: { lastname: 'Okafor', email: 'ngozi@example.com' },
          objectWriteTraceId,
        },
      ],
    });
    const inputs = [{ id: contact.id }];
    const properties = { properties: ['city'], propertiesWithHistory: [] };
    await client.contacts.batchApi.read({ inputs, ...properties });
    const partly = await client.contacts.batchApi.read({ inputs: [...inputs, { id: '7' }], ...properties });
    // Its types of a success have no errors: it reads those of a 207 alone.
    expect(partly.results.map(({ id }) => id)).toEqual([contact.id]);
    await client.objects.tasks.basicApi.archive(made.id);
    await crm.close();

    const sent = (platform: typeof ours.platform) =>
      platform.requests.map(({ method, path, body, status, headers }) => ({
        method,
        path,
        body,
        status,
        type: body === undefined ? undefined : headers['content-type'],
        authorization: headers['authorization'],
      }));
    expect(sent(ours.platform)).toEqual(sent(theirs.platform));
  });

  test.each<[category: string, code: number, call: (client: HubSpotClient) => Promise<unknown>]>([
    ['OBJECT_NOT_FOUND', 404, ({ crm }) => crm.contacts.basicApi.getById('1')],
    ['VALIDATION_ERROR', 400, ({ crm }) => crm.contacts.basicApi.create({ properties: { nonsense: 'x' } })],
    [
      'VALIDATION_ERROR',
      400,
      ({ crm }) =>
        crm.objects.notes.basicApi.create({
          properties: { hs_timestamp: '2026-11-24T12:00:00Z' },
          associations: [associated(204, '1')],
        }),
    ],
  ])('%s is read with status %i', async (category, code, call) => {
    await using account = await connect();

    await expect(call(account.open(testCredentials.crm))).rejects.toMatchObject({ code, body: { category } });
  });

  test('what the account’s rules refuse is read with the properties that are missing', async () => {
    await using account = await connect({ rules: [{ object: 'contacts', requires: ['email', 'company'] }] });
    const errors = [{ code: 'MISSING_REQUIRED_PROPERTY', context: { propertyName: ['email', 'company'] } }];

    await expect(account.client.contacts.basicApi.create({ properties: { phone: '1' } })).rejects.toMatchObject({
      code: 400,
      body: { category: 'VALIDATION_ERROR', errors },
    });
  });

  test('its types read pipelines, owners, people and associations', async () => {
    await using account = await connect();
    const { client, platform } = account;
    const { id } = platform.hubspot.add('owners', { email: 'kim@acme.example', firstname: 'Kim' });
    const contact = await client.contacts.basicApi.create({ properties: { lastname: 'Lee' } });
    const ticket = await client.tickets.basicApi.create({
      properties: { subject: 'Door', hs_pipeline_stage: '1' },
      associations: [associated(16, contact.id)],
    });

    const pipelines = await client.pipelines.pipelinesApi.getAll('tickets');
    expect(pipelines.results[0]).toMatchObject({
      id: '0',
      displayOrder: 0,
      createdAt: expect.any(Date),
      stages: expect.arrayContaining([
        expect.objectContaining({ id: '2', label: 'Waiting on contact', archived: false }),
      ]),
    });
    expect(await client.owners.ownersApi.getById(Number(id))).toMatchObject({ id, firstName: 'Kim', archived: false });
    expect(contact.createdAt).toBeInstanceOf(Date);
    const read = await client.tickets.basicApi.getById(ticket.id, ['subject'], undefined, ['contacts']);
    expect(read).toMatchObject({ associations: { contacts: { results: [{ id: contact.id }] } } });
  });

  test('a token that is not known is refused as authentication', async () => {
    await using account = await connect();

    await expect(account.open('other').crm.contacts.basicApi.getById('1')).rejects.toMatchObject({
      code: 401,
      body: { category: 'INVALID_AUTHENTICATION' },
    });
  });
});

test('what @hubspot/api-client signs is accepted', async () => {
  const [clientSecret, url, requestBody, timestamp] = ['client-secret', 'https://agent.example/hook', '[]', Date.now()];
  const signature = Signature.getSignature('POST', 'v3', { clientSecret, url, requestBody, timestamp } as never);
  const headers = new Headers({
    'x-hubspot-signature-v3': signature,
    'x-hubspot-request-timestamp': String(timestamp),
  });
  const { check } = hubspotSignature({ secrets: () => clientSecret });
  const arrival = { url: new URL(url), headers, peer: {}, tenant: undefined };

  expect(await check(arrival, Buffer.from(requestBody))).toMatchObject({ accepted: true });
  expect(await check(arrival, Buffer.from('[{}]'))).toMatchObject({ accepted: false });
});
