import { serve } from './serve.ts';

export interface FakeBooking {
  readonly uid: string;
  status: string;
  readonly start: string;
  readonly end: string;
  readonly eventTypeId: number;
  rescheduledToUid?: string;
  readonly rescheduledFromUid?: string;
  attendees: { readonly name: string; readonly email: string; readonly phoneNumber?: string; seatUid?: string }[];
  readonly metadata: object;
}

export interface FakeCalcomOptions {
  /** What a host confirms. */
  readonly isPending?: boolean;
  /** Bookings of one page. @defaultValue 100 */
  readonly pageSize?: number;
  /** Filters that don't filter, as under a version that Cal.com doesn't know. */
  readonly ignoresFilters?: boolean;
}

/** `drop`: the answer is lost; `lie`: it's answered as done, and isn't. */
export type CalcomFault = 'drop' | 'lie' | 'taken-meanwhile';

/** The version that each endpoint must be sent, as Cal.com's pages say. */
const versions = { slots: '2024-09-04', list: '2026-05-01', booking: '2026-02-25' } as const;

/** The part of Cal.com's API v2 that a calendar needs, with one event type of 30 minutes. */
export const startFakeCalcom = async (
  free: readonly string[],
  { isPending = false, pageSize = 100, ignoresFilters = false }: FakeCalcomOptions = {},
) => {
  const bookings: FakeBooking[] = [];
  const faults: CalcomFault[] = [];
  const requests: string[] = [];
  let made = 0;

  const isOpen = ({ status }: FakeBooking) => status === 'accepted' || status === 'pending';
  const isFree = (start: string) =>
    free.some((one) => Date.parse(one) === Date.parse(start)) &&
    !bookings.some((one) => isOpen(one) && Date.parse(one.start) === Date.parse(start));
  const add = (fields: Pick<FakeBooking, 'start' | 'attendees'> & Partial<FakeBooking>): FakeBooking => {
    made += 1;
    const start = new Date(fields.start).toISOString();
    const booking: FakeBooking = {
      uid: `uid_${made}`,
      status: isPending ? 'pending' : 'accepted',
      end: new Date(Date.parse(start) + 1_800_000).toISOString(),
      eventTypeId: 42,
      metadata: {},
      ...fields,
      start,
    };
    bookings.push(booking);
    return booking;
  };

  const success = (data: unknown, more: object = {}, status = 200) =>
    Response.json({ status: 'success', data, ...more }, { status });
  const refuse = (message: string, status = 400) =>
    Response.json(
      { status: 'error', error: { code: status === 404 ? 'NotFoundException' : 'BadRequestException', message } },
      { status },
    );
  const unavailable = () => refuse('User either already has booking at this time or is not available');

  const slots = (query: URLSearchParams) => {
    const [from, to] = [Date.parse(query.get('start') ?? ''), Date.parse(query.get('end') ?? '')];
    const days: Record<string, { start: string }[]> = {};
    for (const start of free.filter((one) => isFree(one) && Date.parse(one) >= from && Date.parse(one) <= to))
      (days[start.slice(0, 10)] ??= []).push({ start });
    return success(days);
  };

  const list = (query: URLSearchParams, known: boolean) => {
    const email = query.get('attendeeEmail');
    const from = Date.parse(query.get('afterStart') ?? '');
    const matching = bookings.filter(
      (one) =>
        ignoresFilters ||
        !known ||
        (one.attendees.some((person) => person.email === email) && !(Date.parse(one.start) < from)),
    );
    const at = Number(query.get('cursor') ?? 0);
    const hasMore = at + pageSize < matching.length;
    const pagination = { hasMore, nextCursor: hasMore ? String(at + pageSize) : null };
    return success(matching.slice(at, at + pageSize), { pagination });
  };

  const book = (body: {
    readonly start: string;
    readonly eventTypeId: number;
    readonly metadata?: object;
    readonly attendee: { readonly name?: string; readonly timeZone?: string; email?: string; phoneNumber?: string };
  }) => {
    const { attendee, metadata = {} } = body;
    if (!attendee?.name || !attendee.timeZone) return refuse('attendee.name and attendee.timeZone must be given');
    if (!attendee.email && !attendee.phoneNumber) return refuse('attendee must have an email or a phone number');
    if (!isFree(body.start)) return unavailable();
    const email = attendee.email ?? `${attendee.phoneNumber?.replace(/\D/g, '')}@sms.cal.com`;
    return add({ ...body, metadata, attendees: [{ ...attendee, name: attendee.name, email }] });
  };

  const move = (old: FakeBooking, { start }: { readonly start: string }) => {
    if (!isOpen(old))
      return refuse(
        old.rescheduledToUid
          ? `Can't reschedule booking with uid=${old.uid} because it has been cancelled by being rescheduled to ${old.rescheduledToUid}`
          : `Can't reschedule booking with uid=${old.uid} because it has been cancelled`,
      );
    if (!isFree(start)) return unavailable();
    const { attendees, metadata } = old;
    const moved = add({ start, attendees, metadata, rescheduledFromUid: old.uid });
    old.status = 'cancelled';
    old.rescheduledToUid = moved.uid;
    return moved;
  };

  const cancel = (old: FakeBooking, { seatUid }: { readonly seatUid?: string }) => {
    if (!isOpen(old)) return refuse(`Can't cancel booking with uid=${old.uid} because it has been cancelled already`);
    if (seatUid) old.attendees = old.attendees.filter((one) => one.seatUid !== seatUid);
    else old.status = 'cancelled';
    return old;
  };

  const server = await serve(async (request) => {
    const url = new URL(request.url);
    const [, , resource = '', uid, action] = url.pathname.split('/');
    const version = request.headers.get('cal-api-version');
    requests.push([request.method, resource, action].filter(Boolean).join(' '));
    if (request.headers.get('authorization') !== 'Bearer cal_test') return refuse('Invalid API Key', 401);
    if (resource === 'slots')
      return version === versions.slots ? slots(url.searchParams) : refuse('this version has no slots', 404);
    if (request.method === 'GET' && !uid) return list(url.searchParams, version === versions.list);
    if (version !== versions.booking) return refuse('not in this version', 404);
    const old = bookings.find((one) => one.uid === uid);
    if (uid && !old) return refuse(`Booking with uid=${uid} was not found in the database`, 404);
    if (request.method === 'GET') return success(old);
    const body = (await request.json()) as never;
    const fault = faults.shift();
    if (fault === 'lie') return success(old, {}, 201);
    if (fault === 'taken-meanwhile')
      add({ start: (body as { start: string }).start, attendees: [{ name: 'Bo', email: 'bo@lind.example' }] });
    const done = old ? (action === 'cancel' ? cancel(old, body) : move(old, body)) : book(body);
    if (done instanceof Response) return done;
    return fault === 'drop' ? Response.json({}, { status: 502 }) : success(done, {}, 201);
  });

  return {
    baseUrl: `${server.url}/v2`,
    bookings,
    faults,
    requests,
    add,
    writes: () => requests.filter((one) => one.startsWith('POST')),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};
