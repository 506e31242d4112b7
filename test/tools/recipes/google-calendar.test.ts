/** The file of docs/appointments.md. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { startFakeGoogleCalendar } from './fake-google-calendar.ts';
import { googleCalendar } from '../../../examples/recipes/google-calendar.ts';

const phone = '+14155550100';
/** Monday, 12:00 in New York. */
const noon = Date.UTC(2026, 10, 23, 17);
const nine = { start: '2026-11-24T09:00-05:00' };
const move = { current_start: nine.start, new_start: '2026-11-24T10:00-05:00' };

const start = async (options: { readonly ignoresFilter?: boolean } = {}) => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon });
  onTestFinished(() => void vi.useRealTimers());
  const fake = await startFakeGoogleCalendar(options);
  const calendar = googleCalendar({
    authenticate: bearer(() => 'google'),
    calendarId: 'desk',
    timeZone: 'America/New_York',
    baseUrl: fake.url,
  });
  const phoneCall = startPhoneCall(
    {},
    { callId: 'CA1', direction: 'inbound', phone, tools: { call: { calendar, confirmChanges: false } } },
  );
  const run = async (name: string, args: object = {}) => {
    const { status, value } = await phoneCall.tools.run(name, args);
    return { status, value };
  };
  const busy = (id: string, from: string, caller?: string) =>
    fake.add({
      id,
      start: { dateTime: from },
      end: { dateTime: new Date(Date.parse(from) + 1_800_000).toISOString() },
      ...(caller === undefined ? {} : { extendedProperties: { private: { caller } } }),
    });
  const open = () => fake.events.filter(({ status }) => status === 'confirmed');
  return { ...fake, calendar, run, busy, open, [Symbol.asyncDispose]: () => fake[Symbol.asyncDispose]() };
};

describe('appointments in Google Calendar', () => {
  test('are booked, listed, moved, cancelled, and booked again', async () => {
    await using started = await start();
    const { run } = started;

    expect((await run('list_free_slots')).value).toMatchObject({
      slots: [{ start: '2026-11-23T12:00-05:00' }, {}, {}, {}, {}],
    });
    expect((await run('book_appointment', nine)).value).toMatchObject({ booked: true, ...nine });
    expect((await run('book_appointment', nine)).value).toMatchObject({ already_booked: true });
    expect((await run('list_my_appointments')).value).toMatchObject({ appointments: [nine] });
    expect((await run('reschedule_appointment', move)).value).toMatchObject({ moved: true, start: move.new_start });
    expect((await run('cancel_appointment', { start: move.new_start })).value).toMatchObject({ cancelled: true });
    expect(started.open()).toEqual([]);
    // The id of the deleted event stays used.
    expect((await run('book_appointment', nine)).value).toMatchObject({ booked: true });
    expect(started.open()).toHaveLength(1);
  });

  test("are the caller's own, on every page, even where the filter is ignored", async () => {
    await using started = await start({ ignoresFilter: true });
    started.busy('aaaa1', '2026-11-24T14:00:00Z', '+14155550199');
    started.busy('aaaa2', '2026-11-24T15:00:00Z', phone);
    started.busy('aaaa3', '2026-11-24T16:00:00Z');

    expect((await started.run('list_my_appointments')).value).toMatchObject({
      appointments: [{ start: '2026-11-24T10:00-05:00' }],
    });
    expect((await started.run('cancel_appointment', nine)).value).toMatchObject({ error: 'no_such_appointment' });
    expect(started.writes).toEqual([]);
  });

  test.each<[tool: string, args: object, method: string, done: string]>([
    ['book_appointment', { start: '2026-11-24T11:00-05:00' }, 'POST', 'booked'],
    ['reschedule_appointment', move, 'PATCH', 'moved'],
    ['cancel_appointment', nine, 'DELETE', 'cancelled'],
  ])('%s %o is done once when the answer to its %s is lost', async (tool, args, method, done) => {
    await using started = await start();
    await started.run('book_appointment', nine);
    const before = started.open().length;
    started.drops.push(method);

    expect(await started.run(tool, args)).toMatchObject({ status: 'done', value: { [done]: true } });
    expect(started.open().length - before).toBe(done === 'booked' ? 1 : done === 'moved' ? 0 : -1);
  });

  test('make room for one that was there first', async () => {
    await using started = await start();
    await started.run('book_appointment', nine);
    started.beforeWrite(() => {
      started.beforeWrite(() => {});
      started.busy('bbbb1', '2026-11-24T15:00:00Z', '+14155550199');
    });

    expect((await started.run('reschedule_appointment', move)).value).toMatchObject({ error: 'slot_taken' });
    started.beforeWrite(() => {
      started.beforeWrite(() => {});
      started.busy('bbbb2', '2026-11-24T16:00:00Z', '+14155550199');
    });
    expect((await started.run('book_appointment', { start: '2026-11-24T11:00-05:00' })).value).toMatchObject({
      error: 'slot_taken',
    });
    expect((await started.run('list_my_appointments')).value).toMatchObject({ appointments: [nine] });
    expect(started.open()).toHaveLength(3);
  });

  test("aren't free in a calendar that Google can't read", async () => {
    await using started = await start();
    started.unshare();

    expect(await started.run('list_free_slots')).toMatchObject({ status: 'failed' });
  });

  test('keep the hours of the business when the clocks change', async () => {
    await using started = await start();
    const slots = await started.calendar.freeSlots(
      { from: new Date('2027-03-12T05:00Z'), to: new Date('2027-03-16T05:00Z') },
      {},
    );

    expect(slots.map((slot) => slot.start.toISOString().slice(5, 16)).filter((_, index) => index % 16 === 0)).toEqual([
      '03-12T14:00',
      '03-15T13:00',
    ]);
  });
});
