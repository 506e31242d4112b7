import type { FakeApiOptions } from '../api-options.ts';
import type { FakeHubSpotPipelines } from './pipelines.ts';
import type { FakeHubSpotRule } from './rules.ts';

/** The behaviour of a fake account of HubSpot. */
export interface FakeHubSpotOptions
  extends Pick<FakeApiOptions, 'credentials' | 'rateLimit' | 'latencyMs' | 'bodies' | 'phones'> {
  readonly dialect: 'hubspot';
  /** Milliseconds in which a search doesn't know a new record. @defaultValue 10000 */
  readonly searchDelayMs?: number | undefined;
  /** Requests of a day; over it 429. @defaultValue 250000 */
  readonly dailyRequests?: number | undefined;
  /** The first of each is the default. @defaultValue those that HubSpot makes */
  readonly pipelines?: Partial<FakeHubSpotPipelines> | undefined;
  /** The administrator's rules for records. @defaultValue nothing */
  readonly rules?: readonly FakeHubSpotRule[] | undefined;
  /** Scopes that the app wasn't granted, such as `crm.objects.contacts.write`. @defaultValue none */
  readonly missingScopes?: readonly string[] | undefined;
}
