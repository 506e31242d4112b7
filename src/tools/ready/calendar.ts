import type { RequestOptions } from '../../http/operation.ts';
import { findPerson } from '../../phone-call/steps/find-person.ts';
import type { CrmClient, CrmEvent } from '../../crm/index.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import { createLocalClock, type LocalClock, weekdays as allWeekdays } from '../../core/local-clock.ts';
import { eachOneOf } from '../../core/option-checks.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';

/**
 * A calendar for appointments. `crmCalendar` keeps them as events of the CRM; for another calendar, such as Cal.com's
 * or Google's, write these three functions.
 */
export interface Calendar {
  /** The IANA time zone that callers and colleagues think in, such as `America/New_York`. */
  readonly timeZone: string;
  /** The free slots that start at `from` or later, and before `to`; the earliest first. */
  freeSlots(time: { readonly from: Date; readonly to: Date }, call: RequestOptions): Promise<readonly Slot[]>;
  /**
   * The appointment with this reference, or another one of this person at this time; `undefined` when there's none. It's
   * asked before each booking, and after one of which it isn't known whether it was made.
   */
  find(wanted: WantedAppointment, call: RequestOptions): Promise<Appointment | undefined>;
  /** Makes the appointment, and keeps its reference. `undefined`: the slot was taken meanwhile. */
  book(appointment: NewAppointment, call: RequestOptions): Promise<Appointment | undefined>;
}

/** A time that can be booked. */
export interface Slot {
  readonly start: Date;
  readonly end: Date;
}

/** The facts that identify an appointment before it's made. */
export interface WantedAppointment {
  /** The same for the same slot of the same phone call, and for no other. At most 255 characters. */
  readonly reference: string;
  readonly start: Date;
  readonly attendee: Attendee;
}

/** The caller's certain details, never a model's words. */
export interface Attendee {
  /** E.164. */
  readonly phone: string | undefined;
  readonly email: string | undefined;
}

/** An appointment to be made. */
export interface NewAppointment extends WantedAppointment, Slot {
  /** The reason, in the words of the model. */
  readonly reason: string | undefined;
}

/** An appointment that was made. */
export interface Appointment extends Slot {
  readonly id: string;
}

/** The calendar's owner, and the times that people can book. */
export interface CrmCalendarOptions {
  /** A user, or a public calendar of the CRM. */
  readonly ownerId: string;
  /** An IANA time zone, such as `America/New_York`. */
  readonly timeZone: string;
  /** @defaultValue 30 */
  readonly slotMinutes?: number | undefined;
  /** Local. @defaultValue '09:00' */
  readonly opensAt?: string | undefined;
  /** Local: the last slot ends then, or earlier. @defaultValue '17:00' */
  readonly closesAt?: string | undefined;
  /** In English. @defaultValue Monday to Friday */
  readonly weekdays?: readonly string[] | undefined;
  /** The title of an appointment. @defaultValue 'Appointment by phone' */
  readonly subject?: string | undefined;
}

/**
 * A calendar that keeps its appointments as events of the CRM. An event blocks its time, unless it's shown as free; one
 * of a whole day blocks the day. An appointment relates to the caller's contact or lead, if there's exactly one. Its
 * description has the caller's number and a reference to the phone call. Throws `InvalidArgumentError` for a time zone
 * or opening times that can't work.
 *
 * @example
 * const calendar = crmCalendar(crm, { ownerId: '005XX0000012345', timeZone: 'America/New_York' });
 */
export const crmCalendar = (
  crm: CrmClient,
  {
    ownerId,
    timeZone,
    slotMinutes = 30,
    opensAt = '09:00',
    closesAt = '17:00',
    weekdays = allWeekdays.slice(0, 5),
    subject = 'Appointment by phone',
  }: CrmCalendarOptions,
): Calendar => {
  if (!(slotMinutes > 0)) throw new InvalidArgumentError('slotMinutes', 'must be a number above 0');
  eachOneOf(weekdays, 'weekdays', allWeekdays)();
  const clock = createLocalClock(timeZone);
  const opening = minuteOf(opensAt, 'opensAt');
  const closing = minuteOf(closesAt, 'closesAt');
  const people = new WeakMap<Attendee, Promise<string | undefined>>();

  /** The caller's record is looked up once per booking. */
  const whoIs = (attendee: Attendee, call: RequestOptions): Promise<string | undefined> => {
    const known = people.get(attendee) ?? findRecord(crm, attendee, call);
    people.set(attendee, known);
    return known;
  };

  const eventsBetween = async (from: number, to: number, call: RequestOptions): Promise<readonly CrmEvent[]> => {
    const { signal, callId, deadline } = call;
    const period = { ownerId, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const events: CrmEvent[] = [];
    const fields = ['Description', 'CreatedDate'];
    for await (const event of crm.events.searchAll({ ...period, fields }, { signal, callId, deadline }))
      events.push(event);
    return events;
  };

  /** The slots of one local day. */
  const slotsOf = (date: string): readonly Slot[] =>
    weekdays.includes(weekdayOf(date))
      ? stepsOf(opening, closing - slotMinutes, slotMinutes).flatMap((minute) => {
          const start = clock.instantOf(date, minute);
          return start ? { start, end: new Date(start.getTime() + slotMinutes * minuteMs) } : [];
        })
      : [];

  const find: Calendar['find'] = async (wanted, call) => {
    const at = wanted.start.getTime();
    const [who, events] = await Promise.all([whoIs(wanted.attendee, call), eventsBetween(at, at + minuteMs, call)]);
    // One of a whole day begins at midnight UTC, which is a time of day elsewhere.
    const own = events.find((event) => !event.IsAllDayEvent && startOf(event) === at && isOf(event, wanted, who));
    return own && toAppointment(own);
  };

  return {
    timeZone,
    find,
    freeSlots: async ({ from, to }, call) => {
      // An event of a whole day begins and may end at midnight UTC of its date, and that day may end a day later here.
      const events = await eventsBetween(from.getTime() - 2 * dayMs, to.getTime() + dayMs, call);
      const busy = events.filter(blocks);
      return daysBetween(clock.at(from).date, clock.at(to).date)
        .flatMap(slotsOf)
        .filter(({ start }) => start >= from && start < to)
        .filter((slot) => !busy.some((event) => overlaps(event, slot, clock)));
    },
    // Without a key: `find` knows whether it's there, and an API that knows no keys would refuse the same one again.
    book: async (appointment, call) => {
      const { start, end, attendee } = appointment;
      const { id } = await crm.events.create(
        withoutUndefined({
          Subject: subject,
          StartDateTime: start.toISOString(),
          EndDateTime: end.toISOString(),
          OwnerId: ownerId,
          WhoId: await whoIs(attendee, call),
          Description: describe(appointment),
        }),
        call,
      );
      // Two callers may have been offered the slot at the same moment. The one whose event is older keeps it.
      // The event is there: a check that fails doesn't undo it.
      const events = await eventsBetween(start.getTime(), end.getTime(), call).catch(() => []);
      const own = events.find(({ Id }) => Id === id);
      const others = events.filter((other) => blocks(other) && overlaps(other, { start, end }, clock));
      const isLater = own !== undefined && others.some((other) => isOlder(other, own));
      if (!isLater) return { id, start, end };
      // The other caller has the slot, also when this event can't be deleted.
      await crm.events.delete(id, call).catch(() => {});
      return undefined;
    },
  };
};

const findRecord = async (crm: CrmClient, attendee: Attendee, call: RequestOptions): Promise<string | undefined> => {
  const person = await findPerson(crm, { ...attendee, closedStatuses: [] }, call);
  if (!person || person.kind === 'ambiguous') return undefined;
  return person.contactId ?? (person.kind === 'open_lead' ? person.leadId : undefined);
};

/** The words of a model stay on a line of their own, so that they're never taken for a mark. */
const describe = ({ reason, ...wanted }: NewAppointment): string =>
  [...(reason ? [`Reason: ${reason.replace(/\s+/g, ' ')}`] : []), ...marksOf(wanted)].join('\n');

/** The text by which an appointment is found again. */
const marksOf = ({ reference, attendee }: WantedAppointment): readonly string[] => [
  ...(attendee.phone ? [`Caller: ${attendee.phone}`] : []),
  ...(attendee.email ? [`E-mail: ${attendee.email}`] : []),
  `Reference: ${reference}`,
];

const isOf = ({ WhoId, Description }: CrmEvent, wanted: WantedAppointment, who: string | undefined): boolean => {
  const lines = (Description ?? '').split(/\r?\n/);
  if (lines.includes(`Reference: ${wanted.reference}`)) return true;
  // What relates to another person isn't theirs, even if the number in its text is.
  if (who !== undefined && WhoId) return WhoId === who;
  return marksOf(wanted).some((mark) => lines.includes(mark));
};

const toAppointment = (event: CrmEvent): Appointment => ({
  id: event.Id,
  start: new Date(startOf(event)),
  end: new Date(endOf(event)),
});

const startOf = ({ StartDateTime }: CrmEvent): number => Date.parse(StartDateTime ?? '');
const endOf = ({ EndDateTime }: CrmEvent): number => Date.parse(EndDateTime ?? '');

const blocks = ({ ShowAs }: CrmEvent): boolean => ShowAs !== 'Free';

const overlaps = (event: CrmEvent, { start, end }: Slot, clock: LocalClock): boolean => {
  if (!event.IsAllDayEvent) return startOf(event) < end.getTime() && endOf(event) > start.getTime();
  const { date } = clock.at(start);
  return (event.StartDateTime ?? '').slice(0, 10) <= date && date <= (event.EndDateTime ?? '').slice(0, 10);
};

const isOlder = (one: CrmEvent, other: CrmEvent): boolean => {
  const [first, second] = [one.CreatedDate ?? '', other.CreatedDate ?? ''];
  return first === second ? one.Id < other.Id : first < second;
};

const minuteOf = (time: string, field: string): number => {
  const [, hour, minute] = /^([01]\d|2[0-4]):([0-5]\d)$/.exec(time) ?? [];
  if (hour === undefined) throw new InvalidArgumentError(field, 'must be a time such as 09:00');
  return Number(hour) * 60 + Number(minute);
};

/** The days from one date to another, both included. */
const daysBetween = (first: string, last: string): readonly string[] =>
  stepsOf(Date.parse(first), Date.parse(last), dayMs).map((at) => new Date(at).toISOString().slice(0, 10));

const stepsOf = (first: number, last: number, step: number): readonly number[] =>
  Array.from({ length: Math.max(0, Math.floor((last - first) / step) + 1) }, (_, index) => first + index * step);

const weekdayOf = (date: string): string =>
  new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(Date.parse(date));

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
