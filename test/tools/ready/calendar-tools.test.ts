import { describe, expect, test } from 'vitest';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import {
  type Calendar,
  callTools,
  type Confirm,
  createToolbox,
  type ToolCallContext,
  type ToolCaller,
} from '../../../src/tools/index.ts';
import { type BookingFault, type BookingServerOptions, startBookingServer } from '../../support/booking-server.ts';
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

const start = async (free: readonly string[] = slots, options: BookingServerOptions = {}) => {
  createVirtualClock({ wallNow: noon });
  const server = await startBookingServer(free, options);
  const phoneCall = startPhoneCall({}, { callId: 'CA1', direction: 'Inbound', phone });
  const tools = callTools({
    phoneCall: () => phoneCall,
    calendar: server.calendar,
    confirmChanges: false,
    only: [
      'list_free_slots',
      'book_appointment',
      'list_my_appointments',
      'reschedule_appointment',
      'cancel_appointment',
    ],
  });
  const another = () => createToolbox({ tools });
  const toolbox = another();
  const run = (name: string, args: object, context: ToolCallContext = {}) =>
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
      time_zone: 'America/New_York',
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
      time_zone: 'America/New_York',
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

    const again = await started.run('book_appointment', { start: '2026-11-24T09:00:00.000-05:00' });
    const inAnotherProcess = await started
      .another()
      .run('book_appointment', { ...tuesday, reason: 'A demo' }, { callId: 'CA1', caller });

    expect(again.value).toEqual({ already_booked: true, start: '2026-11-24T09:00-05:00', day: 'Tuesday' });
    expect(inAnotherProcess.value).toEqual(again.value);
    expect(started.bookings).toHaveLength(1);
    expect(started.posts()).toBe(1);
  });

  test('books nothing in the past', async () => {
    await using started = await start();

    expect((await started.run('book_appointment', { start: '2025-11-24T09:00-05:00' })).value).toEqual({
      error: 'in_the_past',
      message: 'Nothing was booked: this time is over. Check the day and the year. Offer these.',
      free: [
        { start: '2026-11-24T09:00-05:00', day: 'Tuesday' },
        { start: '2026-11-24T14:30-05:00', day: 'Tuesday' },
        { start: '2026-12-01T09:00-05:00', day: 'Tuesday' },
      ],
    });
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
        message: "Nothing was booked: this time isn't free, or no longer. Offer these.",
        free: [{ start: '2026-11-24T14:30-05:00' }, { start: '2026-12-01T09:00-05:00' }],
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
    expect((await started.run('book_appointment', tuesday)).value).toMatchObject({ already_booked: true });
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

describe('a time that is none', () => {
  test.each([
    ['a day that is in no calendar', '2026-02-30T09:00-05:00'],
    ['the offset of another season', '2026-11-24T09:00-04:00'],
    ['another zone', '2026-11-24T14:00Z'],
    ['a year too late', '2062-11-24T09:00-05:00'],
  ])('is refused with what is free: %s', async (_what, time) => {
    await using started = await start();

    const { status, value } = await started.run('book_appointment', { start: time });

    expect(status).toBe('refused');
    expect(value).toMatchObject({
      error: 'no_such_time',
      message:
        'Nothing was booked: the calendar has no such time. Take a start exactly as list_free_slots gives it. Offer these.',
      free: [{ start: '2026-11-24T09:00-05:00' }, { start: '2026-11-24T14:30-05:00' }, {}],
    });
    expect(started.writes).toEqual([]);
  });

  test('is refused where the clocks skip it, and two that look alike are two', async () => {
    const [early, late] = ['2027-11-07T05:30:00.000Z', '2027-11-07T06:30:00.000Z'];
    createVirtualClock({ wallNow: Date.UTC(2027, 2, 1) });
    await using server = await startBookingServer(['2027-03-14T07:30:00.000Z', early, late]);
    const phoneCall = startPhoneCall({}, { callId: 'CA1', direction: 'Inbound', phone });
    const toolbox = createToolbox({ tools: callTools({ phoneCall: () => phoneCall, calendar: server.calendar }) });
    const book = (time: string) => toolbox.run('book_appointment', { start: time }, { callId: 'CA1', caller });

    expect((await book('2027-03-14T02:30-05:00')).value).toMatchObject({
      error: 'no_such_time',
      free: [{ start: '2027-03-14T03:30-04:00' }],
    });
    expect((await book('2027-11-07T01:30-05:00')).value).toMatchObject({ booked: true });
    expect(server.bookings).toMatchObject([{ start: late }]);
  });
});

describe('list_my_appointments', () => {
  test.each([false, true])(
    "shows the caller's own, even from a calendar that ignores the filter: %s",
    async (ignores) => {
      await using started = await start(slots, { ignoresFilter: ignores });
      started.bookings.push(
        { id: 'x1', start: nextWeek, reference: 'r', attendee: '+14155550199' },
        { id: 'x2', start: halfPastTwo, reference: 'r', attendee: phone },
        { id: 'x3', start: nine, reference: 'r', attendee: null },
        { id: 'x4', start: slots[0] ?? '', reference: 'r', attendee: phone },
      );

      expect((await started.run('list_my_appointments', {})).value).toEqual({
        appointments: [{ start: '2026-11-24T14:30-05:00', day: 'Tuesday' }],
        time_zone: 'America/New_York',
      });
    },
  );

  test('says so when there is none, and that one is not confirmed', async () => {
    await using started = await start(slots, { isPending: true });

    expect((await started.run('list_my_appointments', {})).value).toMatchObject({
      appointments: [],
      message: 'No appointment of the caller was found.',
    });
    await started.run('book_appointment', { start: '2026-11-24T09:00-05:00' });
    expect((await started.run('list_my_appointments', {})).value).toMatchObject({
      appointments: [{ start: '2026-11-24T09:00-05:00', confirmed: false }],
    });
  });

  test.each<ToolCaller>([{ verified: 'no' }, { verified: 'no', email: 'jane@example.com', claimed: ['email'] }])(
    'shows nothing to a caller who is not certain',
    async (unknown) => {
      await using started = await start();

      for (const [name, args] of [
        ['list_my_appointments', {}],
        ['reschedule_appointment', move],
        ['cancel_appointment', tuesday],
      ] as const)
        expect((await started.run(name, args, { caller: unknown })).value).toMatchObject({
          reason: 'verification_required',
        });
      expect(started.writes).toEqual([]);
    },
  );
});

const tuesday = { start: '2026-11-24T09:00-05:00' };
const move = { current_start: '2026-11-24T09:00-05:00', new_start: '2026-12-01T09:00-05:00' };

describe('reschedule_appointment', () => {
  test('moves the appointment, whose id may be new', async () => {
    await using started = await start();
    await started.run('book_appointment', tuesday);

    expect((await started.run('reschedule_appointment', move)).value).toEqual({
      moved: true,
      start: '2026-12-01T09:00-05:00',
      day: 'Tuesday',
    });
    expect(started.bookings).toMatchObject([{ id: 'b2', start: nextWeek, attendee: phone }]);
  });

  test('moves once, and back again when the caller changes their mind', async () => {
    await using started = await start();
    await started.run('book_appointment', tuesday);
    const back = { current_start: move.new_start, new_start: move.current_start };

    await started.run('reschedule_appointment', move);
    expect((await started.run('reschedule_appointment', move)).value).toMatchObject({ already_booked: true });
    expect((await started.run('reschedule_appointment', back)).value).toMatchObject({ moved: true });
    expect((await started.run('reschedule_appointment', move)).value).toMatchObject({ moved: true });
    expect(started.bookings).toMatchObject([{ start: nextWeek }]);
    expect(started.writes).toHaveLength(4);
  });

  test.each<[fault: BookingFault, status: string, value: object, at: string]>([
    ['taken', 'refused', { error: 'slot_taken', free: [{ start: '2026-11-24T14:30-05:00' }, {}] }, nine],
    ['made-then-lost', 'done', { moved: true }, nextWeek],
    ['lost', 'unknown', { outcome: 'unknown' }, nine],
    ['lies', 'unknown', { error: 'unexpected_response', outcome: 'unknown' }, nine],
  ])('ends as it should when the move is %s', async (fault, status, value, at) => {
    await using started = await start();
    await started.run('book_appointment', tuesday);
    started.faults.push(fault);

    expect(await started.run('reschedule_appointment', move)).toMatchObject({ status, value });
    expect(started.bookings.filter(({ attendee }) => attendee === phone)).toMatchObject([{ start: at }]);
    expect(started.writes).toHaveLength(2);
  });

  test('says that the new time is not certain while the business has to confirm it', async () => {
    await using started = await start(slots, { isPending: true });

    for (const [name, args] of [
      ['book_appointment', tuesday],
      ['reschedule_appointment', move],
    ] as const) {
      const { value } = await started.run(name, args);
      expect(value).toMatchObject({ requested: true, message: expect.stringContaining('never say that it is booked') });
      expect(value).not.toHaveProperty(['booked', 'moved']);
    }
  });

  test("doesn't touch another person's appointment, even if the calendar lists it", async () => {
    await using started = await start(slots, { ignoresFilter: true });
    started.bookings.push({ id: 'x1', start: nine, reference: 'r', attendee: '+14155550199' });

    for (const [name, args] of [
      ['reschedule_appointment', move],
      ['cancel_appointment', tuesday],
    ] as const)
      expect((await started.run(name, args)).value).toMatchObject({ error: 'no_such_appointment', appointments: [] });
    expect(started.writes).toEqual([]);
  });

  test('offers what is near a time that is not free, and names the appointments that are there', async () => {
    await using started = await start();
    await started.run('book_appointment', tuesday);

    expect(
      (await started.run('reschedule_appointment', { ...move, new_start: '2026-11-24T10:00-05:00' })).value,
    ).toMatchObject({
      error: 'slot_taken',
      message: "Nothing was moved: this time isn't free, or no longer. Offer these.",
      free: [{ start: '2026-11-24T14:30-05:00' }, { start: '2026-12-01T09:00-05:00' }, {}],
    });
    expect(
      (await started.run('reschedule_appointment', { ...move, current_start: '2026-11-25T09:00-05:00' })).value,
    ).toMatchObject({
      error: 'no_such_appointment',
      appointments: [{ start: '2026-11-24T09:00-05:00', day: 'Tuesday' }],
    });
    expect(started.writes).toHaveLength(1);
  });
});

describe('cancel_appointment', () => {
  test('cancels, and books the same time again when the caller changes their mind', async () => {
    await using started = await start();
    await started.run('book_appointment', tuesday);

    expect((await started.run('cancel_appointment', tuesday)).value).toEqual({
      cancelled: true,
      start: '2026-11-24T09:00-05:00',
      day: 'Tuesday',
    });
    expect((await started.run('cancel_appointment', tuesday)).value).toMatchObject({ error: 'no_such_appointment' });
    expect((await started.run('book_appointment', tuesday)).value).toMatchObject({ booked: true });
    expect((await started.run('cancel_appointment', tuesday)).value).toMatchObject({ cancelled: true });
    expect(started.bookings).toEqual([]);
  });

  test.each<[fault: BookingFault, status: string, value: object, left: number]>([
    ['made-then-lost', 'done', { cancelled: true }, 0],
    ['lost', 'unknown', { outcome: 'unknown' }, 1],
  ])('ends as it should when the request is %s', async (fault, status, value, left) => {
    await using started = await start();
    await started.run('book_appointment', tuesday);
    started.faults.push(fault);

    expect(await started.run('cancel_appointment', tuesday)).toMatchObject({ status, value });
    expect(started.bookings).toHaveLength(left);
    expect(started.writes).toHaveLength(2);
  });

  test('replays the answer when a platform delivers the same tool call again', async () => {
    await using started = await start();
    await started.run('book_appointment', tuesday);

    const first = await started.run('cancel_appointment', tuesday, { toolCallId: 't1' });
    const again = await started.run('cancel_appointment', tuesday, { toolCallId: 't1' });

    expect(again).toMatchObject({ status: 'done', value: first.value, replayed: true });
    expect(started.writes).toHaveLength(2);
  });

  test('is not known to be done when the caller hangs up in the middle, and the next phone call sees what is so', async () => {
    const line = new AbortController();
    let isBooked = false;
    await using started = await start(slots, {
      beforeWrite: async () => {
        if (isBooked) line.abort();
        isBooked = true;
      },
    });
    await started.run('book_appointment', tuesday);

    expect(await started.run('cancel_appointment', tuesday, { signal: line.signal })).toMatchObject({
      status: 'cancelled',
      value: { outcome: 'unknown' },
    });
    await expect.poll(() => started.bookings).toEqual([]);
    expect((await started.run('list_my_appointments', {}, { callId: 'CA2' })).value).toMatchObject({
      appointments: [],
    });
  });
});

test('two bookings of one slot at once, in other words, make one appointment', async () => {
  await using started = await start();

  const ends = await Promise.all([
    started.run('book_appointment', { ...tuesday, reason: 'A demo' }),
    started.run('book_appointment', { ...tuesday, reason: 'Demo of the scanner' }),
  ]);

  expect(ends.map(({ value }) => Object.keys(Object(value))[0])).toEqual(['booked', 'already_booked']);
  expect(started.writes).toEqual(['POST']);
});

describe('the yes of the caller', () => {
  const confirmed = async (confirmChanges?: Confirm) => {
    createVirtualClock({ wallNow: noon });
    const server = await startBookingServer(slots);
    server.bookings.push({ id: 'x1', start: nine, reference: 'r', attendee: phone });
    const phoneCall = startPhoneCall({}, { callId: 'CA1', direction: 'Inbound', phone });
    const tools = callTools({ phoneCall: () => phoneCall, calendar: server.calendar, confirmChanges });
    const toolbox = createToolbox({ tools });
    const run = (name: string, args: object, turn: number) => toolbox.run(name, args, { callId: 'CA1', caller, turn });
    return { ...server, run };
  };

  test('is asked for before an appointment is moved or cancelled', async () => {
    await using started = await confirmed();

    const asked = await started.run('reschedule_appointment', move, 1);
    expect(asked.value).toMatchObject({
      error: 'confirmation_required',
      summary: 'Move the appointment of Tuesday 2026-11-24 at 09:00 to Tuesday 2026-12-01 at 09:00.',
    });
    const { confirmation_token } = asked.value as { readonly confirmation_token: string };
    // Someone else on the line wants another time: that needs another yes.
    const other = { ...move, new_start: '2026-11-24T14:30-05:00', confirmation_token };
    expect((await started.run('reschedule_appointment', other, 2)).value).toMatchObject({
      error: 'confirmation_required',
    });
    expect((await started.run('cancel_appointment', { ...tuesday, confirmation_token }, 3)).value).toMatchObject({
      error: 'confirmation_required',
      summary: 'Cancel the appointment of Tuesday 2026-11-24 at 09:00.',
    });
    const again = await started.run('reschedule_appointment', { ...move, confirmation_token }, 4);
    expect(again.value).toMatchObject({ reason: 'caller_was_asked_something_else' });
    expect(started.writes).toEqual([]);
    const newest = (again.value as { readonly confirmation_token: string }).confirmation_token;
    expect(
      (await started.run('reschedule_appointment', { ...move, confirmation_token: newest }, 5)).value,
    ).toMatchObject({ moved: true });
  });

  test("isn't asked for a time that is none", async () => {
    await using started = await confirmed();

    expect(
      (await started.run('reschedule_appointment', { ...move, new_start: '2026-02-30T09:00-05:00' }, 1)).value,
    ).toMatchObject({ error: 'no_such_time' });
  });

  test('is left to the model where the application says so', async () => {
    await using started = await confirmed(false);

    expect((await started.run('cancel_appointment', tuesday, 1)).value).toMatchObject({ cancelled: true });
  });
});

test('a calendar has the tools for what it can do', async () => {
  await using server = await startBookingServer(slots);
  const { list, move: moves, cancel, ...simple } = server.calendar;
  const namesOf = (calendar: Calendar) =>
    callTools({ phoneCall: () => startPhoneCall({}, { callId: 'CA1', direction: 'Inbound', phone }), calendar })
      .map(({ name }) => name)
      .filter((name) => /slot|appointment/.test(name));

  expect(namesOf(simple)).toEqual(['list_free_slots', 'book_appointment']);
  expect(namesOf({ ...simple, move: moves, cancel })).toEqual(['list_free_slots', 'book_appointment']);
  expect(namesOf({ ...simple, list, cancel })).toEqual([
    'list_free_slots',
    'book_appointment',
    'list_my_appointments',
    'cancel_appointment',
  ]);
});
