import { describe, expect, test } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { not, type Opportunity, type Where, where } from '../../../src/crm/index.ts';
import { hubspot } from '../../../src/crm/hubspot/index.ts';
import { createIntegration } from '../../../src/index.ts';
import { createFakePlatform, testCredentials } from '../../../src/dev/testing/index.ts';

const connect = async (timeZone?: string) => {
  const platform = createFakePlatform({ crm: { dialect: 'hubspot', searchDelayMs: 0 } });
  const { crm: baseUrl } = await platform.listen();
  const integration = createIntegration({
    crm: { ...hubspot(), baseUrl, authenticate: bearer(() => testCredentials.crm) },
    timeZone,
  });
  return {
    account: platform.hubspot,
    crm: integration.crm,
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await platform.close();
    },
  };
};

describe('a close date', () => {
  test.each([
    [undefined, '2026-12-31T12:00:00.000Z'],
    ['America/Los_Angeles', '2026-12-31T20:00:00.000Z'],
    ['Pacific/Auckland', '2026-12-30T23:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-12-30T22:00:00.000Z'],
  ])('is written as noon in %s, and read as the same day', async (timeZone, closedate) => {
    await using org = await connect(timeZone);
    const deal = { Name: 'Oven', StageName: 'appointmentscheduled', CloseDate: '2026-12-31' };

    const { id } = await org.crm.opportunities.create(deal);
    const { id: taskId } = await org.crm.tasks.create({ Subject: 'Call', ActivityDate: '2026-12-31' });

    expect(org.account.records('deals')[0]?.properties['closedate']).toBe(closedate);
    expect(org.account.records('tasks')[0]?.properties['hs_timestamp']).toBe(closedate);
    expect(await org.crm.opportunities.get(id)).toMatchObject({ CloseDate: '2026-12-31' });
    expect(await org.crm.tasks.get(taskId)).toMatchObject({ ActivityDate: '2026-12-31' });
  });

  test.each([
    ['America/Phoenix', '2023-04-01T01:09:44Z', '2023-03-31'],
    ['UTC', '2023-04-01T01:09:44Z', '2023-04-01'],
    ['Asia/Tokyo', '2023-03-31T16:00:00Z', '2023-04-01'],
    // Programs write days as midnight in UTC.
    ['America/Phoenix', '2023-04-01T00:00:00Z', '2023-04-01'],
  ])('of a moment is the day in %s', async (timeZone, closedate, day) => {
    await using org = await connect(timeZone);
    const { id } = org.account.add('deals', { dealname: 'Oven', closedate });

    expect(await org.crm.opportunities.get(id)).toMatchObject({ CloseDate: day });
  });

  test('is searched for as a day where the business is', async () => {
    await using org = await connect('America/Phoenix');
    const at = (closedate: string) => org.account.add('deals', { dealname: 'Oven', closedate }).id;
    const [before, early, late, after] = [
      at('2023-03-31T06:59:00Z'),
      at('2023-03-31T07:00:00Z'),
      at('2023-04-01T06:59:00Z'),
      at('2023-04-01T07:00:00Z'),
    ];
    const find = async (condition: Where<Opportunity>) =>
      (await org.crm.query('Opportunity', { fields: ['Name'], where: condition })).data.map(({ Id }) => Id);
    const day = '2023-03-31';

    expect(await find(where('CloseDate', '=', day))).toEqual([early, late]);
    expect(await find(where('CloseDate', '!=', day))).toEqual([before, after]);
    expect(await find(where('CloseDate', '<', day))).toEqual([before]);
    expect(await find(where('CloseDate', '<=', day))).toEqual([before, early, late]);
    expect(await find(where('CloseDate', '>', day))).toEqual([after]);
    expect(await find(not(where('CloseDate', '<', day)))).toEqual([early, late, after]);
  });
});
