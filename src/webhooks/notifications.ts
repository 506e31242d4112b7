import * as z from '../core/schema.ts';
import type { StandardSchema } from '../core/schema.ts';

/** A payment that was processed elsewhere is through. */
export interface PaymentConfirmed {
  readonly payment_id: string;
  readonly invoice_id?: string | undefined;
  readonly customer_id?: string | undefined;
  readonly amount?: number | undefined;
  readonly status?: string | undefined;
  readonly confirmation_number?: string | undefined;
  readonly [field: string]: unknown;
}

/** A provider has confirmed an appointment. */
export interface AppointmentConfirmed {
  readonly appointment_id: string;
  /** The time at which it takes place; may be in the future. */
  readonly starts_at?: string | number | undefined;
  readonly [field: string]: unknown;
}

/** A record of the CRM, the billing API or another system has another status. */
export interface StatusChanged {
  /** The id of the record that changed. */
  readonly record_id: string;
  readonly record_type?: string | undefined;
  readonly status: string;
  readonly previous_status?: string | undefined;
  readonly [field: string]: unknown;
}

const text = z.optional(z.string());
const id = z.string().check(z.minLength(1));

/**
 * Schemas of notifications from billing, CRM and other systems: put those you want into `events`. The default API names
 * these events and shows no payloads. If your system spells them otherwise, write a schema of your own.
 *
 * @example
 * events: { 'payment.confirmed': notificationEvents['payment.confirmed'] }
 */
export const notificationEvents: {
  readonly 'payment.confirmed': StandardSchema<PaymentConfirmed>;
  readonly 'appointment.confirmed': StandardSchema<AppointmentConfirmed>;
  readonly 'status.changed': StandardSchema<StatusChanged>;
} = {
  'payment.confirmed': z.looseObject({
    payment_id: id,
    invoice_id: text,
    customer_id: text,
    amount: z.optional(z.number()),
    status: text,
    confirmation_number: text,
  }),
  'appointment.confirmed': z.looseObject({
    appointment_id: id,
    starts_at: z.optional(z.union([z.string(), z.number()])),
  }),
  'status.changed': z.looseObject({ record_id: id, record_type: text, status: id, previous_status: text }),
};
