import type { TokenCredential } from '../../auth/token-credential.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import type { Limit } from '../../http/operation.ts';
import { assertKnown } from '../../core/option-checks.ts';
import { phoneForms } from '../../phone/forms.ts';
import type { MessagingDialect } from '../dialect.ts';
import { zendeskClient, type ZendeskClientOptions } from './credential.ts';
import { zendeskDialect } from './dialect.ts';

/** What is said about an account of Zendesk. */
export interface ZendeskOptions {
  /** What comes before `.zendesk.com`. */
  readonly subdomain: string;
  /** Another address of the account, such as that of a fake. @defaultValue `https://{subdomain}.zendesk.com/api/v2` */
  readonly baseUrl?: string | undefined;
  /** What the account's plan allows; all its apps share it. @defaultValue 200 */
  readonly requestsPerMinute?: number | undefined;
  /** How users' phone numbers may be written in addition to E.164. @defaultValue the usual national and international ways */
  readonly phoneFormats?: ((phone: string) => readonly string[]) | undefined;
}

/** Options of a messaging client that make it speak Zendesk's API. */
export interface ZendeskPreset {
  readonly baseUrl: string;
  readonly platform: 'Zendesk';
  readonly version: 'in-base-url';
  readonly idempotency: 'none';
  readonly rateLimit: Limit;
  readonly dialect: Partial<MessagingDialect>;
}

/** The same with a credential. */
export interface ConnectedZendesk extends ZendeskPreset {
  readonly authenticate: TokenCredential;
}

/**
 * Lets the messaging client speak to Zendesk: contacts are end users, conversations are tickets, notes are internal
 * comments. With `clientId` and `clientSecret` of an OAuth client, the credential is part of it, and needs the package
 * `oauth4webapi`. Spread it into the client's options; what is written after it wins.
 * Throws `InvalidArgumentError` for a subdomain, a limit or a client that can't be.
 *
 * @example
 * const integration = createIntegration({
 *   messaging: {
 *     ...zendesk({
 *       subdomain: 'acme',
 *       clientId: fromEnv('ZENDESK_CLIENT_ID'),
 *       clientSecret: fromEnv('ZENDESK_CLIENT_SECRET'),
 *     }),
 *     adminId: '361527',
 *   },
 * });
 */
export function zendesk(options: ZendeskOptions & ZendeskClientOptions): ConnectedZendesk;
/** The same without a credential: set `authenticate` after it. */
export function zendesk(options: ZendeskOptions): ZendeskPreset;
export function zendesk(options: ZendeskOptions & Partial<ZendeskClientOptions>): ZendeskPreset {
  assertKnown(options, optionNames);
  const { subdomain, requestsPerMinute = 200, phoneFormats = phoneForms, baseUrl, ...client } = options;
  if (typeof subdomain !== 'string' || !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(subdomain))
    throw new InvalidArgumentError('subdomain', 'must be what comes before .zendesk.com, such as acme');
  if (!Number.isInteger(requestsPerMinute) || requestsPerMinute < 1)
    throw new InvalidArgumentError('requestsPerMinute', 'must be a whole number of at least 1');
  const address = baseUrl ?? `https://${subdomain}.zendesk.com/api/v2`;
  if (!URL.canParse(address)) throw new InvalidArgumentError('baseUrl', 'must be an address');
  return {
    baseUrl: address,
    platform: 'Zendesk',
    version: 'in-base-url',
    idempotency: 'none',
    rateLimit: { limit: requestsPerMinute, perMs: 60_000 },
    dialect: zendeskDialect(phoneFormats),
    ...credentialOf(new URL('/oauth/tokens', address).href, client),
  };
}

const optionNames = {
  subdomain: true,
  baseUrl: true,
  requestsPerMinute: true,
  phoneFormats: true,
  clientId: true,
  clientSecret: true,
  refreshToken: true,
  onRefreshToken: true,
  scope: true,
  store: true,
  transport: true,
} as const;

/** Part of the preset as soon as anything is said about a client. */
const credentialOf = (tokenEndpoint: string, client: Partial<ZendeskClientOptions>) => {
  if (Object.values(client).every((value) => value === undefined)) return {};
  const { clientId, clientSecret } = client;
  if (clientId === undefined) throw new InvalidArgumentError('clientId', 'must be given: the Identifier of the client');
  if (clientSecret === undefined) throw new InvalidArgumentError('clientSecret', 'must be given with clientId');
  return { authenticate: zendeskClient(tokenEndpoint, { ...client, clientId, clientSecret }) };
};
