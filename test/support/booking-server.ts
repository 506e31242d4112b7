import * as z from 'zod';
import { createApiClient } from '../../src/index.ts';
import { combined } from '../../src/auth/index.ts';
import type { Calendar } from '../../src/tools/index.ts';
import { serve } from './serve.ts';

const booking = z.object({ id: z.string(), start: z.string(), reference: z.string(), attendee: z.string().nullable() });

export type Booking = z.infer<typeof booking>;

/** The server's end of a booking: correct, after another caller took the slot, or without an answer. */
export type BookingFault = 'taken' | 'made-then-lost' | 'lost';

/** A calendar on loopback that knows nothing of idempotency, and the adapter that an application would write for it. */
export const startBookingServer = async (slots: readonly string[]) => {
  const bookings: Booking[] = [];
  const faults: BookingFault[] = [];
  let posts = 0;
  const add = (made: Omit<Booking, 'id'>) => {
    const added = { id: `b${bookings.length + 1}`, ...made };
    bookings.push(added);
    return added;
  };
  const isFree = (start: string) => bookings.every((made) => made.start !== start);

  const server = await serve(async (request) => {
    const url = new URL(request.url);
    const { searchParams: query } = url;
    if (url.pathname === '/slots')
      return Response.json(
        slots.filter((start) => isFree(start) && start >= query.get('from')! && start < query.get('to')!),
      );
    if (request.method === 'GET') return Response.json(bookings.filter(({ start }) => start === query.get('start')));
    posts += 1;
    const wanted = (await request.json()) as Omit<Booking, 'id'>;
    const fault = faults.shift();
    if (fault === 'taken') add({ start: wanted.start, reference: 'of another caller', attendee: null });
    if (!isFree(wanted.start)) return Response.json({ error: 'taken' }, { status: 409 });
    if (fault === 'lost') return Response.json({}, { status: 502 });
    const made = add(wanted);
    return fault ? Response.json({}, { status: 502 }) : Response.json(made);
  });

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
        query: z.object({ start: z.string() }),
        returns: z.array(booking),
      },
      book: {
        method: 'POST',
        path: '/bookings',
        body: booking.omit({ id: true }),
        // Taken meanwhile: an answer, and no failure.
        returns: booking,
      },
    },
  });

  const slotAt = (start: string) => ({ start: new Date(start), end: new Date(Date.parse(start) + 1_800_000) });
  const calendar: Calendar = {
    timeZone: 'America/New_York',
    freeSlots: async ({ from, to }, call) =>
      (await api.slots({ from: from.toISOString(), to: to.toISOString() }, call)).map(slotAt),
    find: async ({ reference, start, attendee }, call) => {
      const made = await api.bookings({ start: start.toISOString() }, call);
      const own = made.find((one) => one.reference === reference || (one.attendee && one.attendee === attendee.phone));
      return own && { id: own.id, ...slotAt(own.start) };
    },
    book: async ({ reference, start, attendee }, call) => {
      try {
        const body = { start: start.toISOString(), reference, attendee: attendee.phone ?? null };
        return { ...(await api.book({ body }, call)), ...slotAt(body.start) };
      } catch (error) {
        if (error instanceof Error && 'status' in error && error.status === 409) return undefined;
        throw error;
      }
    },
  };
  return {
    calendar,
    bookings,
    faults,
    posts: () => posts,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};
