import { dayMs } from '../../core/timers.ts';
import { ClientError, IntegrationError, UnexpectedResponseError } from '../../core/errors.ts';
import type { RequestOptions } from '../../http/operation.ts';
import { isSamePhone } from '../../phone/forms.ts';
import { isSameEmail } from '../../phone/same-person.ts';
import { daysAhead, inOrder } from './appointment-times.ts';
import type { Appointment, Attendee, Calendar, KeptAppointment, Slot, WantedAppointment } from './calendar.ts';

/** The calendar of {@link moveOnce} and {@link cancelOnce}. */
export type ListingCalendar = Calendar & Required<Pick<Calendar, 'list'>>;
export type MovingCalendar = ListingCalendar & Required<Pick<Calendar, 'move'>>;
export type CancelingCalendar = ListingCalendar & Required<Pick<Calendar, 'cancel'>>;

/** An appointment that's there now. `isOld`: it was there before. */
export interface MadeAppointment extends Appointment {
  readonly isOld: boolean;
}

/** No appointment starts then, or several do. `own`: all that the caller has. */
export interface NoAppointment {
  readonly problem: 'no_such_appointment' | 'several_appointments';
  readonly own: readonly KeptAppointment[];
}

interface SlotTaken {
  readonly problem: 'slot_taken';
}

/** Finds the caller's own appointments of a year, the earliest first. One that names another person, or no one, is left out. */
export const ownAppointments = async (
  calendar: ListingCalendar,
  attendee: Attendee,
  call: RequestOptions,
): Promise<readonly KeptAppointment[]> => {
  const from = new Date();
  const to = new Date(from.getTime() + daysAhead * dayMs);
  const listed = await calendar.list({ attendee, from, to }, call);
  return listed.filter((one) => one.start > from && isOwn(one.attendee, attendee)).toSorted(inOrder);
};

/** A list may ignore what was asked for. */
const isOwn = ({ phone, email }: Partial<Attendee>, caller: Attendee): boolean =>
  (!!phone && !!caller.phone && isSamePhone(caller.phone, phone)) ||
  (!!email && !!caller.email && isSameEmail(caller.email, email));

/** Makes one appointment per slot and caller. What is there is looked up first, and after an unknown end. */
export const bookOnce = async (
  calendar: Calendar,
  wanted: WantedAppointment & { readonly reason: string | undefined },
  call: RequestOptions,
): Promise<MadeAppointment | SlotTaken> => {
  const [old, slot] = await Promise.all([calendar.find(wanted, call), freeSlotAt(calendar, wanted.start, call)]);
  if (old) return { ...old, isOld: true };
  if (!slot) return taken;
  const booked = await calendar.book({ ...wanted, end: slot.end }, call).catch(async (error: unknown) => {
    const found = mayBeDone(error) ? await calendar.find(wanted, call).catch(() => undefined) : undefined;
    if (found) return found;
    throw error;
  });
  return booked ? { ...booked, isOld: false } : taken;
};

/** Moves the caller's own appointment once. It keeps its length. */
export const moveOnce = async (
  calendar: MovingCalendar,
  { from, to, attendee, reference }: Readonly<Record<'from' | 'to', Date>> & Omit<WantedAppointment, 'start'>,
  call: RequestOptions,
): Promise<MadeAppointment | SlotTaken | NoAppointment> => {
  const own = await ownAppointments(calendar, attendee, call);
  const there = own.find(startsAt(to));
  const [appointment, ...others] = own.filter(startsAt(from));
  // The move was made before, or the caller has it anyway.
  if (there && (!appointment || appointment === there)) return { ...there, isOld: true };
  if (!appointment) return { problem: 'no_such_appointment', own };
  if (others.length > 0) return { problem: 'several_appointments', own };
  const slot = await freeTimeAt(calendar, { start: to, end: endOf(appointment, to) }, call);
  if (!slot) return taken;
  const moved = await calendar.move({ appointment, to: slot, reference }, call).catch(async (error: unknown) => {
    const now = await stateAfter(calendar, attendee, { error, call });
    const found = now?.find(startsAt(to));
    if (found && !now?.some(startsAt(from))) return found;
    if (now && isGone(error) && !now.some(startsAt(from))) return { problem: 'no_such_appointment', own: now } as const;
    throw error;
  });
  if (!moved) return taken;
  if ('problem' in moved) return moved;
  if (moved.start.getTime() !== to.getTime())
    throw new UnexpectedResponseError('the calendar moved the appointment to another time', {
      operation: 'calendar.move',
    });
  return { ...moved, isOld: false };
};

/** Cancels the caller's own appointment once. */
export const cancelOnce = async (
  calendar: CancelingCalendar,
  { start, attendee }: Pick<WantedAppointment, 'start' | 'attendee'>,
  call: RequestOptions,
): Promise<KeptAppointment | NoAppointment> => {
  const own = await ownAppointments(calendar, attendee, call);
  const [appointment, ...others] = own.filter(startsAt(start));
  if (!appointment) return { problem: 'no_such_appointment', own };
  if (others.length > 0) return { problem: 'several_appointments', own };
  const problem = await calendar.cancel(appointment, call).catch(async (error: unknown) => {
    const now = await stateAfter(calendar, attendee, { error, call });
    if (!now || now.some(startsAt(start))) throw error;
    // Refused, it wasn't cancelled now: someone may have moved it.
    return mayBeDone(error) ? undefined : ({ problem: 'no_such_appointment', own: now } as const);
  });
  return problem ?? appointment;
};

/** Returns what the caller has after a failure that may have done something, or that says it's gone; `undefined`: it isn't known. */
const stateAfter = async (
  calendar: ListingCalendar,
  attendee: Attendee,
  { error, call }: { readonly error: unknown; readonly call: RequestOptions },
): Promise<readonly KeptAppointment[] | undefined> =>
  mayBeDone(error) || isGone(error) ? ownAppointments(calendar, attendee, call).catch(() => undefined) : undefined;

const mayBeDone = (error: unknown): boolean => !(error instanceof IntegrationError) || error.outcome === 'unknown';

/** A calendar refuses to change what isn't there any more; Cal.com does so with a 400. */
const isGone = (error: unknown): boolean =>
  error instanceof ClientError && [400, 404, 409, 410, 412].includes(error.status);

const taken: SlotTaken = { problem: 'slot_taken' };

const startsAt =
  (time: Date) =>
  ({ start }: Slot): boolean =>
    start.getTime() === time.getTime();

const endOf = ({ start, end }: Slot, newStart: Date): Date =>
  new Date(newStart.getTime() + end.getTime() - start.getTime());

const freeSlotAt = async (calendar: Calendar, start: Date, call: RequestOptions): Promise<Slot | undefined> => {
  const slots = await calendar.freeSlots({ from: start, to: new Date(start.getTime() + 1) }, call);
  return slots.find(startsAt(start));
};

/** The time, if it begins with a free slot and free slots follow each other until it ends. */
const freeTimeAt = async (calendar: Calendar, time: Slot, call: RequestOptions): Promise<Slot | undefined> => {
  const slots = await calendar.freeSlots({ from: time.start, to: time.end }, call);
  if (!slots.some(startsAt(time.start))) return undefined;
  let freeUntil = time.start;
  for (const { start, end } of slots.toSorted(inOrder)) if (start <= freeUntil && end > freeUntil) freeUntil = end;
  return freeUntil >= time.end ? time : undefined;
};
