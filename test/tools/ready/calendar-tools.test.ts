import { describe, expect, test } from 'vitest';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { callTools, createToolbox, type ToolCaller } from '../../../src/tools/index.ts';
import { type BookingFault, startBookingServer } from '../../support/booking-server.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const phone = '+14155550100';
const caller: ToolCaller = { phone, verified: 'caller-id' };
/** Monday, 12:00 in New York. */
const noon = Date.UTC(2026, 10, 23, 17);

/** Tuesday at nine and half past two, and the Tuesday after: the clock has the same offset on all of them. */
const nine = '2026-11-24T14:00:00.000Z';
const halfPastTwo = '2026-11-24T19:30:00.000Z';
const nextWeek = '2026-12-01T14:00:00.000Z';
const slots = ['2026-11-23T14:00:00.000Z', nine, halfPastTwo, nextWeek, '2026-12-02T14:00:00.000Z'];

const start = async (free: readonly string[] = slots) => {
  createVirtualClock({ wallNow: noon });
  const server = await startBookingServer(free);
  const phoneCall = startPhoneCall({}, { callId: 'CA1', direction: 'Inbound', phone });
  const tools = callTools({
    phoneCall: () => phoneCall,
    calendar: server.calendar,
    only: ['list_free_slots', 'book_appointment'],
  });
  const another = () => createToolbox({ tools });
  const toolbox = another();
  const run = (name: string, args: object, context: { readonly callId?: string; readonly caller?: ToolCaller } = {}) =>
    toolbox.run(name, args, { callId: 'CA1', caller, ...context });
  return { ...server, another, run };
};

describe('list_free_slots', () => {
  test('gives what is free from now on, in the time of the calendar', async () => {
    await using started = await start();

    expect((await started.run('list_free_slots', {})).value).toEqual({
      today: 'Monday 2026-11-23',
      slots: [
        { start: '2026-11-24T09:00-05:00', day: 'Tuesday' },
        { start: '2026-11-24T14:30-05:00', day: 'Tuesday' },
        { start: '2026-12-01T09:00-05:00', day: 'Tuesday' },
      ],
    });
  });

  test.each([
    ['2026-11-24T12:00', ['2026-11-24T14:30-05:00', '2026-12-01T09:00-05:00']],
    ['2026-11-25', ['2026-12-01T09:00-05:00']],
  ])('begins at the day or time that the caller names: %s', async (from, expected) => {
    await using started = await start();

    const { value } = await started.run('list_free_slots', { from });

    expect(value).toMatchObject({ slots: expected.map((one) => ({ start: one })) });
  });

  test('says so when nothing is free', async () => {
    await using started = await start([]);

    expect((await started.run('list_free_slots', {})).value).toEqual({
      today: 'Monday 2026-11-23',
      slots: [],
      message: 'Nothing is free in that week: ask again with a later from.',
    });
  });

  test.each(['2026-02-30', '2026-11-24T25:00'])('refuses %s', async (from) => {
    await using started = await start();

    expect((await started.run('list_free_slots', { from })).value).toEqual({
      error: 'invalid_arguments',
      fields: [{ field: 'from', problem: 'must be a local date or time, such as 2026-01-31T14:00' }],
    });
  });
});

describe('book_appointment', () => {
  const tuesday = { start: '2026-11-24T09:00-05:00', reason: 'Demo of the scanner' };

  test('books a free slot for the caller', async () => {
    await using started = await start();

    expect((await started.run('book_appointment', tuesday)).value).toEqual({
      booked: true,
      start: '2026-11-24T09:00-05:00',
      day: 'Tuesday',
    });
    expect(started.bookings).toEqual([
      { id: 'b1', start: nine, reference: `CA1:appointment:${nine}`, attendee: phone },
    ]);
  });

  test('makes one appointment, however often and in whichever words it is asked for', async () => {
    await using started = await start();
    await started.run('book_appointment', tuesday);

    const again = await started.run('book_appointment', { start: nine });
    const inAnotherProcess = await started
      .another()
      .run('book_appointment', { start: nine, reason: 'A demo' }, { callId: 'CA1', caller });

    expect(again.value).toEqual({ already_booked: true, start: '2026-11-24T09:00-05:00', day: 'Tuesday' });
    expect(inAnotherProcess.value).toEqual(again.value);
    expect(started.bookings).toHaveLength(1);
    expect(started.posts()).toBe(1);
  });

  test('books nothing in the past', async () => {
    await using started = await start();

    expect((await started.run('book_appointment', { start: slots[0] })).value).toMatchObject({ error: 'slot_taken' });
    expect(started.bookings).toEqual([]);
  });

  test('finds the appointment of a caller who rings back', async () => {
    await using started = await start();
    await started.run('book_appointment', tuesday);

    expect((await started.run('book_appointment', tuesday, { callId: 'CA2' })).value).toMatchObject({
      already_booked: true,
    });
    expect(started.bookings).toHaveLength(1);
  });

  test('books nothing that another caller has', async () => {
    await using started = await start();
    await started.run('book_appointment', tuesday);

    const other = { callId: 'CA2', caller: { phone: '+14155550199', verified: 'caller-id' } } as const;

    expect(await started.run('book_appointment', tuesday, other)).toMatchObject({
      status: 'refused',
      value: {
        error: 'slot_taken',
        message: 'Nothing was booked. Call list_free_slots and offer another time.',
      },
    });
    expect(started.bookings).toHaveLength(1);
  });

  test('books nothing that the calendar does not offer', async () => {
    await using started = await start();

    expect((await started.run('book_appointment', { start: '2026-11-24T03:00-05:00' })).value).toMatchObject({
      error: 'slot_taken',
    });
    expect(started.posts()).toBe(0);
  });

  test.each<[fault: BookingFault, status: string, value: object, made: number]>([
    ['taken', 'refused', { error: 'slot_taken' }, 1],
    ['made-then-lost', 'done', { booked: true }, 1],
    ['lost', 'unknown', { error: 'max_retries_exceeded' }, 0],
  ])('ends as it should when the booking is %s', async (fault, status, value, made) => {
    await using started = await start();
    started.faults.push(fault);

    expect(await started.run('book_appointment', tuesday)).toMatchObject({ status, value });
    expect(started.bookings).toHaveLength(made);
    expect(started.posts()).toBe(1);
  });

  test('books once when it is asked for again after an end that was unknown', async () => {
    await using started = await start();
    started.faults.push('lost');
    await started.run('book_appointment', tuesday);

    expect((await started.run('book_appointment', tuesday)).value).toMatchObject({ booked: true });
    expect((await started.run('book_appointment', tuesday)).value).toMatchObject({ booked: true });
    expect(started.bookings).toHaveLength(1);
  });

  test.each<[who: string, caller: ToolCaller]>([
    ['of whom nothing is known', { verified: 'no' }],
    ['whose address is only said', { email: 'jane@example.com', verified: 'no', claimed: ['email'] }],
  ])('books nothing for a caller %s', async (_who, unknown) => {
    await using started = await start();

    expect((await started.run('book_appointment', tuesday, { caller: unknown })).value).toEqual({
      error: 'not_allowed',
      reason: 'verification_required',
      message: expect.stringContaining('offer a colleague'),
    });
    expect(started.posts()).toBe(0);
  });

  test('keeps to itself what the caller only says', async () => {
    await using started = await start();
    const claiming: ToolCaller = { phone: '+14155550199', email: 'a@b.com', verified: 'caller-id', claimed: ['phone'] };

    await started.run('book_appointment', tuesday, { caller: claiming });

    expect(started.bookings).toMatchObject([{ attendee: null }]);
  });

  test.each(['2026-11-24T09:00', '2026-13-24T09:00Z'])('refuses the time %s', async (time) => {
    await using started = await start();

    expect((await started.run('book_appointment', { start: time })).value).toEqual({
      error: 'invalid_arguments',
      fields: [{ field: 'start', problem: 'must be the start of a free slot' }],
    });
  });
});
