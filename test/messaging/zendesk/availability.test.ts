import { describe, expect, test } from 'vitest';
import { createIntegration } from '../../../src/index.ts';
import { ianaTimeZone } from '../../../src/messaging/zendesk/office-hours.ts';
import { type CallTransfer, callTools } from '../../../src/tools/index.ts';
import { connectZendesk, linesTo, type ZendeskTest } from '../../support/connected-zendesk.ts';

const day = 1440;
/** Monday to Friday from nine to five, as Zendesk counts. */
const weekdays = [1, 2, 3, 4, 5].map((date) => ({ start_time: date * day + 540, end_time: date * day + 1020 }));
const pacific = 'Pacific Time (US & Canada)';
const at = (time: string) => Date.parse(time);

const withSchedule = async (options: ZendeskTest = {}) => {
  const connected = await connectZendesk(options);
  const { id } = connected.account.addSchedule({
    name: 'Support',
    time_zone: pacific,
    intervals: weekdays,
    holidays: [{ name: 'Winter break', start_date: '2026-12-24', end_date: '2027-01-01' }],
  });
  return { ...connected, scheduleId: String(id) };
};

describe('a schedule of Zendesk', () => {
  test.each<[string, string, boolean]>([
    ['Monday at nine in California', '2026-11-30T17:00:00Z', true],
    ['a minute before', '2026-11-30T16:59:00Z', false],
    ['Friday at a minute to five', '2026-12-05T00:59:00Z', true],
    ['Friday at five', '2026-12-05T01:00:00Z', false],
    ['Sunday at noon', '2026-12-06T20:00:00Z', false],
    ['the first day of a holiday', '2026-12-24T20:00:00Z', false],
    ['a day in the middle of it', '2026-12-30T20:00:00Z', false],
    ['its last day', '2027-01-01T20:00:00Z', false],
    ['the Monday after it', '2027-01-04T20:00:00Z', true],
    ['summer time', '2026-07-06T16:00:00Z', true],
  ])('is open or not: %s', async (_, time, expected) => {
    await using connected = await withSchedule();

    expect(await connected.messaging.officeHours.isOpen(connected.scheduleId, at(time))).toBe(expected);
  });

  test('counts from Monday and names its zone for everyone else', async () => {
    await using connected = await withSchedule();
    const { messaging, scheduleId } = connected;
    connected.account.addSchedule({
      name: 'Weekend',
      time_zone: 'Berlin',
      intervals: [
        { start_time: 0, end_time: day },
        { start_time: 6 * day, end_time: 7 * day },
      ],
    });

    const { data } = await messaging.officeHours.list();
    const { data: days } = await messaging.officeHours.listExceptions(scheduleId);

    expect(data.map(({ time_zone_name }) => time_zone_name)).toEqual(['America/Los_Angeles', 'Europe/Berlin']);
    expect(data[0]?.time_intervals?.[0]).toEqual({ start_minute: 540, end_minute: 1020 });
    expect(data[1]?.time_intervals).toEqual([
      { start_minute: 6 * day, end_minute: 7 * day },
      { start_minute: 5 * day, end_minute: 6 * day },
    ]);
    expect(days.map(({ exception_date }) => exception_date)).toEqual([
      '2026-12-24',
      '2026-12-25',
      '2026-12-26',
      '2026-12-27',
      '2026-12-28',
      '2026-12-29',
      '2026-12-30',
      '2026-12-31',
      '2027-01-01',
    ]);
    expect(await messaging.officeHours.get('17')).toBeUndefined();
  });

  test('whose interval goes on from Sunday to Monday is two', async () => {
    await using connected = await connectZendesk();
    const { id } = connected.account.addSchedule({
      name: 'Night',
      time_zone: 'UTC',
      intervals: [{ start_time: 1380, end_time: 1500 }],
    });

    const hours = await connected.messaging.officeHours.get(String(id));

    expect(hours?.time_intervals).toEqual([
      { start_minute: 10_020, end_minute: 10_080 },
      { start_minute: 0, end_minute: 60 },
    ]);
  });

  test('is for administrators alone', async () => {
    await using connected = await withSchedule({ fake: { role: 'agent' } });

    await expect(connected.messaging.officeHours.isOpen(connected.scheduleId)).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('Forbidden'),
    });
  });
});

test.each([
  ['Pacific Time (US & Canada)', 'America/Los_Angeles'],
  ['London', 'Europe/London'],
  ['Edinburgh', 'Europe/London'],
  ['Mexico City', 'America/Mexico_City'],
  ['Kyiv', 'Europe/Kiev'],
  ["Nuku'alofa", 'Pacific/Tongatapu'],
  ['Hong Kong', 'Asia/Hong_Kong'],
  ['Europe/Berlin', 'Europe/Berlin'],
  ['constructor', 'constructor'],
])('the time zone %s is %s', (name, zone) => {
  expect(ianaTimeZone(name)).toBe(zone);
});

describe('the members of a group', () => {
  const withGroup = async (options: ZendeskTest = {}, agents = 4) => {
    const connected = await connectZendesk(options);
    const memberIds = Array.from(
      { length: agents },
      (_, index) => connected.account.addUser({ name: `Agent ${index}`, role: 'agent' }).id,
    );
    connected.account.addUser({ name: 'Another', role: 'agent' });
    const group = connected.account.addGroup({ name: 'Billing', memberIds });
    return { ...connected, memberIds, groupId: String(group.id) };
  };

  test('are its agents, with their status', async () => {
    await using connected = await withGroup();
    const { account, memberIds, groupId } = connected;
    const [first = 0, second = 0, third = 0] = memberIds;
    account.setAgentStatus(first, 'online');
    account.setAgentStatus(second, 'away');
    account.setAgentStatus(third, 'transfers only');

    const { data, total } = await connected.messaging.teams.listMembers(groupId);

    expect(total).toBe(4);
    expect(data.map(({ name, away_mode_enabled }) => [name, away_mode_enabled])).toEqual([
      ['Agent 0', false],
      ['Agent 1', true],
      ['Agent 2', false],
      ['Agent 3', undefined],
    ]);
  });

  test('are known to an agent too, but not their status', async () => {
    await using connected = await withGroup({ fake: { role: 'agent' } });
    connected.account.setAgentStatus(connected.memberIds[0] ?? 0, 'away');

    const { data } = await connected.messaging.teams.listMembers(connected.groupId);

    expect(data.map(({ away_mode_enabled }) => away_mode_enabled)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('are all of them', async () => {
    await using connected = await withGroup({}, 230);

    expect((await connected.messaging.teams.listMembers(connected.groupId)).data).toHaveLength(230);
    expect(linesTo(connected).filter((line) => line.includes('groups/'))).toHaveLength(3);
  });

  test('of a group that is not there are an error', async () => {
    await using connected = await withGroup();

    await expect(connected.messaging.teams.listMembers('17')).rejects.toMatchObject({ status: 404 });
  });
});

describe('transfer_to_human on Zendesk', () => {
  const start = async ({ intervals, role }: { intervals: typeof weekdays; role?: 'agent' }) => {
    const connected = await connectZendesk({ fake: { role } });
    const { account, clientOptions } = connected;
    const ada = account.addUser({ name: 'Ada', role: 'agent' });
    account.setAgentStatus(ada.id, 'online');
    account.addUser({ name: 'Jane', phone: '+14155550100' });
    const group = account.addGroup({ name: 'Billing', memberIds: [ada.id] });
    const { id } = account.addSchedule({ name: 'Support', time_zone: 'UTC', intervals });
    const moved: CallTransfer[] = [];
    const errors: unknown[] = [];
    const integration = createIntegration({
      messaging: clientOptions,
      onError: (error) => errors.push(error),
      phoneCalls: {
        tools: {
          call: {
            teams: { Billing: String(group.id) },
            transfer: {
              officeHoursId: String(id),
              whenUnavailable: 'A colleague calls back.',
              moveCall: (to) => {
                moved.push(to);
                return true;
              },
            },
          },
        },
      },
    });
    const phoneCall = integration.startPhoneCall({ callId: 'CA1', direction: 'inbound', phone: '+14155550100' });
    const result = await phoneCall.tools.run('transfer_to_human', { summary: 'Was charged twice.' });
    await integration.close();
    return { ...connected, ada, moved, errors, result };
  };
  const always = [{ start_time: 0, end_time: 7 * day }];

  test('moves the call in office hours, to who is there', async () => {
    await using started = await start({ intervals: always });

    expect(started.result.value).toEqual({ transferred: true, to: 'Billing' });
    expect(started.moved[0]?.colleagues).toMatchObject([{ id: String(started.ada.id) }]);
  });

  test('does not move it outside of them', async () => {
    await using started = await start({ intervals: [] });

    expect(started.result.value).toMatchObject({ transferred: false, reason: 'outside_office_hours' });
    expect(started.moved).toEqual([]);
  });

  test('does not move it where the role may not read them, and the developer gets the error', async () => {
    await using started = await start({ intervals: always, role: 'agent' });

    expect(started.result.status).not.toBe('done');
    expect(started.moved).toEqual([]);
    expect(started.errors).toMatchObject([{ status: 403, operation: expect.stringContaining('officeHours') }]);
    expect(started.account.tickets[0]?.comments.map(({ body }) => body)).toContain('Was charged twice.');
  });
});

describe('an id that Zendesk can not have is refused when it is set', () => {
  const transfer = { moveCall: () => true, whenUnavailable: 'Later.' };

  test.each<[field: string, call: object]>([
    ['transfer.officeHoursId', { transfer: { ...transfer, officeHoursId: 'weekdays' } }],
    ['ticketTypeId', { ticketTypeId: 'Bug' }],
    ['ticketTypeId', { ticketTypeId: '0' }],
    ['teams.Billing', { teams: { Billing: 'team_3' } }],
    ['teams.Billing', { teams: { Billing: '-7' } }],
  ])('%s', async (field, call) => {
    await using connected = await connectZendesk();
    const { clientOptions: messaging, messaging: client } = connected;
    const refusal = (owner: string) => expect.objectContaining({ code: 'invalid_argument', field: `${owner}${field}` });

    expect(() => createIntegration({ messaging, phoneCalls: { tools: { call } } })).toThrow(
      refusal('phoneCalls.tools.call.'),
    );
    expect(() => callTools({ ...call, messaging: client, phoneCall: () => ({}) as never })).toThrow(refusal(''));
    await using integration = createIntegration({ messaging });
    const started = { callId: 'CA1', direction: 'inbound', tools: { call } } as const;
    expect(() => integration.startPhoneCall(started)).toThrow(refusal('tools.call.'));
  });

  test('adminId', async () => {
    await using connected = await connectZendesk();

    expect(() => createIntegration({ messaging: { ...connected.clientOptions, adminId: 'admin_1' } })).toThrow(
      expect.objectContaining({ field: 'messaging.adminId' }),
    );
  });

  test('what it can have passes', async () => {
    await using connected = await connectZendesk();
    const call = { ticketTypeId: 'incident', teams: { Billing: '7' }, transfer: { ...transfer, officeHoursId: '3' } };

    const tools = callTools({ ...call, messaging: connected.messaging, phoneCall: () => ({}) as never });

    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['transfer_to_human', 'create_ticket']));
  });
});
