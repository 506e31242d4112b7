import { hash } from 'node:crypto';
import { createApiClient } from 'voice-agent-integrations';
import type { Credential } from 'voice-agent-integrations/auth';
import type { Appointment, Attendee, Calendar, Slot } from 'voice-agent-integrations/tools';
import * as z from 'zod';

const time = z.object({ dateTime: z.string().optional() });
const event = z.object({
  id: z.string(),
  status: z.string(),
  created: z.string().optional(),
  start: time.optional(),
  end: time.optional(),
  transparency: z.string().optional(),
  extendedProperties: z.object({ private: z.record(z.string(), z.string()).optional() }).optional(),
});
type GoogleEvent = z.infer<typeof event>;

const connect = (authenticate: Credential, baseUrl: string) => {
  const path = '/calendars/{calendarId}/events';
  const body = z.record(z.string(), z.unknown());
  return createApiClient({
    name: 'google',
    baseUrl,
    authenticate,
    endpoints: {
      freeBusy: {
        method: 'POST',
        path: '/freeBusy',
        effect: 'read',
        body,
        returns: z.object({
          calendars: z.record(
            z.string(),
            z.object({
              busy: z.array(z.object({ start: z.string(), end: z.string() })),
              errors: z.array(z.unknown()).optional(),
            }),
          ),
        }),
      },
      list: {
        method: 'GET',
        path: `${path}?singleEvents=true&orderBy=startTime&maxResults=2500`,
        query: z.object({
          timeMin: z.string(),
          timeMax: z.string(),
          privateExtendedProperty: z.string().optional(),
          pageToken: z.string().optional(),
        }),
        returns: z.object({ items: z.array(event), nextPageToken: z.string().optional() }),
        items: 'items',
        next: ({ nextPageToken }: { nextPageToken?: string | undefined }) =>
          nextPageToken ? { pageToken: nextPageToken } : undefined,
      },
      get: { method: 'GET', path: `${path}/{id}`, returns: event.optional(), absentOn404: true },
      insert: { method: 'POST', path, body, returns: event, repeat: 'again' }, // the id makes a repetition harmless
      patch: { method: 'PATCH', path: `${path}/{id}`, body, returns: event, repeat: 'again' },
      remove: { method: 'DELETE', path: `${path}/{id}`, repeat: 'again', returns: () => undefined },
    },
  });
};

/** A calendar that is shared with the credential's account ("make changes to events"). Open from 9 to 17, Monday to Friday. */
export const googleCalendar = ({
  authenticate,
  calendarId,
  timeZone,
  minutes = 30,
  baseUrl = 'https://www.googleapis.com/calendar/v3',
}: {
  authenticate: Credential;
  calendarId: string;
  timeZone: string;
  minutes?: number;
  baseUrl?: string;
}): Required<Calendar> => {
  const api = connect(authenticate, baseUrl);
  const length = minutes * 60_000;
  const local = new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'short', hour: 'numeric', hourCycle: 'h23' });
  const isOpen = (at: number) => {
    const parts = Object.fromEntries(local.formatToParts(at).map(({ type, value }) => [type, value]));
    return !parts['weekday']?.startsWith('S') && Number(parts['hour']) >= 9 && Number(parts['hour']) < 17;
  };
  const personOf = ({ phone, email }: Attendee) => phone ?? email?.toLowerCase() ?? '';
  const timesOf = ({ start, end }: Slot) => ({
    start: { dateTime: start.toISOString(), timeZone },
    end: { dateTime: end.toISOString(), timeZone },
  });
  const toAppointment = ({ id, start, end }: GoogleEvent): Appointment => ({
    id,
    start: new Date(start?.dateTime ?? ''),
    end: new Date(end?.dateTime ?? ''),
  });
  const isTimed = ({ status, start }: GoogleEvent) => status !== 'cancelled' && start?.dateTime !== undefined;

  /** The timed events that overlap a period; those of one person, if one is given. Google's filter is checked. */
  const eventsIn = async ({ start, end }: Slot, call: object, person?: string): Promise<GoogleEvent[]> => {
    const events: GoogleEvent[] = [];
    const period = { timeMin: start.toISOString(), timeMax: end.toISOString() };
    const filter = person === undefined ? {} : { privateExtendedProperty: `caller=${person}` };
    for await (const one of api.list({ calendarId, ...period, ...filter }, call))
      if (isTimed(one) && (person === undefined || one.extendedProperties?.private?.['caller'] === person))
        events.push(one);
    return events;
  };

  /** Google checks no conflicts. Of two events at one time, the one that was made first keeps it. */
  const othersIn = async (slot: Slot, id: string, call: object) =>
    (await eventsIn(slot, call)).filter((one) => one.id !== id && one.transparency !== 'transparent');

  const remove = async (id: string, call: object) => {
    await api.remove({ calendarId, id }, call).catch((error) => {
      if (![404, 410].includes(error.status)) throw error;
    });
  };

  const find: Calendar['find'] = async ({ start, attendee }, call) => {
    const slot = { start, end: new Date(start.getTime() + 60_000) };
    const found = (await eventsIn(slot, call, personOf(attendee))).map(toAppointment);
    return found.find((one) => one.start.getTime() === start.getTime());
  };

  return {
    timeZone,
    find,
    freeSlots: async ({ from, to }, call) => {
      const body = { timeMin: from.toISOString(), timeMax: new Date(to.getTime() + length).toISOString() };
      const answer = await api.freeBusy({ body: { ...body, items: [{ id: calendarId }] } }, call);
      const { busy = [], errors } = answer.calendars[calendarId] ?? {};
      // Google answers 200 for a calendar that it can't read, with nothing busy.
      if (errors || !answer.calendars[calendarId]) throw new Error(`Google can't read the calendar ${calendarId}`);
      const slots: Slot[] = [];
      for (let at = Math.ceil(from.getTime() / length) * length; at < to.getTime(); at += length) {
        const isBusy = busy.some(({ start, end }) => Date.parse(start) < at + length && Date.parse(end) > at);
        if (isOpen(at) && !isBusy) slots.push({ start: new Date(at), end: new Date(at + length) });
      }
      return slots;
    },
    book: async (appointment, call) => {
      const { reference, attendee, reason } = appointment;
      const body = {
        ...timesOf(appointment),
        summary: reason ?? 'Appointment by phone',
        // No attendee: a service account may not invite anyone.
        extendedProperties: { private: { caller: personOf(attendee), reference } },
      };
      // One id per booking finds what a lost answer left. The id of a deleted event stays used, so the next one follows.
      for (let again = 0; again < 5; again += 1) {
        const id = hash('sha256', `${reference}:${again}`, 'hex');
        const made = await api.insert({ calendarId, body: { ...body, id } }, call).catch(async (error) => {
          if (error.status !== 409) throw error;
          return api.get({ calendarId, id }, call);
        });
        if (!made || !isTimed(made) || toAppointment(made).start.getTime() !== appointment.start.getTime()) continue;
        const others = await othersIn(appointment, id, call);
        if (!others.some(({ created = '' }) => created < (made.created ?? ''))) return toAppointment(made);
        await remove(id, call);
        return undefined;
      }
      return undefined;
    },
    list: async ({ attendee, from, to }, call) => {
      const found = await eventsIn({ start: from, end: to }, call, personOf(attendee));
      return found.map((one) => {
        const caller = one.extendedProperties?.private?.['caller'];
        const isEmail = caller?.includes('@');
        return { ...toAppointment(one), attendee: isEmail ? { email: caller } : { phone: caller } };
      });
    },
    move: async ({ appointment, to }, call) => {
      const { id } = appointment;
      const moved = await api.patch({ calendarId, id, body: timesOf(to) }, call);
      if ((await othersIn(to, id, call)).length === 0) return toAppointment(moved);
      await api.patch({ calendarId, id, body: timesOf(appointment) }, call); // someone was first: back to where it was
      return undefined;
    },
    cancel: async ({ id }, call) => remove(id, call),
  };
};
