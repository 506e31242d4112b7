import type { DeliveryRequest } from '../peer.ts';

/** One way to verify a delivery. Made by `hmac`, `ipAllowlist` and their like; all of a receiver's must agree. */
export interface Authentication {
  /** Its name in events, such as `hmac`. */
  readonly method: string;
  /** The step at which it can be checked: the connection, the headers, or the body. Checked in this order. */
  readonly step: AuthenticationStep;
  /** Enough by itself for an event that causes an action. */
  readonly isStrong: boolean;
  /** Without this header there is no proof, and the body isn't read. */
  readonly header?: string | undefined;
  /** `body` is `undefined` before the step `signature`. Rejects when it cannot be checked now. */
  readonly check: (delivery: DeliveryRequest, body: Uint8Array | undefined) => Promise<AuthenticationResult>;
}

/** The steps of authentication. */
export type AuthenticationStep = 'address' | 'credentials' | 'signature';

/** The verdict of one method of authentication. */
export type AuthenticationResult =
  | {
      readonly accepted: true;
      /** The sender, as far as this method can know. */
      readonly sender?: string | undefined;
      /** An id of the delivery that the signature covers. */
      readonly deliveryId?: string | undefined;
      /** The secrets that proved it, to be masked in events if the delivery repeats them. */
      readonly secrets?: readonly string[];
    }
  | {
      readonly accepted: false;
      /** 401: it is not known who this is. 403: it is known, and not allowed. */
      readonly status: 401 | 403;
      /** A word for listeners, never for the sender. */
      readonly reason: string;
    };

export const unknownSender = (reason: string): AuthenticationResult => ({ accepted: false, status: 401, reason });

export const forbidden = (reason: string): AuthenticationResult => ({ accepted: false, status: 403, reason });
