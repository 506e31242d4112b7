import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { not, where } from '../../../src/crm/index.ts';
import { hubspot, type HubSpotOptions } from '../../../src/crm/hubspot/index.ts';
import { createIntegration } from '../../../src/index.ts';
import { createFakePlatform, type FakeHubSpotPipelines, testCredentials } from '../../../src/dev/testing/index.ts';

const connect = async (options?: HubSpotOptions, pipelines?: Partial<FakeHubSpotPipelines>) => {
  const platform = createFakePlatform({ crm: { dialect: 'hubspot', searchDelayMs: 0, pipelines } });
  const { crm: baseUrl } = await platform.listen();
  const integration = createIntegration({
    crm: { ...hubspot(options), baseUrl, authenticate: bearer(() => testCredentials.crm) },
    phoneCalls: { tools: { call: { caseStatus: true } } },
  });
  return {
    platform,
    account: platform.hubspot,
    integration,
    crm: integration.crm,
    reads: () => platform.requests.filter(({ path }) => path.includes('/pipelines/')).length,
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await platform.close();
    },
  };
};

const twoPipelines = {
  tickets: [
    {
      id: '10',
      label: 'Support',
      stages: [
        { id: '11', label: 'New' },
        { id: '12', label: 'Closed' },
      ],
    },
    {
      id: '20',
      label: 'Repairs',
      stages: [
        { id: '21', label: 'New' },
        { id: '22', label: 'In the workshop' },
      ],
    },
  ],
};

describe('a stage is what people call it', () => {
  test('in a ticket: written by its label, and read by it in every way', async () => {
    await using org = await connect();
    const { crm } = org;
    const { id } = await crm.cases.create({ Subject: 'Door', Status: 'Waiting on us' });

    expect(org.account.records('tickets')[0]?.properties).toMatchObject({ hs_pipeline_stage: '3' });
    const condition = where('Status', '=', 'waiting on us');
    const rows = [];
    for await (const row of crm.cases.searchAll({ where: condition })) rows.push(row);
    for await (const row of crm.query('Case', { fields: ['Status'], where: condition })) rows.push(row);
    const [item] = await crm.batch.get('Case', [id]);
    expect([
      (await crm.cases.get(id))?.Status,
      (await crm.cases.search({ where: condition })).data[0]?.Status,
      ...rows.map(({ Status }) => Status),
      item?.status === 'done' && item.record.Status,
    ]).toEqual(Array(5).fill('Waiting on us'));
    expect((await crm.cases.search({ where: not(condition) })).data).toEqual([]);

    await crm.cases.update(id, { Status: 'Closed' });
    await crm.batch.update('Case', [{ id, fields: { Status: 'new' } }]);
    expect(await crm.cases.get(id, { fields: ['Status'] })).toMatchObject({ Status: 'New' });
    expect(org.reads()).toBe(1);
  });

  test('in a deal, whose stage may be left out', async () => {
    await using org = await connect();
    const first = await org.crm.opportunities.create({ Name: 'Oven' });
    const second = await org.crm.opportunities.create({ Name: 'Oven', StageName: 'Closed Won' });
    const third = await org.crm.opportunities.create({ Name: 'Oven', StageName: 'contractsent' });

    const stages = [first, second, third].map(async ({ id }) => (await org.crm.opportunities.get(id))?.StageName);
    expect(await Promise.all(stages)).toEqual(['Appointment Scheduled', 'Closed Won', 'Contract Sent']);
  });

  test('for a caller who asks for their case', async () => {
    await using org = await connect();
    const { id } = org.account.add('contacts', { phone: '+14155550100', lifecyclestage: 'customer' });
    const ticket = org.account.add('tickets', { subject: 'Door', hs_pipeline_stage: '2' });
    org.account.associate({ type: 'tickets', id: ticket.id }, { type: 'contacts', id });
    const call = org.integration.startPhoneCall({ callId: 'CA1', direction: 'inbound', phone: '+14155550100' });

    expect((await call.tools.run('get_case_status', '{}')).value).toEqual({
      cases: [{ number: ticket.id, subject: 'Door', status: 'Waiting on contact' }],
    });
  });

  test('in one of several pipelines, which is written too', async () => {
    await using org = await connect(undefined, twoPipelines);
    const { crm, account } = org;
    const { id } = await crm.cases.create({ Subject: 'Door' });
    await crm.cases.create({ Subject: 'Door', Status: 'In the workshop' });
    await crm.cases.create({ Subject: 'Door', Status: 'New', hs_pipeline: 'Repairs' });

    expect(
      account
        .records('tickets')
        .map(({ properties: { hs_pipeline_stage, hs_pipeline } }) => [hs_pipeline_stage, hs_pipeline]),
    ).toEqual([
      ['11', undefined],
      ['22', '20'],
      ['21', '20'],
    ]);
    await expect(crm.cases.update(id, { Status: 'New' })).rejects.toMatchObject({ field: 'Status' });
    await crm.cases.update(id, { Status: 'New', hs_pipeline: '20' });
    expect((await crm.cases.search({ where: where('Status', 'in', ['New']), limit: 9 })).data).toHaveLength(2);
  });

  test('that isn’t there is refused with those that are', async () => {
    await using org = await connect();

    await expect(org.crm.cases.create({ Subject: 'Door', Status: 'Lost' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('New, Waiting on contact, Waiting on us, Closed'),
    });
  });

  test.each(['Waiting on us', '3'])('of new tickets may be %s', async (ticketStage) => {
    await using org = await connect({ ticketStage });
    await org.crm.cases.create({ Subject: 'Door' });

    expect(org.account.records('tickets')[0]?.properties).toMatchObject({ hs_pipeline_stage: '3' });
  });
});

describe('the pipelines', () => {
  test('are read once for calls at the same time, and again after ten minutes', async () => {
    await using org = await connect();
    const { id } = org.account.add('tickets', { subject: 'Door', hs_pipeline_stage: '1' });
    const read = () => org.crm.cases.get(id);

    await Promise.all([read(), read(), read()]);
    expect(org.reads()).toBe(1);
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 10 * 60_000);
    onTestFinished(() => clock.mockRestore());
    await read();
    expect(org.reads()).toBe(2);
  });

  test('that can’t be read leave a stage unsaid, and a new ticket is made all the same', async () => {
    await using org = await connect();
    org.platform.fault('crm.pipelines.list', [{ status: 403, times: 9 }]);
    const { id } = await org.crm.cases.create({ Subject: 'Door' });

    expect(await org.crm.cases.get(id)).toMatchObject({ Subject: 'Door', Status: null });
    expect(org.account.records('tickets')[0]?.properties).toMatchObject({ hs_pipeline_stage: '1' });
    expect(org.reads()).toBe(1);
  });

  test('aren’t read for objects without them', async () => {
    await using org = await connect({ properties: { Case: { Status: 'content' } } });
    const { id } = await org.crm.leads.create({ LastName: 'Lee', Status: 'disqualified' });
    await org.crm.leads.get(id);
    const ticket = org.account.add('tickets', { subject: 'Door', content: 'At the baker’s' });

    expect(await org.crm.cases.get(ticket.id)).toMatchObject({ Status: 'At the baker’s' });
    expect(org.reads()).toBe(0);
  });
});
