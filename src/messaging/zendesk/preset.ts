import type { TokenCredential } from '../../auth/token-credential.ts';
import { type ApiProblem, InvalidArgumentError } from '../../core/errors.ts';
import { classifyByStatus, type HttpDialect } from '../../http/dialect.ts';
import { fieldsOf, isJsonObject, jsonIn, objectsIn } from '../../stores/ports/json.ts';
import type { Limit } from '../../http/operation.ts';
import { assertKnown } from '../../core/option-checks.ts';
import { phoneForms } from '../../phone/forms.ts';
import type { MessagingDialect } from '../dialect.ts';
import { zendeskClient, type ZendeskClientOptions } from './credential.ts';
import { zendeskArticles } from './articles.ts';
import { zendeskCompanies, companyMethods } from './companies.ts';
import { zendeskContacts, contactMethods, contactOfEmail } from './contacts.ts';
import { zendeskOfficeHours } from './office-hours.ts';
import { accountTagMethods, tagsAnswer } from './tags.ts';
import { zendeskAdmins, zendeskTeams, teamMethods } from './teams.ts';
import { zendeskConversations, problemOfId, zendeskTickets, ticketMethods } from './tickets.ts';

/** An account of Zendesk. */
export interface ZendeskOptions {
  /** The part before `.zendesk.com`. */
  readonly subdomain: string;
  /** Another address of the account, such as that of a fake. @defaultValue `https://{subdomain}.zendesk.com/api/v2` */
  readonly baseUrl?: string | undefined;
  /** The limit of the account's plan, which all its apps share. @defaultValue 200 */
  readonly requestsPerMinute?: number | undefined;
  /** Writes a phone number in the other ways that users may have it. @defaultValue the usual national and international ways */
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

/** The credential, once any option of a client is set. */
const credentialOf = (tokenEndpoint: string, client: Partial<ZendeskClientOptions>) => {
  if (Object.values(client).every((value) => value === undefined)) return {};
  const { clientId, clientSecret } = client;
  if (clientId === undefined) throw new InvalidArgumentError('clientId', 'must be given: the Identifier of the client');
  if (clientSecret === undefined) throw new InvalidArgumentError('clientSecret', 'must be given with clientId');
  return { authenticate: zendeskClient(tokenEndpoint, { ...client, clientId, clientSecret }) };
};

/** Differences from the default API. Source: developer.zendesk.com, Ticketing API. */
const zendeskDialect = (phoneFormats: (phone: string) => readonly string[]): Partial<MessagingDialect> => ({
  endpoints: {
    contacts: zendeskContacts(phoneFormats),
    conversations: zendeskConversations,
    companies: zendeskCompanies,
    tickets: zendeskTickets,
    admins: zendeskAdmins,
    teams: zendeskTeams,
    tags: { list: { path: 'tags.json', answer: tagsAnswer } },
    officeHours: zendeskOfficeHours,
    articles: zendeskArticles,
  },
  methods: (context) => ({
    ...contactMethods(context),
    ...companyMethods(context),
    ...ticketMethods(context),
    ...teamMethods(context),
    ...accountTagMethods(context),
  }),
  refuses: refusedByZendesk,
  settingProblem: problemOfId,
  nextPage,
  phoneFormats,
  findsByExternalId: true,
  // "It can take up to a few minutes" until a search knows a record.
  searchDelayMs: 10 * 60_000,
  conflictGivesContact: true,
  contactOfEmail,
  isConflict: ({ status, problems }) => status === 422 && problems.some(({ code }) => code === 'DuplicateValue'),
  http: zendeskHttp,
});

/** The number of the next page, which is in the address that leads to it. */
const nextPage = (answer: unknown): string | undefined => {
  const { next_page: next } = Object(answer) as { readonly next_page?: unknown };
  if (typeof next !== 'string' || !URL.canParse(next)) return undefined;
  return new URL(next).searchParams.get('page') ?? undefined;
};

/** Operations that Zendesk can't do, and what to use. */
const refusedByZendesk: Readonly<Record<string, string>> = {
  'messaging.contacts.merge': 'merge users in the Admin Center, or use request with users/{id}/merge',
  'messaging.contacts.archive': 'use contacts.delete, which Zendesk keeps as a deleted user',
  'messaging.contacts.unarchive': 'a deleted user can be restored by Zendesk only',
  'messaging.contacts.block': 'suspend the user with contacts.update(id, { suspended: true })',
  'messaging.contacts.notes': 'use conversations.addNote, or contacts.update(id, { details })',
  'messaging.contacts.subscriptions': 'keep consent in a custom attribute of the contact',
  'messaging.subscriptionTypes': 'keep consent in a custom attribute of the contact',
  'messaging.conversations.snooze': "use conversations.update(id, { status: 'hold' })",
  'messaging.conversations.convertToTicket': 'a conversation is a ticket already',
  'messaging.companies.attach': 'use contacts.update(id, { organization_id })',
  'messaging.companies.detach': 'use contacts.update(id, { organization_id: null })',
  'messaging.admins.setAway': 'an agent sets their own status in Zendesk',
  'messaging.tickets.types': 'ticketTypeId is problem, incident, question, task or the id of a ticket form',
  'messaging.tickets.states': 'stateId is new, open, pending, hold or solved',
  'messaging.dataEvents': 'keep what happened in a custom attribute or in a note',
};

/**
 * The words of refusals and limits.
 * Source: developer.zendesk.com, introduction to the API: responses and rate limits.
 */
const zendeskHttp: HttpDialect = {
  // 409: two requests met in one record, and this one was not done.
  classify: (status) => (status === 409 ? 'transient' : classifyByStatus(status)),
  problemsOf: ({ status, text }) => (status === 403 && missingScopeIn(text)) || problemsIn(text),
  provesNothingDone: ['DatabaseConflict'],
  usedUpForMs: (headers) => {
    if (headers.get('x-rate-limit-remaining') !== '0') return undefined;
    const seconds = Number(headers.get('ratelimit-reset') || Number.NaN);
    return seconds >= 0 ? Math.min(seconds, longestWindowSeconds) * 1_000 : undefined;
  },
};

/**
 * The scopes of which a token needs one. A role that isn't enough is `Forbidden`.
 * Source: answers of Zendesk in singer-io/tap-zendesk, read 2026-11-27.
 */
const missingScopeIn = (text: string): readonly ApiProblem[] | undefined => {
  const { description } = fieldsOf(jsonIn(text));
  const scopes = typeof description === 'string' && /required scopes?: *([\w: ,]{1,200})$/.exec(description)?.[1];
  if (typeof scopes !== 'string') return undefined;
  return [{ code: 'MissingScope', message: textOf(description), fields: scopes.split(/[ ,]+/) }];
};

/** The account's limit is per minute. */
const longestWindowSeconds = 60;

/**
 * `{ error, description, details: { email: [{ description, error }] } }`, or `{ error: { title, message } }`. What is
 * none, such as the plain text of a 429, names nothing.
 */
const problemsIn = (text: string): readonly ApiProblem[] => {
  const { error, description, details } = fieldsOf(jsonIn(text));
  if (isJsonObject(error)) return [{ code: codeOf(error['title']), message: textOf(error['message']) }];
  if (typeof error !== 'string') return [];
  const fields = Object.entries(fieldsOf(details)).flatMap(([field, problems]) =>
    objectsIn(problems).map(
      (own): ApiProblem => ({ code: codeOf(own['error']), message: textOf(own['description']), fields: [field] }),
    ),
  );
  return [{ code: codeOf(error), message: textOf(description) }, ...fields];
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The code of a problem; `Invalid` if it has none of its own. */
const codeOf = (value: unknown): string => (typeof value === 'string' && /^\w+$/.test(value) ? value : 'Invalid');
