import { describe, expect, test } from 'vitest';
import { startPhoneCall } from '../../src/phone-call/start-phone-call.ts';
import { calcom, type CalcomOptions } from '../../src/tools/calcom.ts';
import type { ToolCaller } from '../../src/tools/index.ts';
import { type CalcomFault, type FakeCalcomOptions, startFakeCalcom } from '../support/fake-calcom.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const phone = '+14155550100';
/** Monday, 12:00 in New York. */
const noon = Date.UTC(2026, 10, 23, 17);
const slots = ['2026-11-24T09:00:00.000-05:00', '2026-11-24T14:30:00.000-05:00', '2026-12-01T09:00:00.000-05:00'];
const nine = { start: '2026-11-24T09:00-05:00' };
const move = { current_start: '2026-11-24T09:00-05:00', new_start: '2026-12-01T09:00-05:00' };
const ada = { name: 'Ada', email: '14155550100@sms.cal.com', phoneNumber: phone };
const bo = { name: 'Bo', email: 'bo@lind.example' };

const start = async (options: FakeCalcomOptions = {}, caller: Partial<ToolCaller> = {}) => {
  createVirtualClock({ wallNow: noon });
  const fake = await startFakeCalcom(slots, options);
  const calendar = calcom({
    key: () => 'cal_test',
    eventTypeId: 42,
    minutes: 30,
    timeZone: 'America/New_York',
    baseUrl: fake.baseUrl,
    connection: { backoff: { minimumMs: 0, maximumMs: 0 } },
  });
  const phoneCall = startPhoneCall(
    {},
    {
      callId: 'CA1',
      direction: 'inbound',
      phone,
      ...caller,
      tools: { call: { calendar, confirmChanges: false } },
    },
  );
  const run = async (name: string, args: object = {}) => {
    const { status, value } = await phoneCall.tools.run(name, args);
    return { status, value };
  };
  const open = () =>
    fake.bookings.filter(({ status }) => status !== 'cancelled').map(({ uid, start: at }) => ({ uid, at }));
  return {
    ...fake,
    calendar,
    run,
    open,
    [Symbol.asyncDispose]: async () => {
      await calendar.close();
      await fake[Symbol.asyncDispose]();
    },
  };
};

describe('appointments in Cal.com', () => {
  test('are found, booked, listed, moved and cancelled, each endpoint in its own version', async () => {
    await using started = await start();
    const { run } = started;

    expect((await run('list_free_slots')).value).toMatchObject({
      slots: [nine, { start: '2026-11-24T14:30-05:00' }, { start: '2026-12-01T09:00-05:00' }],
    });
    expect((await run('book_appointment', { ...nine, reason: 'A demo' })).value).toMatchObject({
      booked: true,
      ...nine,
    });
    expect(started.bookings).toMatchObject([
      {
        attendees: [{ ...ada, name: 'Caller' }],
        metadata: { reason: 'A demo', reference: expect.stringContaining('CA1') },
      },
    ]);
    expect((await run('list_my_appointments')).value).toMatchObject({ appointments: [{ ...nine, reason: 'A demo' }] });
    expect((await run('reschedule_appointment', move)).value).toMatchObject({ moved: true, start: move.new_start });
    expect(started.open()).toEqual([{ uid: 'uid_2', at: '2026-12-01T14:00:00.000Z' }]);
    expect((await run('cancel_appointment', { start: move.new_start })).value).toMatchObject({ cancelled: true });
    expect(started.open()).toEqual([]);
    expect(started.writes()).toHaveLength(3);
  });

  test("are the caller's own, on every page, even where the filters are ignored", async () => {
    await using started = await start({ ignoresFilters: true, pageSize: 1 });
    started.add({ start: slots[0]!, attendees: [bo] });
    started.add({ start: slots[1]!, attendees: [bo, ada] });
    started.add({ start: slots[2]!, attendees: [ada], eventTypeId: 7 });
    started.add({ start: slots[2]!, attendees: [ada], status: 'cancelled' });
    started.add({ start: slots[2]!, attendees: [ada] });

    expect((await started.run('list_my_appointments')).value).toMatchObject({
      appointments: [{ start: move.new_start }],
    });
    expect((await started.run('cancel_appointment', nine)).value).toMatchObject({ error: 'no_such_appointment' });
    expect(started.writes()).toEqual([]);
  });

  test('are found by an e-mail address too', async () => {
    await using started = await start();
    const wanted = { from: new Date(noon), to: new Date(noon + 30 * 86_400_000) };
    const attendee = { phone: undefined, email: 'Bo@Lind.example' };
    started.add({ start: slots[0]!, attendees: [bo] });

    expect(await started.calendar.list({ ...wanted, attendee: { ...attendee, email: bo.email } }, {})).toMatchObject([
      { id: 'uid_1', attendee: { email: bo.email } },
    ]);
  });

  test("that a host has to confirm aren't said to be booked", async () => {
    await using started = await start({ isPending: true });

    expect((await started.run('book_appointment', nine)).value).toMatchObject({ requested: true });
    expect((await started.run('reschedule_appointment', move)).value).toMatchObject({ requested: true });
    expect((await started.run('list_my_appointments')).value).toMatchObject({
      appointments: [{ start: move.new_start, confirmed: false }],
    });
  });

  test.each<[tool: string, args: object, fault: CalcomFault, status: string, value: object, open: readonly string[]]>([
    ['book_appointment', { start: move.new_start }, 'drop', 'done', { booked: true }, ['09', '01']],
    ['book_appointment', { start: move.new_start }, 'taken-meanwhile', 'refused', { error: 'slot_taken' }, ['09', 'x']],
    ['reschedule_appointment', move, 'drop', 'done', { moved: true }, ['01']],
    ['reschedule_appointment', move, 'taken-meanwhile', 'refused', { error: 'slot_taken' }, ['09', 'x']],
    ['reschedule_appointment', move, 'lie', 'unknown', { outcome: 'unknown' }, ['09']],
    ['cancel_appointment', nine, 'drop', 'done', { cancelled: true }, []],
    ['cancel_appointment', nine, 'lie', 'unknown', { outcome: 'unknown' }, ['09']],
  ])('%s %o with the fault %s ends as %s', async (tool, args, fault, status, value, open) => {
    await using started = await start();
    await started.run('book_appointment', nine);
    started.faults.push(fault);

    expect(await started.run(tool, args)).toMatchObject({ status, value });
    expect(started.open()).toHaveLength(open.length);
    expect(started.open().some(({ at }) => at === '2026-11-24T14:00:00.000Z')).toBe(open.includes('09'));
    expect(started.writes()).toHaveLength(2);
  });

  test('that were moved or cancelled elsewhere meanwhile are seen as they are', async () => {
    await using started = await start();
    await started.run('book_appointment', nine);
    const wanted = { attendee: { phone, email: undefined }, from: new Date(noon), to: new Date(noon + 9 * 86_400_000) };
    const [appointment] = await started.calendar.list(wanted, {});
    await started.run('reschedule_appointment', move);
    const to = { start: new Date('2026-12-01T14:00Z'), end: new Date('2026-12-01T14:30Z') };

    // The move was made before: it's found by the old booking.
    expect(await started.calendar.move({ appointment: appointment!, to, reference: 'r' }, {})).toMatchObject({
      id: 'uid_2',
    });
    await expect(started.calendar.cancel(appointment!, {})).rejects.toMatchObject({ status: 400 });
    await started.run('cancel_appointment', { start: move.new_start });
    await started.calendar.cancel({ ...appointment!, id: 'uid_2' }, {});
    expect(started.open()).toEqual([]);
  });

  test("of one seat leave the other people's", async () => {
    await using started = await start();
    started.add({
      start: slots[0]!,
      attendees: [
        { ...bo, seatUid: 'seat_bo' },
        { ...ada, seatUid: 'seat_ada' },
      ],
    });

    expect((await started.run('cancel_appointment', nine)).value).toMatchObject({ cancelled: true });
    expect(started.bookings).toMatchObject([{ status: 'accepted', attendees: [{ name: 'Bo' }] }]);
  });
});

test.each<[options: Partial<CalcomOptions>, field: string]>([
  [{ key: undefined as never }, 'calcom.key'],
  [{ eventTypeId: 0 }, 'calcom.eventTypeId'],
  [{ minutes: Number.NaN }, 'calcom.minutes'],
  [{ timeZone: 'Mars' }, 'calcom.timeZone'],
  [{ timeZone: '' }, 'calcom.timeZone'],
  [{ attendeeName: ' ' }, 'calcom.attendeeName'],
  [{ eventType: 42 } as never, 'eventType'],
])('refuses %o', (options, field) => {
  const make = () => calcom({ key: () => 'cal_test', eventTypeId: 42, minutes: 30, timeZone: 'UTC', ...options });

  expect(make).toThrow(expect.objectContaining({ field }));
});
