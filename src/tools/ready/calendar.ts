import type { RequestOptions } from '../../http/operation.ts';

/**
 * A calendar for appointments. `crmCalendar` keeps them as events of the CRM, `calcom` in Cal.com. For another calendar,
 * such as Google's, write these functions. Without `list`, `move` or `cancel` the tools that need them aren't there.
 */
export interface Calendar {
  /** The IANA time zone that callers and colleagues think in, such as `America/New_York`. */
  readonly timeZone: string;
  /** The free slots that start at `from` or later, and before `to`; the earliest first. */
  freeSlots(time: { readonly from: Date; readonly to: Date }, call: RequestOptions): Promise<readonly Slot[]>;
  /**
   * The appointment with this reference, or another one of this person at this time; `undefined` when there's none. It's
   * asked before each booking, and after one of which it isn't known whether it was made. A canceled one is none.
   */
  find(wanted: WantedAppointment, call: RequestOptions): Promise<Appointment | undefined>;
  /** Makes the appointment, and keeps its reference. `undefined`: the slot was taken meanwhile. */
  book(appointment: NewAppointment, call: RequestOptions): Promise<Appointment | undefined>;
  /**
   * The person's appointments that start at `from` or later, and before `to`. Each names the person whom the calendar has
   * for it: one that names another, or no one, isn't shown.
   */
  list?(wanted: OwnAppointments, call: RequestOptions): Promise<readonly KeptAppointment[]>;
  /** Moves an appointment from `list`, and returns it as it is then; its id may be new. `undefined`: the slot was taken. */
  move?(moved: MovedAppointment, call: RequestOptions): Promise<Appointment | undefined>;
  /** Cancels an appointment from `list`. One that's canceled already, or gone, is no error. */
  cancel?(appointment: KeptAppointment, call: RequestOptions): Promise<void>;
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
  /** `pending`: the business has to confirm it, and the model doesn't say that it's booked. @defaultValue 'booked' */
  readonly status?: 'booked' | 'pending' | undefined;
}

/** The person and the time of {@link Calendar.list}. */
export interface OwnAppointments {
  readonly attendee: Attendee;
  readonly from: Date;
  readonly to: Date;
}

/** An appointment, and the person whom the calendar has for it, and not the one who was asked for. */
export interface KeptAppointment extends Appointment {
  readonly attendee: Partial<Attendee>;
  /** The reason that it was made with. */
  readonly reason?: string | undefined;
}

/** An appointment, and its new time. */
export interface MovedAppointment {
  readonly appointment: KeptAppointment;
  readonly to: Slot;
  /** The same for the same move in one phone call. At most 255 characters. */
  readonly reference: string;
}
