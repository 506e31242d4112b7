import { InvalidArgumentError } from '../../core/errors.ts';
import type { Limit } from '../../http/operation.ts';
import { assertKnown, oneOf } from '../../core/option-checks.ts';
import type { MessagingDialect } from '../dialect.ts';
import { intercomDialect } from './dialect.ts';
import { pinnedVersion } from './version.ts';

/** What may be said about a workspace of Intercom. */
export interface IntercomOptions {
  /** Where the workspace is hosted. @defaultValue 'us' */
  readonly region?: IntercomRegion | undefined;
  /** The pinned version of the API; any that Intercom serves. @defaultValue '2.16' */
  readonly version?: string | undefined;
  /**
   * What the app's plan allows. Intercom spreads it over windows of 10 seconds, and so does the client: a sixth of it in
   * any 10 seconds. All workspaces of one app share it: give them one `createMemoryRateLimiter`.
   * @defaultValue 1000
   */
  readonly requestsPerMinute?: number | undefined;
  /**
   * How contacts' phone numbers may be written in addition to E.164; all of them are asked for in one request.
   * @defaultValue the usual national and international ways; `phoneFormats` of `voice-agent-integrations/phone` knows how
   * each country groups its digits
   */
  readonly phoneFormats?: ((phone: string) => readonly string[]) | undefined;
}

/** Where Intercom hosts workspaces. */
export type IntercomRegion = 'us' | 'eu' | 'au';

/** Options of a messaging client that make it speak Intercom's API. */
export interface IntercomPreset {
  readonly baseUrl: string;
  readonly platform: 'Intercom';
  readonly version: string;
  readonly idempotency: 'none';
  readonly rateLimit: Limit;
  readonly dialect: Partial<MessagingDialect>;
}

/**
 * Lets the messaging client speak Intercom's API. Spread it into the client's options; what is written after it wins.
 * Throws `InvalidArgumentError` for a region or a limit that does not exist.
 *
 * @example
 * const integration = createIntegration({
 *   messaging: {
 *     ...intercom({ region: 'eu' }),
 *     authenticate: bearer(() => secrets.read('intercom')),
 *     adminId: '1234567',
 *   },
 * });
 */
export const intercom = (options: IntercomOptions = {}): IntercomPreset => {
  assertKnown(options, { region: true, version: true, requestsPerMinute: true, phoneFormats: true });
  const { region = 'us', version = pinnedVersion, requestsPerMinute = 1000, phoneFormats } = options;
  oneOf(region, 'region', ['us', 'eu', 'au'])();
  if (!(requestsPerMinute >= windowsPerMinute))
    throw new InvalidArgumentError('requestsPerMinute', `must be a number of at least ${windowsPerMinute}`);
  return {
    baseUrl: hosts[region],
    platform: 'Intercom',
    version,
    idempotency: 'none',
    rateLimit: { limit: Math.floor(requestsPerMinute / windowsPerMinute), perMs: 10_000 },
    dialect: intercomDialect(phoneFormats),
  };
};

const hosts: Readonly<Record<IntercomRegion, string>> = {
  us: 'https://api.intercom.io',
  eu: 'https://api.eu.intercom.io',
  au: 'https://api.au.intercom.io',
};

const windowsPerMinute = 6;
