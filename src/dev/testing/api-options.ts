import type { Limit } from '../../http/operation.ts';
import type { Envelope } from './contract/envelope.ts';

/** The options that all three fake APIs have. */
export interface FakeApiOptions {
  /** The credentials that are accepted. @defaultValue one, {@link testCredentials} */
  readonly credentials?: readonly string[] | undefined;
  /** The wrapping of lists: bare, or as `{ data: [...] }` with a total. @defaultValue the platform's `envelope` */
  readonly envelope?: Envelope | undefined;
  /**
   * Over it, 429 with `Retry-After`. `false`: none at all, not for searches either.
   * @defaultValue 1000 per minute for messaging (Intercom: 166 per 10 seconds), none for the others
   */
  readonly rateLimit?: Limit | false | undefined;
  /** `documented`: only the default API's endpoints; everything else is 404. @defaultValue 'all' */
  readonly endpoints?: 'all' | 'documented' | undefined;
  /** `none`: the API ignores idempotency keys and does a repeated write again. A payment needs none. @defaultValue 'key' */
  readonly idempotency?: 'key' | 'none' | undefined;
  /** Every answer comes this late. The work is done at once. @defaultValue 0 */
  readonly latencyMs?: number | undefined;
  /** `bytes`: bodies go out one byte per chunk, without a `Content-Length`. @defaultValue 'whole' */
  readonly bodies?: 'whole' | 'bytes' | undefined;
  /**
   * `formatted`: records show phone numbers the way people type them, `(415) 555-0100` or `+44 20 7183 8750`. Searches
   * still take E.164.
   * @defaultValue 'e164'
   */
  readonly phones?: 'e164' | 'formatted' | undefined;
}
