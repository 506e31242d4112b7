import type { IntegrationEvent } from '../observability/events.ts';
import { createRedactor, type RedactOptions } from '../observability/redactor.ts';

/** A copy of a value without secrets and personal data. */
export type RedactServed = <Value extends object>(value: Value) => Value;

/**
 * Redacts what the console keeps and what it serves, whatever was left in events before: an application that has personal
 * data told to its own log does not have it here.
 */
export const createServedRedactor = ({ personalData: _always, ...redact }: RedactOptions = {}): RedactServed => {
  const redactor = createRedactor(redact);
  return <Value extends object>(value: Value): Value => {
    const copy = { ...value };
    // It goes through the fields of whatever it is given, by their names, and leaves kinds of values as they are.
    redactor.redact(copy as unknown as IntegrationEvent);
    return copy;
  };
};
