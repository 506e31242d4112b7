import { fromSecret } from '../../auth/secret-source.ts';
import { InvalidArgumentError } from '../../errors.ts';
import type { Credential } from '../../http/credential.ts';
import type { Limit } from '../../http/operation.ts';
import { assertKnown } from '../../option-checks.ts';
import { phoneForms } from '../../phone/forms.ts';
import type { Secret } from '../../secret.ts';
import type { MessagingDialect } from '../dialect.ts';
import { zendeskDialect } from './dialect.ts';

/** What is said about an account of Zendesk. */
export interface ZendeskOptions {
  /** What comes before `.zendesk.com`. */
  readonly subdomain: string;
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

/**
 * Lets the messaging client speak to Zendesk: contacts are end users, conversations are tickets, notes are internal
 * comments. Spread it into the client's options; what is written after it wins.
 * Throws `InvalidArgumentError` for a subdomain or a limit that can't be.
 *
 * @example
 * const integration = createIntegration({
 *   messaging: {
 *     ...zendesk({ subdomain: 'acme' }),
 *     authenticate: zendeskToken({ email: 'voice-agent@acme.example', token: () => secrets.read('zendesk') }),
 *     adminId: '361527',
 *   },
 * });
 */
export const zendesk = (options: ZendeskOptions): ZendeskPreset => {
  assertKnown(options, { subdomain: true, requestsPerMinute: true, phoneFormats: true });
  const { subdomain, requestsPerMinute = 200, phoneFormats = phoneForms } = options;
  if (typeof subdomain !== 'string' || !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(subdomain))
    throw new InvalidArgumentError('subdomain', 'must be what comes before .zendesk.com, such as acme');
  if (!Number.isInteger(requestsPerMinute) || requestsPerMinute < 1)
    throw new InvalidArgumentError('requestsPerMinute', 'must be a whole number of at least 1');
  return {
    baseUrl: `https://${subdomain}.zendesk.com/api/v2`,
    platform: 'Zendesk',
    version: 'in-base-url',
    idempotency: 'none',
    rateLimit: { limit: requestsPerMinute, perMs: 60_000 },
    dialect: zendeskDialect(phoneFormats),
  };
};

/**
 * Credential of an API token: it acts as the agent with this address. Use `bearer` for an OAuth token.
 * Throws `InvalidArgumentError` for a literal token and for what is no address.
 *
 * @example
 * authenticate: zendeskToken({ email: 'voice-agent@acme.example', token: () => secrets.read('zendesk') })
 */
export const zendeskToken = ({ email, token }: { readonly email: string; readonly token: Secret }): Credential => {
  if (typeof email !== 'string' || !/^[^\s:]+@[^\s:]+$/.test(email))
    throw new InvalidArgumentError('email', 'must be the address of the agent');
  const toHeaders = (secret: string) => ({
    authorization: `Basic ${Buffer.from(`${email}/token:${secret}`).toString('base64')}`,
  });
  return fromSecret('token', token, { id: 'zendesk-token', toHeaders });
};
