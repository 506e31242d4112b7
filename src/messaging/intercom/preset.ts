import { type ApiProblem, InvalidArgumentError } from '../../core/errors.ts';
import { htmlToText, textToHtml, withoutTags } from '../../core/html.ts';
import { assertKnown, oneOf } from '../../core/option-checks.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import { classifyByStatus, type HttpDialect } from '../../http/dialect.ts';
import type { Limit } from '../../http/operation.ts';
import type { HttpResponse } from '../../http/request.ts';
import { serverTime } from '../../http/retry-after.ts';
import { phoneForms } from '../../phone/forms.ts';
import { fieldsOf, jsonIn, type JsonObject, objectsIn } from '../../stores/ports/json.ts';
import type { CompanyFields } from '../companies.ts';
import type { ContactFields } from '../contacts.ts';
import type { MessagingDialect } from '../dialect.ts';
import { idInWords } from '../existing-id.ts';
import type { SearchQuery } from '../search.ts';

/** The version of Intercom's API that the preset speaks. Source: github.com/intercom/Intercom-OpenAPI (2026-08-21). */
export const pinnedVersion = '2.16';

/** A workspace of Intercom. */
export interface IntercomOptions {
  /** The region that hosts the workspace. @defaultValue 'us' */
  readonly region?: IntercomRegion | undefined;
  /** Another address, such as the sandbox's. @defaultValue that of the region */
  readonly baseUrl?: string | undefined;
  /** The pinned version of the API; any that Intercom serves. @defaultValue '2.16' */
  readonly version?: string | undefined;
  /**
   * The limit of the app's plan. Intercom spreads it over windows of 10 seconds, and so does the client: a sixth of it in
   * any 10 seconds. All workspaces of one app share it: give them one `createMemoryRateLimiter`.
   * @defaultValue 1000
   */
  readonly requestsPerMinute?: number | undefined;
  /**
   * Writes a phone number in the other ways that contacts may have it. All are asked for in one request.
   * @defaultValue the usual national and international ways; `phoneFormats` of `voice-agent-integrations/phone` knows how
   * each country groups its digits
   */
  readonly phoneFormats?: ((phone: string) => readonly string[]) | undefined;
}

/** The regions in which Intercom hosts workspaces. */
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
  assertKnown(options, { region: true, baseUrl: true, version: true, requestsPerMinute: true, phoneFormats: true });
  const { region = 'us', version = pinnedVersion, requestsPerMinute = 1000, phoneFormats = phoneForms } = options;
  oneOf(region, 'region', ['us', 'eu', 'au'])();
  const { baseUrl = hosts[region] } = options;
  if (!(requestsPerMinute >= windowsPerMinute))
    throw new InvalidArgumentError('requestsPerMinute', `must be a number of at least ${windowsPerMinute}`);
  return {
    baseUrl,
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

/** Differences from the default API. Sources: Intercom's description of version 2.16, and its pages. */
const intercomDialect = (phoneFormats: (phone: string) => readonly string[]): Partial<MessagingDialect> => ({
  endpoints: {
    contacts: {
      create: {
        body: withRole,
        repeat: (fields) => (isRefusedTwice(fields) ? 'again' : fields.external_id ? undefined : 'never'),
      },
      notes: { create: { body: ({ body, adminId }) => ({ body: textToHtml(body), admin_id: adminId }) } },
      tags: { attach: { body: ({ tagId }) => ({ id: tagId }) } },
    },
    conversations: {
      get: { query: () => ({ display_as: 'plaintext' }) },
      // What `id` names is the message. The id of the conversation that it began is next to it.
      create: {
        answer: (answer) => {
          const { conversation_id: id, id: messageId, ...message } = Object(answer);
          return { ...message, type: 'conversation', id, message_id: messageId };
        },
      },
      // "Notes accept some HTML formatting": what was said in a call must not become any.
      addNote: {
        path: 'conversations/{id}/reply',
        body: writeNote,
      },
    },
    tickets: { addNote: { body: writeNote } },
    companies: {
      create: { body: withWholeSpend('messaging.companies.create') },
      update: { body: withWholeSpend('messaging.companies.update') },
    },
  },
  findContacts: ({ phone, email }) => ({
    any: [
      ...(phone === undefined ? [] : phoneConditions(phone, phoneFormats(phone))),
      ...(email === undefined ? [] : [{ field: 'email', operator: '=', value: email }]),
    ],
  }),
  findsByExternalId: true,
  phoneFormats,
  // "There can be a delay of several minutes": the description, about contacts that were just created.
  searchDelayMs: 10 * 60_000,
  // A create that is sent again meets what it has made itself.
  conflictGivesContact: true,
  mergedInto: ({ problems }) => problems.find(({ code }) => code === 'contact_merged')?.ids?.[0],

  // The description calls messages plain text, in which people would read an entity as it is.
  writeText: withoutTags,
  readBody: htmlToText,
  // "By definition always treated as UTC": developers.intercom.com, Object Model, read 2026-11-27. A search compares days of UTC.
  attributeDates: 'unix-seconds',
  http: intercomHttp,
});

const withWholeSpend =
  (operation: string) =>
  (fields: CompanyFields): CompanyFields => {
    if (!Number.isInteger(fields.monthly_spend ?? 0))
      throw new InvalidArgumentError('monthly_spend', 'must be an integer: Intercom cuts off the rest', { operation });
    return fields;
  };

const writeNote = ({ adminId, body }: { readonly adminId: string; readonly body: string }): object => ({
  message_type: 'note',
  type: 'admin',
  admin_id: adminId,
  body: textToHtml(body),
});

/** A contact needs one of the three; someone who only called is a lead. */
const withRole = (fields: ContactFields): ContactFields =>
  !fields.role && !fields.email && !fields.external_id ? { role: 'lead', ...fields } : fields;

/** A user's address is that of one contact: sent again, the second request is a conflict that names the first's. */
const isRefusedTwice = ({ role, email, external_id }: ContactFields): boolean =>
  !external_id && Boolean(email) && role !== 'lead';

/**
 * Both fields are searched: one is as it was entered, the other as Intercom shows it. A list of values is one filter, so
 * that the limit of 15 in a group is never met.
 */
const phoneConditions = (phone: string, formats: readonly string[]): readonly SearchQuery[] =>
  ['phone', 'formatted_phone'].map((field) => ({ field, operator: 'IN', value: [...new Set([phone, ...formats])] }));

/** The words of refusals and limits. */
const intercomHttp: HttpDialect = {
  problemsOf: (response) => listedIn(response.text).map((problem) => toProblem(problem, response)),
  provesNothingDone: ['rate_limit_exceeded', 'too_many_requests'],
  // No Retry-After is documented: X-RateLimit-Reset says in UNIX seconds when the window of 10 seconds ends.
  retryAfterMs: ({ status, headers }, wallNow) => {
    if (classifyByStatus(status) !== 'limited' || headers.has('retry-after')) return undefined;
    return untilReset(headers, wallNow);
  },
  usedUpForMs: (headers, wallNow) => {
    if (headers.get('x-ratelimit-remaining') !== '0') return undefined;
    return Math.min(untilReset(headers, wallNow) ?? 0, windowMs);
  },
  isOutdated: (_status, problems) => problems.some(({ code }) => code === 'intercom_version_invalid'),
};

const untilReset = (headers: ReadonlyMap<string, string>, wallNow: number): number | undefined => {
  const resetAt = Number(headers.get('x-ratelimit-reset') || Number.NaN);
  return resetAt > 0 ? Math.max(0, resetAt * 1_000 - serverTime(headers, wallNow)) : undefined;
};

/** The length of one window of the limit. A success never makes the next call wait longer. */
const windowMs = 10_000;

/** `{ type: 'error.list', errors: [{ code, message, field }] }`; what is none, such as a proxy's page, names nothing. */
const listedIn = (text: string): readonly JsonObject[] => objectsIn(fieldsOf(jsonIn(text))['errors']);

const toProblem = (
  { code, message, field }: Readonly<Record<string, unknown>>,
  { status, headers }: HttpResponse,
): ApiProblem => {
  const id = code === 'contact_merged' ? canonicalContact(headers) : status === 409 ? idInWords(message) : undefined;
  return withoutUndefined({
    code: String(code),
    message: typeof message === 'string' ? message : undefined,
    fields: typeof field === 'string' ? [field] : undefined,
    ids: id === undefined ? undefined : [id],
  });
};

/** `Link: </contacts/6762f0d0>; rel="canonical"` names the contact that this one was merged into. Source: RFC 8288. */
const canonicalContact = (headers: ReadonlyMap<string, string>): string | undefined =>
  /<[^>]*\/contacts\/([\w-]+)>\s*;\s*rel="?canonical"?/.exec(headers.get('link') ?? '')?.[1];
