/** Appointments in a calendar of your own: `npm run example tools/appointments`. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createApiClient, startPhoneCall } from 'voice-agent-integrations';
import { apiKey } from 'voice-agent-integrations/auth';
import type { Calendar } from 'voice-agent-integrations/tools';
import * as z from 'zod';

const booking = z.object({ id: z.string(), start: z.string(), reference: z.string(), phone: z.optional(z.string()) });

// Plays the API of a calendar that has two free hours tomorrow. The answer to the first booking is lost.
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
const hours = [`${tomorrow}T09:00:00.000Z`, `${tomorrow}T10:00:00.000Z`];
const made: z.infer<typeof booking>[] = [];
const answer = async (request: IncomingMessage, response: ServerResponse) => {
  const isBooking = request.method === 'POST';
  if (isBooking) made.push(booking.parse({ id: `booking_${made.length + 1}`, ...Object(await json(request)) }));
  const free = hours.filter((hour) => made.every(({ start }) => start !== hour));
  response.writeHead(isBooking && made.length === 1 ? 502 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(isBooking ? made.at(-1) : request.url === '/bookings' ? made : free));
};
const server = createServer((request, response) => void answer(request, response));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

const desk = createApiClient({
  name: 'desk',
  baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  authenticate: apiKey('X-Key', () => 'desk-key'),
  endpoints: {
    slots: { method: 'GET', path: '/slots', returns: z.array(z.string()) },
    bookings: { method: 'GET', path: '/bookings', returns: z.array(booking) },
    book: { method: 'POST', path: '/bookings', body: booking.omit({ id: true }), returns: booking },
  },
});

const toSlot = (start: string) => ({ start: new Date(start), end: new Date(Date.parse(start) + 3_600_000) });

const calendar: Calendar = {
  timeZone: 'Europe/London',
  freeSlots: async ({ from, to }, call) =>
    (await desk.slots({}, call)).map(toSlot).filter(({ start }) => start >= from && start < to),
  find: async ({ reference, start, attendee: { phone } }, call) => {
    const own = (await desk.bookings({}, call)).find(
      (one) => one.start === start.toISOString() && (one.reference === reference || (phone && one.phone === phone)),
    );
    return own && { id: own.id, ...toSlot(own.start) };
  },
  // An API that knows of slots that were taken meanwhile answers so here: then give `undefined`.
  book: async ({ reference, start, attendee: { phone } }, call) => {
    const { id } = await desk.book({ body: { start: start.toISOString(), reference, phone } }, call);
    return { id, ...toSlot(start.toISOString()) };
  },
};

const { tools } = startPhoneCall(
  {},
  { callId: 'CA123', direction: 'inbound', phone: '+14155550100', tools: { call: { calendar } } },
);

const free = await tools.run('list_free_slots', {});
console.log('free:', free.text.match(/T\d\d:00/g)?.length);
console.log('booked:', (await tools.run('book_appointment', { start: hours[0] })).status);
console.log(
  'again:',
  (await tools.run('book_appointment', { start: hours[0], reason: 'A demo' })).text.includes('already'),
);
console.log('appointments:', made.length);

await desk.close();
server.close();
