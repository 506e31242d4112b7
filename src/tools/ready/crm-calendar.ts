import { dayMs } from '../../core/timers.ts';
import { readingOf, type RequestOptions } from '../../http/operation.ts';
import { findPerson } from '../../phone-call/steps/find-person.ts';
import type { CrmClient, CrmEvent } from '../../crm/index.ts';
import { unclearEventsOf } from '../../crm/recent-events.ts';
import { ClientError, InvalidArgumentError, UnexpectedResponseError } from '../../core/errors.ts';
import { createLocalClock, type LocalClock, weekdays as allWeekdays } from '../../core/local-clock.ts';
import { eachOneOf } from '../../core/option-checks.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import type { Appointment, Attendee, Calendar, NewAppointment, Slot, WantedAppointment } from './calendar.ts';

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
 * description has the caller's number and a reference to the phone call. `list` finds what relates to the caller's record,
 * and for 90 days what has their number or address. Throws `InvalidArgumentError` for a time zone or opening times that
 * can't work.
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
  const { whoIs, eventsBetween, eventsOf } = readerOf(crm, ownerId);
  const unclear = () => unclearOf(crm, ownerId);

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
    const isOwn = (event: CrmEvent) => isTimed(event) && startOf(event) === at && isOf(event, wanted, who);
    const own = events.find(isOwn);
    if (!own && unclear().ended.some(isOwn))
      throw new UnexpectedResponseError('the appointment may have been made a moment ago: a search shows it later', {
        operation: 'crm.events.create',
      });
    const isThisBooking = own && linesOf(own).includes(`Reference: ${wanted.reference}`);
    // Its answer was lost, so it isn't known yet who has the slot.
    return isThisBooking ? settle(own, { ...wanted, end: new Date(endOf(own)) }, call) : own && toAppointment(own);
  };

  /**
   * Two callers may have been offered the slot at the same moment. The one whose event is older keeps it; the other event
   * is deleted. It may be the same caller's.
   */
  const settle = async (
    own: CrmEvent,
    wanted: WantedAppointment & Slot,
    call: RequestOptions,
    events?: readonly CrmEvent[],
  ): Promise<Appointment | undefined> => {
    const { start, end } = wanted;
    const there = events ?? (await eventsBetween(start.getTime(), end.getTime(), call));
    const others = there.filter((other) => blocks(other) && overlaps(other, wanted, clock));
    const first =
      others.find((other) => isOlder(other, own)) ?? unclear().ended.find((other) => overlaps(other, wanted, clock));
    if (!first) return { id: own.Id, start, end };
    // The other event has the slot, also when this one can't be deleted.
    await crm.events.delete(own.Id, call).catch(() => {});
    const isSame = startOf(first) === start.getTime() && isOf(first, wanted, await whoIs(wanted.attendee, call));
    return isSame ? toAppointment(first) : undefined;
  };

  return {
    timeZone,
    find,
    freeSlots: async ({ from, to }, call) => {
      // An event of a whole day begins and may end at midnight UTC of its date, and that day may end a day later here.
      const events = await eventsBetween(from.getTime() - 2 * dayMs, to.getTime() + dayMs, call);
      // What may have been made takes its time.
      const busy = [...events, ...unclear().all].filter(blocks);
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
          ...timesOf(appointment),
          OwnerId: ownerId,
          WhoId: await whoIs(attendee, call),
          Description: describe(appointment),
        }),
        call,
      );
      try {
        const events = await eventsBetween(start.getTime(), end.getTime(), call);
        const own = events.find(({ Id }) => Id === id);
        return own ? await settle(own, appointment, call, events) : { id, start, end };
      } catch (error) {
        throw new UnexpectedResponseError('the event was made, and it is not known who has the slot', {
          operation: 'crm.events.create',
          original: error,
        });
      }
    },
    list: async ({ attendee, from, to }, call) => {
      const who = await whoIs(attendee, call);
      const soon = Math.min(to.getTime(), from.getTime() + daysOfAll * dayMs);
      const [theirs, all] = await Promise.all([
        who === undefined ? [] : eventsOf(who, from, to, call),
        eventsBetween(from.getTime(), soon, call),
      ]);
      const marked = all.filter((event) => isPersons(event, attendee, who));
      const own = new Map([...marked, ...theirs].map((event) => [event.Id, event] as const));
      return [...own.values()]
        .filter((event) => isTimed(event) && startOf(event) >= from.getTime() && startOf(event) < to.getTime())
        .map((event) => ({
          ...toAppointment(event),
          // An event of the caller's record is theirs, whichever of their numbers it was made with.
          attendee: who !== undefined && event.WhoId === who ? attendee : attendeeIn(event),
          reason: lineOf(event, 'Reason'),
        }));
    },
    move: async ({ appointment: { id, start, end }, to }, call) => {
      await crm.events.update(id, timesOf(to), call);
      const [events, moved] = await Promise.all([
        eventsBetween(to.start.getTime(), to.end.getTime(), call).catch(() => []),
        crm.events.get(id, readingOf(call)).catch(() => undefined),
      ]);
      if (moved && startOf(moved) !== to.start.getTime())
        throw new UnexpectedResponseError('crm.events.update was answered as done, and the event is where it was', {
          operation: 'crm.events.update',
        });
      const isTaken = events.some((other) => other.Id !== id && blocks(other) && overlaps(other, to, clock));
      if (!isTaken) return { id, ...to };
      // Who came first can't be seen, since a moved event is as old as before: the one that moves makes room.
      await crm.events.update(id, timesOf({ start, end }), call).catch((error: unknown) => {
        throw new UnexpectedResponseError('the slot was taken, and the event could not be moved back', {
          operation: 'crm.events.update',
          original: error,
        });
      });
      return undefined;
    },
    cancel: async ({ id, start, end }, call) => {
      await crm.events.cancel(id, call).catch((error: unknown) => {
        if (!(error instanceof ClientError && error.status === 404)) throw error;
      });
      const left = await eventsBetween(start.getTime(), end.getTime(), call).catch(() => []);
      if (left.some(({ Id }) => Id === id))
        throw new UnexpectedResponseError('the CRM answered that the event is canceled, and still has it', {
          operation: 'crm.events.cancel',
        });
    },
  };
};

/** Reads events, and the caller's record. */
const readerOf = (crm: CrmClient, ownerId: string) => {
  const people = new WeakMap<Attendee, Promise<string | undefined>>();

  /** The caller's record is looked up once per booking. */
  const whoIs = (attendee: Attendee, call: RequestOptions): Promise<string | undefined> => {
    const known = people.get(attendee) ?? findRecord(crm, attendee, call);
    people.set(attendee, known);
    return known;
  };

  const eventsBetween = async (
    from: number,
    to: number,
    call: RequestOptions,
    whoId?: string,
  ): Promise<readonly CrmEvent[]> => {
    const period = { ownerId, whoId, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const events: CrmEvent[] = [];
    const fields = ['Description', 'CreatedDate'];
    for await (const event of crm.events.searchAll({ ...period, fields }, readingOf(call))) events.push(event);
    return events;
  };

  /** The events of one person. A search may ignore its condition, and HubSpot's rows don't show to whom they relate. */
  const eventsOf = async (who: string, from: Date, to: Date, call: RequestOptions): Promise<readonly CrmEvent[]> => {
    const found = await eventsBetween(from.getTime(), to.getTime(), call, who);
    const read = found
      .filter(isTimed)
      .slice(0, mostOfOnePerson)
      .map(async (event) =>
        event.WhoId ? event : { ...event, WhoId: (await crm.events.get(event.Id, readingOf(call)))?.WhoId ?? null },
      );
    return (await Promise.all(read)).filter(({ WhoId }) => WhoId === who);
  };

  return { whoIs, eventsBetween, eventsOf };
};

/** The events of the owner that may have been made, or are being made, and have no id yet. */
const unclearOf = ({ events }: CrmClient, ownerId: string) => {
  const { ended, all } = unclearEventsOf(events);
  const ofOwner = (list: typeof all): readonly CrmEvent[] =>
    list.filter(({ OwnerId }) => OwnerId === ownerId).map((fields): CrmEvent => ({ ...fields, Id: '' }));
  return { ended: ofOwner(ended), all: ofOwner(all) };
};

const timesOf = ({ start, end }: Slot) => ({ StartDateTime: start.toISOString(), EndDateTime: end.toISOString() });

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
  ...personMarks(attendee),
  `Reference: ${reference}`,
];

const personMarks = ({ phone, email }: Attendee): readonly string[] => [
  ...(phone ? [`Caller: ${phone}`] : []),
  ...(email ? [`E-mail: ${email}`] : []),
];

const linesOf = ({ Description }: CrmEvent): readonly string[] => (Description ?? '').split(/\r?\n/);

const lineOf = (event: CrmEvent, name: string): string | undefined =>
  linesOf(event)
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);

const attendeeIn = (event: CrmEvent): Attendee => ({ phone: lineOf(event, 'Caller'), email: lineOf(event, 'E-mail') });

const isOf = (event: CrmEvent, wanted: WantedAppointment, who: string | undefined): boolean =>
  linesOf(event).includes(`Reference: ${wanted.reference}`) || isPersons(event, wanted.attendee, who);

const isPersons = (event: CrmEvent, attendee: Attendee, who: string | undefined): boolean => {
  // What relates to another person isn't theirs, even if the number in its text is.
  if (who !== undefined && event.WhoId) return event.WhoId === who;
  const lines = linesOf(event);
  return personMarks(attendee).some((mark) => lines.includes(mark));
};

/** An event of a whole day begins at midnight UTC, which is a time of day elsewhere. */
const isTimed = ({ IsAllDayEvent }: CrmEvent): boolean => !IsAllDayEvent;

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
/** The days of the calendar that are read where the caller's record isn't known. */
const daysOfAll = 90;
const mostOfOnePerson = 20;
