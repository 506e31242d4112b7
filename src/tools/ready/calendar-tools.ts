import { isDate, text } from '../../core/arguments.ts';
import { IntegrationError } from '../../core/errors.ts';
import type { RequestOptions } from '../../http/operation.ts';
import { createLocalClock } from '../../core/local-clock.ts';
import * as z from '../../core/schema.ts';
import type { Appointment, Calendar, WantedAppointment } from './calendar.ts';
import type { CallToolsOptions } from './call-tools-options.ts';
import type { ToolContext } from '../context.ts';
import { defineTool } from '../define-tool.ts';
import { slotTaken } from '../failures.ts';
import { ownDetails, verifiedCaller } from './right-person.ts';
import { type Refusal, refused, type Tool } from '../tool.ts';

/** Finding a free time, and making an appointment for the caller. */
export const calendarTools = (
  calendar: Calendar,
  { lookup = 'caller' }: Pick<CallToolsOptions, 'lookup'>,
): readonly Tool[] => {
  const clock = createLocalClock(calendar.timeZone);
  const inWords = (start: Date) => {
    const { iso, weekday } = clock.at(start);
    return { start: iso, day: weekday };
  };

  return [
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
        slots: slots.map(({ start }) => inWords(start)),
        message: slots.length === 0 ? 'Nothing is free in that week: ask again with a later from.' : undefined,
      }),
    }),
    defineTool({
      name: 'book_appointment',
      description: 'Book a free slot that the caller agreed to.',
      parameters: bookingParameters(),
      effect: 'write',
      idempotent: true,
      slowMessage: 'I am booking that for you.',
      rules: [ownDetails(lookup, 'write')],
      run: ({ start, reason }, context) => {
        const { phone, email } = verifiedCaller(context.caller, lookup);
        const at = new Date(start);
        const reference = `${context.callId}:appointment:${at.toISOString()}`;
        const wanted = { reference, start: at, attendee: { phone, email } };
        return bookOnce(calendar, { wanted, reason: reason ?? undefined }, callOf(context));
      },
      compact: ({ start, isOld }) => ({ [isOld ? 'already_booked' : 'booked']: true, ...inWords(start) }),
    }),
  ];
};

/** Without a key: an appointment has its reference. */
const callOf = ({ request }: ToolContext): RequestOptions => ({ ...request, idempotencyKey: undefined });

interface Booking {
  readonly wanted: WantedAppointment;
  readonly reason: string | undefined;
}

/** One appointment per slot and caller, however often it's booked: what is there is looked up first, and after an unknown end. */
const bookOnce = async (
  calendar: Calendar,
  { wanted, reason }: Booking,
  call: RequestOptions,
): Promise<(Appointment & { readonly isOld: boolean }) | Refusal> => {
  const { start } = wanted;
  const to = new Date(start.getTime() + 1);
  const [old, slots] = await Promise.all([calendar.find(wanted, call), calendar.freeSlots({ from: start, to }, call)]);
  if (old) return { ...old, isOld: true };
  // A model may be wrong about the year.
  const slot = slots.find((one) => one.start.getTime() === start.getTime() && one.start.getTime() > Date.now());
  if (!slot) return refused(slotTaken());
  const booked = await calendar.book({ ...wanted, end: slot.end, reason }, call).catch(async (error: unknown) => {
    if (error instanceof IntegrationError && error.outcome !== 'unknown') throw error;
    const found = await calendar.find(wanted, call).catch(() => undefined);
    if (found) return found;
    throw error;
  });
  return booked ? { ...booked, isOld: false } : refused(slotTaken());
};

const fromDescription = 'Local date or time: 2026-01-31T14:00. Leave out for the soonest.';

const isLocalTime = (value: string): boolean =>
  isDate(value.slice(0, 10)) && /^(?:T(?:[01]\d|2[0-3]):[0-5]\d)?$/.test(value.slice(10));

const localTime = z.lazily(() =>
  z.string().check(z.refine(isLocalTime, 'must be a local date or time, such as 2026-01-31T14:00')),
);

const isMoment = (value: string): boolean =>
  /T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/.test(value) && Number.isFinite(Date.parse(value));

const slotParameters = z.lazily(() => z.object({ from: z.nullish(localTime()).check(z.describe(fromDescription)) }));

const bookingParameters = z.lazily(() =>
  z.object({
    start: z
      .string()
      .check(z.refine(isMoment, 'must be the start of a free slot'), z.describe('As list_free_slots gives it.')),
    reason: z.nullish(text().check(z.maxLength(200))).check(z.describe('In a few words.')),
  }),
);

/** The earliest moment at which any clock on Earth shows this day. */
const firstMomentOf = (from: string): number => Date.parse(`${from.slice(0, 10)}T00:00Z`) - 14 * 60 * 60 * 1000;

const dayMs = 24 * 60 * 60 * 1000;
const daysSearched = 8;
