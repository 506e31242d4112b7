import type { IntegrationError } from '../../core/errors.ts';

/** The key under which an error says that a payment may have been made without an idempotency key. */
const unkeyed: unique symbol = Symbol.for('voice-agent-integrations.unkeyed');

/** Marks the error of a payment that may have been made without its key: sending it again could charge twice. */
export const markUnkeyed = <E extends IntegrationError>(error: E): E =>
  Object.defineProperty(error, unkeyed, { value: true });

/** Returns whether what failed must never be sent again. */
export const isUnkeyed = (error: unknown): boolean => {
  const { [unkeyed]: marked }: { readonly [unkeyed]?: boolean } = Object(error);
  return marked === true;
};
