import * as z from 'zod';
import { createApiClient } from '../../src/index.ts';
import { combined } from '../../src/auth/index.ts';
import type { Calendar } from '../../src/tools/index.ts';
import { serve } from './serve.ts';

const booking = z.object({ id: z.string(), start: z.string(), reference: z.string(), attendee: z.string().nullable() });

export type Booking = z.infer<typeof booking>;

/**
 * The server's end of a write: correct, after another caller took the slot, without an answer (done or not), or with an
 * answer that says more than was done.
 */
export type BookingFault = 'taken' | 'made-then-lost' | 'lost' | 'lies';

export interface BookingServerOptions {
  /** A list has all bookings, also those of other people. */
  readonly ignoresFilter?: boolean;
  /** The business has to confirm what is booked or moved. */
  readonly isPending?: boolean;
  /** Ends a wait that each write makes first. */
  readonly beforeWrite?: () => Promise<void>;
}

/** A calendar on loopback that knows nothing of idempotency, and the adapter that an application would write for it. */
export const startBookingServer = async (
  slots: readonly string[],
  { ignoresFilter = false, isPending = false, beforeWrite = async () => {} }: BookingServerOptions = {},
) => {
  const bookings: Booking[] = [];
  const faults: BookingFault[] = [];
  const writes: string[] = [];
  let made = 0;
  const add = (wanted: Omit<Booking, 'id'>) => {
    made += 1;
    const added = { ...wanted, id: `b${made}` };
    bookings.push(added);
    return added;
  };
  const isFree = (start: string) => bookings.every((one) => one.start !== start);
  const remove = (id: string) => {
    const at = bookings.findIndex((one) => one.id === id);
    return at < 0 ? undefined : bookings.splice(at, 1)[0];
  };

  const read = (url: URL) => {
    const { searchParams: query } = url;
    if (url.pathname === '/slots')
      return slots.filter((start) => isFree(start) && start >= query.get('from')! && start < query.get('to')!);
    const [start, attendee] = [query.get('start'), query.get('attendee')];
    return bookings.filter(
      (one) => (!start || one.start === start) && (!attendee || ignoresFilter || one.attendee === attendee),
    );
  };

  const write = async (request: Request, id: string): Promise<Response> => {
    const wanted = request.method === 'DELETE' ? undefined : ((await request.json()) as Omit<Booking, 'id'>);
    const fault = faults.shift();
    if (fault === 'taken' && wanted) add({ start: wanted.start, reference: 'of another caller', attendee: null });
    if (wanted && !isFree(wanted.start)) return Response.json({ error: 'taken' }, { status: 409 });
    if (fault === 'lost') return Response.json({}, { status: 502 });
    if (request.method !== 'POST' && bookings.every((one) => one.id !== id))
      return Response.json({ error: 'gone' }, { status: 404 });
    if (fault === 'lies') return Response.json(bookings.find((one) => one.id === id));
    // A moved booking is a new one, as in Cal.com.
    const before = request.method === 'POST' ? undefined : remove(id);
    const answer = wanted ? add({ ...before, ...wanted }) : before;
    return fault ? Response.json({}, { status: 502 }) : Response.json(answer);
  };

  const server = await serve(async (request) => {
    const url = new URL(request.url);
    if (request.method === 'GET') return Response.json(read(url));
    const id = url.pathname.split('/')[2] ?? '';
    writes.push(`${request.method} ${id}`.trim());
    await beforeWrite();
    return write(request, id);
  });

  const path = '/bookings/{id}';
  const api = createApiClient({
    name: 'calendar',
    baseUrl: server.url,
    version: 'in-base-url',
    authenticate: combined(),
    backoff: { minimumMs: 0, maximumMs: 0 },
    endpoints: {
      slots: {
        method: 'GET',
        path: '/slots',
        query: z.object({ from: z.string(), to: z.string() }),
        returns: z.array(z.string()),
      },
      bookings: {
        method: 'GET',
        path: '/bookings',
        query: z.object({ start: z.string().optional(), attendee: z.string().optional() }),
        returns: z.array(booking),
      },
      book: { method: 'POST', path: '/bookings', body: booking.omit({ id: true }), returns: booking },
      move: { method: 'PATCH', path, body: z.object({ start: z.string() }), returns: booking },
      cancel: { method: 'DELETE', path, returns: z.unknown() },
    },
  });

  const status = isPending ? ('pending' as const) : undefined;
  const slotAt = (start: string) => ({ start: new Date(start), end: new Date(Date.parse(start) + 1_800_000) });
  const orTaken = (error: unknown): undefined => {
    if (!(error instanceof Error && 'status' in error && error.status === 409)) throw error;
  };
  const calendar: Calendar & Required<Pick<Calendar, 'list' | 'move' | 'cancel'>> = {
    timeZone: 'America/New_York',
    freeSlots: async ({ from, to }, call) =>
      (await api.slots({ from: from.toISOString(), to: to.toISOString() }, call)).map(slotAt),
    find: async ({ reference, start, attendee }, call) => {
      const found = await api.bookings({ start: start.toISOString() }, call);
      const own = found.find((one) => one.reference === reference || (one.attendee && one.attendee === attendee.phone));
      return own && { id: own.id, status, ...slotAt(own.start) };
    },
    book: async ({ reference, start, attendee }, call) => {
      const body = { start: start.toISOString(), reference, attendee: attendee.phone ?? null };
      const booked = await api.book({ body }, call).catch(orTaken);
      return booked && { id: booked.id, status, ...slotAt(booked.start) };
    },
    list: async ({ attendee }, call) => {
      const found = await api.bookings({ attendee: attendee.phone }, call);
      return found.map((one) => ({
        id: one.id,
        status,
        ...slotAt(one.start),
        attendee: { phone: one.attendee ?? undefined },
      }));
    },
    move: async ({ appointment, to }, call) => {
      const moved = await api
        .move({ id: appointment.id, body: { start: to.start.toISOString() } }, call)
        .catch(orTaken);
      return moved && { id: moved.id, status, ...slotAt(moved.start) };
    },
    cancel: async ({ id }, call) => void (await api.cancel({ id }, call)),
  };
  return {
    calendar,
    bookings,
    faults,
    writes,
    posts: () => writes.filter((one) => one.startsWith('POST')).length,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};
