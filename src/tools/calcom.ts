/**
 * Appointments in Cal.com, for the tools of a phone call.
 *
 * @module
 */
import { dayMs } from '../core/timers.ts';
import { createApiClient } from '../api/create-api-client.ts';
import { bearer } from '../auth/secret-credential.ts';
import { ClientError, IntegrationError, InvalidArgumentError, UnexpectedResponseError } from '../core/errors.ts';
import { assertTimeZone } from '../core/local-clock.ts';
import { assertKnown, checkOptions, must } from '../core/option-checks.ts';
import * as z from '../core/schema.ts';
import type { Secret } from '../core/secret.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import { type ConnectionOptions, readingOf, type RequestOptions } from '../http/operation.ts';
import { digitsIn } from '../phone/digits.ts';
import { isSamePhone } from '../phone/forms.ts';
import { isSameEmail } from '../phone/same-person.ts';
import type { Appointment, Attendee, Calendar, KeptAppointment, Slot } from './ready/calendar.ts';

/** An event type of Cal.com, and the way to it. */
export interface CalcomOptions {
  /** An API key, such as `fromEnv('CALCOM_KEY')`. */
  readonly key: Secret;
  /** The event type that callers book. Its form must not ask for an e-mail address if callers are known by their number. */
  readonly eventTypeId: number;
  /** The length of the event type in minutes. */
  readonly minutes: number;
  /** The IANA time zone that callers and colleagues think in. */
  readonly timeZone: string;
  /** The name that bookings have, since a calendar doesn't know the caller's. @defaultValue 'Caller' */
  readonly attendeeName?: string | undefined;
  /** @defaultValue 'https://api.cal.com/v2' */
  readonly baseUrl?: string | undefined;
  /** Further options of the client, such as `onEvent`. */
  readonly connection?: Omit<Partial<ConnectionOptions>, 'baseUrl' | 'authenticate'> | undefined;
}

/** A calendar in Cal.com, with the end of its client. */
export interface CalcomCalendar extends Required<Calendar> {
  /** Closes its client. */
  close(): Promise<void>;
}

/**
 * A calendar of Cal.com's API v2. A booking is the caller's if its attendee has their number or address; Cal.com's filter
 * isn't relied on. A move gives a new booking. What Cal.com refuses is looked up: it has no codes for a taken slot.
 * Throws `InvalidArgumentError` for options that can't work.
 *
 * @example
 * const calendar = calcom({ key: fromEnv('CALCOM_KEY'), eventTypeId: 42, minutes: 30, timeZone: 'America/New_York' });
 */
export const calcom = (options: CalcomOptions): CalcomCalendar => {
  const { eventTypeId, timeZone, attendeeName = 'Caller' } = checked(options);
  const api = connect(options);

  const { freeSlots, bookingsOf, find, isTaken, now } = readerOf(api, options);

  return {
    timeZone,
    freeSlots,
    find,
    book: async (appointment, call) => {
      const { start, attendee, reference, reason } = appointment;
      const body = {
        start: start.toISOString(),
        eventTypeId,
        attendee: withoutUndefined({
          name: attendeeName,
          timeZone,
          phoneNumber: attendee.phone,
          email: attendee.email,
        }),
        metadata: withoutUndefined({ reference, reason }),
      };
      const made = await api.book({ body }, call).catch(async (error: unknown) => {
        if (!isRefusal(error)) throw error;
        // A repetition is refused too, and the booking that is there isn't named.
        const own = await find(appointment, call);
        if (own) return own;
        if (await isTaken(start, call)) return undefined;
        throw error;
      });
      return made && 'data' in made ? madeAt(made.data, start, 'book') : made;
    },
    list: async ({ attendee, from, to }, call) => {
      const found = await bookingsOf(attendee, { from, to }, call);
      return found.flatMap((booking): KeptAppointment[] => {
        const one = attendeeOf(booking, attendee);
        // A guest of another person's booking can't change it.
        if (!one) return [];
        const { reason } = booking.metadata ?? {};
        return [
          {
            ...toAppointment(booking),
            id: one.seatUid ? `${booking.uid}/${one.seatUid}` : booking.uid,
            attendee: { phone: one.phone, email: one.email },
            reason: typeof reason === 'string' ? reason : undefined,
          },
        ];
      });
    },
    move: async ({ appointment, to }, call) => {
      const { uid, seatUid } = partsOf(appointment);
      const body = withoutUndefined({ start: to.start.toISOString(), reschedulingReason: byPhone, seatUid });
      const moved = await api.move({ uid, body }, call).catch(async (error: unknown) => {
        if (!isRefusal(error) && !mayBeDone(error)) throw error;
        const old = await now(uid, call);
        const successor = old?.rescheduledToUid ? await now(old.rescheduledToUid, call) : undefined;
        if (successor && isAt(successor, to.start)) return { data: successor };
        if (isRefusal(error) && old && isOpen(old.status) && (await isTaken(to.start, call))) return undefined;
        throw error;
      });
      return moved && madeAt(moved.data, to.start, 'move');
    },
    cancel: async (appointment, call) => {
      const { uid, seatUid } = partsOf(appointment);
      const body = withoutUndefined({ cancellationReason: seatUid ? undefined : byPhone, seatUid });
      await api.cancel({ uid, body }, call).catch(async (error: unknown) => {
        const old = isRefusal(error) || mayBeDone(error) ? await now(uid, call) : undefined;
        if (old?.status !== 'cancelled' || old.rescheduledToUid) throw error;
      });
      const left = await now(uid, call).catch(() => undefined);
      const isLeft = seatUid ? left?.attendees.some((one) => one.seatUid === seatUid) : left && isOpen(left.status);
      if (isLeft)
        throw new UnexpectedResponseError('Cal.com answered that the booking is cancelled, and still has it', {
          operation: 'calcom.cancel',
        });
    },
    close: () => api.close(),
  };
};

/** Reads slots and bookings. */
const readerOf = (api: ReturnType<typeof connect>, { eventTypeId, minutes, timeZone }: CalcomOptions) => {
  const freeSlots: Calendar['freeSlots'] = async ({ from, to }, call) => {
    // A window shorter than a slot finds none.
    const end = new Date(Math.max(to.getTime(), from.getTime() + dayMs));
    const query = { eventTypeId, start: from.toISOString(), end: end.toISOString(), timeZone };
    const { data } = await api.slots(query, readingOf(call));
    return Object.values(data)
      .flat()
      .map(({ start }) => slotAt(new Date(start), minutes))
      .filter(({ start }) => start >= from && start < to)
      .toSorted((one, other) => one.start.getTime() - other.start.getTime());
  };

  const bookingsOf = async (
    attendee: Attendee,
    { from, to }: { readonly from: Date; readonly to: Date },
    call: RequestOptions,
  ): Promise<readonly Booking[]> => {
    const found = new Map<string, Booking>();
    const period = {
      afterStart: new Date(from.getTime() - 1).toISOString(),
      beforeEnd: new Date(to.getTime() + dayMs).toISOString(),
    };
    for (const attendeeEmail of addressesOf(attendee)) {
      const pages = api.bookings({ attendeeEmail, eventTypeIds: String(eventTypeId), ...period }, readingOf(call));
      for await (const booking of pages) found.set(booking.uid, booking);
    }
    return [...found.values()].filter(
      ({ status, start, eventTypeId: type }) =>
        isOpen(status) &&
        type === eventTypeId &&
        Date.parse(start) >= from.getTime() &&
        Date.parse(start) < to.getTime(),
    );
  };

  const find: Calendar['find'] = async ({ start, attendee, reference }, call) => {
    const at = { from: start, to: new Date(start.getTime() + 1) };
    const found = await bookingsOf(attendee, at, call);
    const own = found.find((one) => one.metadata?.['reference'] === reference || attendeeOf(one, attendee)?.isOwn);
    return own && toAppointment(own);
  };

  /** Looks whether the slot is gone, after a refusal that doesn't say so. */
  const isTaken = async (start: Date, call: RequestOptions): Promise<boolean> => {
    const slots = await freeSlots({ from: start, to: new Date(start.getTime() + 1) }, call);
    return slots.length === 0;
  };

  /** The booking as it is, or the one that it was moved to. */
  const now = async (uid: string, call: RequestOptions): Promise<Booking | undefined> =>
    (await api.booking({ uid }, readingOf(call)))?.data;

  return { freeSlots, bookingsOf, find, isTaken, now };
};

const checked = (options: CalcomOptions): CalcomOptions => {
  assertKnown(options, {
    key: true,
    eventTypeId: true,
    minutes: true,
    timeZone: true,
    attendeeName: true,
    baseUrl: true,
    connection: true,
  });
  const { key, eventTypeId, minutes, timeZone, attendeeName = 'Caller' } = options;
  checkOptions('calcom', [
    must(typeof key === 'string' || typeof key === 'function', 'key', 'must be given, such as fromEnv(…)'),
    must(Number.isInteger(eventTypeId) && eventTypeId > 0, 'eventTypeId', 'must be the number of an event type'),
    must(Number.isInteger(minutes) && minutes > 0, 'minutes', 'must be the length of the event type'),
    must(attendeeName.trim() !== '', 'attendeeName', 'must not be empty: Cal.com needs a name'),
    () => {
      if (!timeZone) throw new InvalidArgumentError('timeZone', 'must be given, such as Europe/Berlin');
      assertTimeZone(timeZone);
    },
  ]);
  return options;
};

/** Each endpoint has a version of its own; a request without one is answered as in 2024, without filters. Read 2026-11-27. */
const version = (value: string) => ({ headers: { 'cal-api-version': value } });

const connect = ({ key, baseUrl = 'https://api.cal.com/v2', connection }: CalcomOptions) => {
  const body = z.record(z.string(), z.unknown());
  const returns = z.object({ data: bookingSchema() });
  return createApiClient({
    // Of an API key: 120 a minute.
    rateLimit: { limit: 120, perMs: 60_000 },
    ...connection,
    name: 'calcom',
    baseUrl,
    authenticate: bearer(key),
    endpoints: {
      slots: {
        method: 'GET',
        path: '/slots',
        query: z.object({ eventTypeId: z.number(), start: z.string(), end: z.string(), timeZone: z.string() }),
        returns: z.object({ data: z.record(z.string(), z.array(z.object({ start: z.string() }))) }),
        ...version('2024-09-04'),
      },
      bookings: {
        method: 'GET',
        path: '/bookings',
        query: z.object({
          attendeeEmail: z.string(),
          eventTypeIds: z.string(),
          afterStart: z.string(),
          beforeEnd: z.string(),
        }),
        returns: pageSchema(),
        next: ({ pagination }: Page) =>
          pagination?.hasMore && pagination.nextCursor ? { cursor: pagination.nextCursor } : undefined,
        ...version('2026-05-01'),
      },
      booking: {
        method: 'GET',
        path: '/bookings/{uid}',
        returns: z.optional(returns),
        absentOn404: true,
        ...version('2026-02-25'),
      },
      book: { method: 'POST', path: '/bookings', body, returns, ...writing },
      move: { method: 'POST', path: '/bookings/{uid}/reschedule', body, returns, ...writing },
      cancel: { method: 'POST', path: '/bookings/{uid}/cancel', body, returns: z.unknown(), ...writing },
    },
  });
};

/** Cal.com knows no keys: what may have been done is looked up. */
const writing = { repeat: 'never', ...version('2026-02-25') } as const;

interface Person {
  readonly email?: string | null | undefined;
  readonly phoneNumber?: string | null | undefined;
  readonly seatUid?: string | null | undefined;
}

interface Booking {
  readonly uid: string;
  readonly status: string;
  readonly start: string;
  readonly end: string;
  readonly eventTypeId?: number | null | undefined;
  readonly rescheduledToUid?: string | null | undefined;
  readonly attendees: readonly Person[];
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

interface Page {
  readonly data: readonly Booking[];
  readonly pagination?:
    | { readonly hasMore?: boolean | null | undefined; readonly nextCursor?: string | number | null | undefined }
    | null
    | undefined;
}

const text = () => z.nullish(z.string());

const bookingSchema = z.lazily<Booking>(() =>
  z.object({
    uid: z.string(),
    status: z.string(),
    start: z.string(),
    end: z.string(),
    eventTypeId: z.nullish(z.number()),
    rescheduledToUid: text(),
    attendees: z.array(z.object({ email: text(), phoneNumber: text(), seatUid: text() })),
    metadata: z.nullish(z.record(z.string(), z.unknown())),
  }),
);

const pageSchema = z.lazily<Page>(() =>
  z.object({
    data: z.array(bookingSchema()),
    pagination: z.nullish(
      z.object({ hasMore: z.nullish(z.boolean()), nextCursor: z.nullish(z.union([z.string(), z.number()])) }),
    ),
  }),
);

/** It takes place, or will once the host has confirmed it. */
const isOpen = (status: string): boolean => ['accepted', 'pending', 'awaiting_host'].includes(status);

const toAppointment = ({ uid, status, start, end }: Booking): Appointment => ({
  id: uid,
  start: new Date(start),
  end: new Date(end),
  status: status === 'accepted' ? 'booked' : 'pending',
});

/** The booking of an answer, if it's the one that was asked for. */
const madeAt = (booking: Booking, start: Date, action: string): Appointment => {
  if (isOpen(booking.status) && isAt(booking, start)) return toAppointment(booking);
  throw new UnexpectedResponseError(`Cal.com answered with a booking that is ${booking.status}, or at another time`, {
    operation: `calcom.${action}`,
  });
};

const isAt = ({ start }: Booking, time: Date): boolean => Date.parse(start) === time.getTime();

/** A person without an address has one of Cal.com's, made of their number. */
const smsDomain = '@sms.cal.com';

const addressesOf = ({ phone, email }: Attendee): readonly string[] => [
  ...(email ? [email] : []),
  ...(phone ? [`${digitsIn(phone)}${smsDomain}`] : []),
];

/** The attendee who booked, or the seat, that shows the caller; else the one who booked. */
const attendeeOf = (
  { attendees }: Booking,
  caller: Attendee,
): (Partial<Attendee> & { readonly seatUid: string | undefined; readonly isOwn: boolean }) | undefined => {
  const people = attendees.map(({ email, phoneNumber, seatUid }) => {
    const isMade = email?.endsWith(smsDomain);
    const phone = phoneNumber ?? (isMade ? `+${email?.slice(0, -smsDomain.length)}` : undefined);
    const own = { phone: phone ?? undefined, email: isMade ? undefined : (email ?? undefined) };
    return { ...own, seatUid: seatUid ?? undefined, isOwn: isSame(own, caller) };
  });
  const [first] = people;
  return people.find(({ isOwn, seatUid }) => isOwn && seatUid) ?? first;
};

const isSame = (one: Partial<Attendee>, caller: Attendee): boolean =>
  (!!one.phone && !!caller.phone && isSamePhone(caller.phone, one.phone)) ||
  (!!one.email && !!caller.email && isSameEmail(caller.email, one.email));

/** The number of a seat follows that of the booking. */
const partsOf = ({ id }: KeptAppointment): { readonly uid: string; readonly seatUid: string | undefined } => {
  const [uid = '', seatUid] = id.split('/');
  return { uid, seatUid };
};

const isRefusal = (error: unknown): error is ClientError =>
  error instanceof ClientError && [400, 404, 409].includes(error.status);

const mayBeDone = (error: unknown): boolean => error instanceof IntegrationError && error.outcome === 'unknown';

const slotAt = (start: Date, minutes: number): Slot => ({ start, end: new Date(start.getTime() + minutes * minuteMs) });

const byPhone = 'By phone';
const minuteMs = 60_000;
