import { dayMs } from '../../core/timers.ts';
import { isDate, text } from '../../core/arguments.ts';
import type { RequestOptions } from '../../http/operation.ts';
import { createLocalClock } from '../../core/local-clock.ts';
import * as z from '../../core/schema.ts';
import {
  bookOnce,
  cancelOnce,
  type CancelingCalendar,
  type ListingCalendar,
  moveOnce,
  type MovingCalendar,
  type NoAppointment,
  ownAppointments,
} from './appointments.ts';
import { nearestFree, readTime, startParameter } from './appointment-times.ts';
import type { Appointment, Attendee, Calendar, Slot } from './calendar.ts';
import type { CallToolsOptions } from './call-tools-options.ts';
import type { ToolContext } from '../context.ts';
import { defineTool } from '../define-tool.ts';
import { noSuchAppointment, notConfirmed, type NotFree, notFree, severalAppointments } from '../failures.ts';
import { ownDetails, verifiedCaller } from './right-person.ts';
import { type Refusal, refused, type Tool } from '../tool.ts';

type Options = Pick<CallToolsOptions, 'lookup' | 'confirmChanges'>;

/** Finding a free time, and the caller's appointments: making, seeing, moving and canceling them. */
export const calendarTools = (calendar: Calendar, options: Options): readonly Tool[] => {
  const shared = createShared(calendar, options);
  return [
    slotTool(calendar, shared),
    bookingTool(calendar, shared),
    ...(canList(calendar) ? [ownTool(calendar, shared)] : []),
    ...(canMove(calendar) ? [movingTool(calendar, shared, options)] : []),
    ...(canCancel(calendar) ? [cancelingTool(calendar, shared, options)] : []),
  ];
};

const canList = (calendar: Calendar): calendar is ListingCalendar => calendar.list !== undefined;
const canMove = (calendar: Calendar): calendar is MovingCalendar => canList(calendar) && calendar.move !== undefined;
const canCancel = (calendar: Calendar): calendar is CancelingCalendar =>
  canList(calendar) && calendar.cancel !== undefined;

type Shared = ReturnType<typeof createShared>;

/** The parts that the tools of one calendar share. */
const createShared = (calendar: Calendar, { lookup = 'caller' }: Options) => {
  const clock = createLocalClock(calendar.timeZone);
  const inTurn = createTurns();
  const inWords = ({ start }: Pick<Slot, 'start'>) => {
    const { iso, weekday } = clock.at(start);
    return { start: iso, day: weekday };
  };
  const refuseTime = async (why: NotFree, near: Date, nothing: 'booked' | 'moved', call: RequestOptions) => {
    // The refusal is certain without them.
    const free = await nearestFree(calendar, near, call).catch(() => []);
    return refused(notFree(why, { nothing, free: free.map(inWords) }));
  };
  return {
    clock,
    inWords,
    refuseTime,
    own: (effect: 'read' | 'write') => ownDetails(lookup, effect),
    attendeeOf: ({ caller }: ToolContext): Attendee => {
      const { phone, email } = verifiedCaller(caller, lookup);
      return { phone, email };
    },
    /** Refuses what is no time to come, before the caller is asked for a yes. */
    refuseNoTime: async (start: string, nothing: 'booked' | 'moved', context: ToolContext) => {
      const { problem, near } = readTime(start, clock);
      return problem && refuseTime(problem, near, nothing, callOf(context));
    },
    refuseOther: ({ problem, own }: NoAppointment): Refusal =>
      refused(problem === 'no_such_appointment' ? noSuchAppointment(own.map(inWords)) : severalAppointments()),
    /** No appointment starts at what is no time. */
    timeOf: (start: string): Date => readTime(start, clock).at ?? new Date(Number.NaN),
    spoken: (start: string): string => {
      const { at } = readTime(start, clock);
      if (!at) return start;
      const { weekday, iso } = clock.at(at);
      return `${weekday} ${iso.slice(0, 10)} at ${iso.slice(11, 16)}`;
    },
    /** The changes of one phone call follow each other: two at once could take one slot twice. */
    write: <Result>(context: ToolContext, work: (call: RequestOptions) => Promise<Result>): Promise<Result> =>
      inTurn(JSON.stringify([context.tenant, context.callId]), () => work(callOf(context))),
  };
};

/** Without a key: an appointment has its reference. */
const callOf = ({ request }: ToolContext): RequestOptions => ({ ...request, idempotencyKey: undefined });

const createTurns = () => {
  const last = new Map<string, Promise<unknown>>();
  return async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const own = (last.get(key) ?? Promise.resolve()).then(work);
    const ended = own.catch(() => {});
    last.set(key, ended);
    await ended;
    if (last.get(key) === ended) last.delete(key);
    return own;
  };
};

const slotTool = (calendar: Calendar, { clock, inWords }: Shared): Tool =>
  defineTool({
    name: 'list_free_slots',
    description: 'Free times. Offer two or three.',
    parameters: slotParameters(),
    effect: 'read',
    slowMessage: 'I am looking at the calendar.',
    run: async ({ from }, context) => {
      const now = new Date();
      const earliest = new Date(Math.max(now.getTime(), from ? firstMomentOf(from) : 0));
      const to = new Date(earliest.getTime() + daysSearched * dayMs);
      const slots = await calendar.freeSlots({ from: earliest, to }, callOf(context));
      // Local times without their offset sort as texts.
      return { now, slots: slots.filter(({ start }) => clock.at(start).iso >= (from ?? '')) };
    },
    compact: ({ now, slots }) => ({
      today: `${clock.at(now).weekday} ${clock.at(now).date}`,
      slots: slots.map(inWords),
      time_zone: calendar.timeZone,
      message: slots.length === 0 ? 'Nothing is free in that week: ask again with a later from.' : undefined,
    }),
  });

const bookingTool = (calendar: Calendar, shared: Shared): Tool => ({
  ...defineTool({
    name: 'book_appointment',
    description: 'Book a free slot that the caller agreed to.',
    parameters: bookingParameters(),
    effect: 'write',
    idempotent: true,
    slowMessage: 'I am booking that for you.',
    rules: [shared.own('write'), ({ start }, context) => shared.refuseNoTime(start, 'booked', context)],
    run: ({ start, reason }, context) =>
      shared.write(context, async (call) => {
        const at = shared.timeOf(start);
        const reference = `${context.callId}:appointment:${at.toISOString()}`;
        const wanted = { reference, start: at, attendee: shared.attendeeOf(context), reason: reason ?? undefined };
        const booked = await bookOnce(calendar, wanted, call);
        return 'problem' in booked ? shared.refuseTime('slot_taken', at, 'booked', call) : booked;
      }),
    compact: (booked) => madeWords(booked, booked.isOld ? 'already_booked' : 'booked', shared),
  }),
  looksUp: true,
});

/** The end of a change in words. One that the business has to confirm isn't made. */
const madeWords = (made: Appointment, done: string, { inWords }: Shared) =>
  isBooked(made) ? { [done]: true, ...inWords(made) } : { requested: true, ...inWords(made), message: notConfirmed };

/** Any other word is no promise. */
const isBooked = ({ status = 'booked' }: Appointment): boolean => status === 'booked';

const ownTool = (calendar: ListingCalendar, { own, attendeeOf, inWords }: Shared): Tool =>
  defineTool({
    name: 'list_my_appointments',
    description: "The caller's own appointments.",
    parameters: noParameters(),
    effect: 'read',
    slowMessage: 'I am looking up your appointments.',
    rules: [own('read')],
    run: (_args, context) => ownAppointments(calendar, attendeeOf(context), callOf(context)),
    compact: (appointments) => ({
      appointments: appointments.map((one) => ({
        ...inWords(one),
        reason: one.reason?.slice(0, 80),
        confirmed: isBooked(one) ? undefined : false,
      })),
      time_zone: calendar.timeZone,
      message: appointments.length === 0 ? 'No appointment of the caller was found.' : undefined,
    }),
  });

const movingTool = (calendar: MovingCalendar, shared: Shared, { confirmChanges = 'two-step' }: Options): Tool => ({
  ...defineTool({
    name: 'reschedule_appointment',
    description: "Move the caller's appointment to a free slot.",
    parameters: movingParameters(),
    effect: 'write',
    idempotent: true,
    confirm: confirmChanges,
    summarize: (args) =>
      `Move the appointment of ${shared.spoken(args.current_start)} to ${shared.spoken(args.new_start)}.`,
    slowMessage: 'I am moving your appointment.',
    rules: [shared.own('write'), (args, context) => shared.refuseNoTime(args.new_start, 'moved', context)],
    run: (args, context) =>
      shared.write(context, async (call) => {
        const [from, to] = [shared.timeOf(args.current_start), shared.timeOf(args.new_start)];
        const reference = `${context.callId}:move:${from.getTime()}:${to.toISOString()}`;
        const moved = await moveOnce(calendar, { from, to, attendee: shared.attendeeOf(context), reference }, call);
        if (!('problem' in moved)) return moved;
        return moved.problem === 'slot_taken'
          ? shared.refuseTime('slot_taken', to, 'moved', call)
          : shared.refuseOther(moved);
      }),
    compact: (moved) => madeWords(moved, moved.isOld ? 'already_booked' : 'moved', shared),
  }),
  looksUp: true,
});

const cancelingTool = (
  calendar: CancelingCalendar,
  shared: Shared,
  { confirmChanges = 'two-step' }: Options,
): Tool => ({
  ...defineTool({
    name: 'cancel_appointment',
    description: "Cancel the caller's appointment.",
    parameters: cancelingParameters(),
    effect: 'write',
    idempotent: true,
    confirm: confirmChanges,
    summarize: ({ start }) => `Cancel the appointment of ${shared.spoken(start)}.`,
    slowMessage: 'I am cancelling your appointment.',
    rules: [shared.own('write')],
    run: ({ start }, context) =>
      shared.write(context, async (call) => {
        const wanted = { start: shared.timeOf(start), attendee: shared.attendeeOf(context) };
        const cancelled = await cancelOnce(calendar, wanted, call);
        return 'problem' in cancelled ? shared.refuseOther(cancelled) : cancelled;
      }),
    compact: (cancelled) => ({ cancelled: true, ...shared.inWords(cancelled) }),
  }),
  looksUp: true,
});

const fromDescription = 'Local date or time: 2026-01-31T14:00. Leave out for the soonest.';

const isLocalTime = (value: string): boolean =>
  isDate(value.slice(0, 10)) && /^(?:T(?:[01]\d|2[0-3]):[0-5]\d)?$/.test(value.slice(10));

const localTime = z.lazily(() =>
  z.string().check(z.refine(isLocalTime, 'must be a local date or time, such as 2026-01-31T14:00')),
);

const noParameters = z.lazily(() => z.object({}));

const slotParameters = z.lazily(() => z.object({ from: z.nullish(localTime()).check(z.describe(fromDescription)) }));

const bookingParameters = z.lazily(() =>
  z.object({
    start: startParameter('a free slot', 'As list_free_slots gives it.'),
    reason: z.nullish(text().check(z.maxLength(200))).check(z.describe('In a few words.')),
  }),
);

const movingParameters = z.lazily(() =>
  z.object({
    current_start: startParameter('an appointment', 'As list_my_appointments gives it.'),
    new_start: startParameter('a free slot', 'As list_free_slots gives it.'),
  }),
);

const cancelingParameters = z.lazily(() =>
  z.object({ start: startParameter('an appointment', 'As list_my_appointments gives it.') }),
);

/** The earliest moment at which any clock on Earth shows this day. */
const firstMomentOf = (from: string): number => Date.parse(`${from.slice(0, 10)}T00:00Z`) - 14 * 60 * 60 * 1000;

const daysSearched = 8;
