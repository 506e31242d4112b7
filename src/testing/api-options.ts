import type { Limit } from '../http/operation.ts';
import type { Envelope } from './contract/envelope.ts';

/** What the three fake APIs have in common. */
export interface FakeApiOptions {
  /** The credentials that are accepted. @defaultValue one, {@link testCredentials} */
  readonly credentials?: readonly string[];
  /** How lists are wrapped: bare, or as `{ data: [...] }` with a total. @defaultValue the platform's `envelope` */
  readonly envelope?: Envelope;
  /**
   * Over it, 429 with `Retry-After`.
   * @defaultValue 1000 per minute for messaging (Intercom: 166 per 10 seconds), none for the others
   */
  readonly rateLimit?: Limit | false;
  /** `none`: `Idempotency-Key` is ignored, and every write is done. @defaultValue 'key' */
  readonly idempotency?: 'key' | 'none';
}
