import type { RequestOptions } from '../../http/operation.ts';

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
