import type { ApiConnection } from '../api/api-client.ts';
import { connectApi, type OwnOptionNames } from '../api/connect-api.ts';
import { createMethods, overrideEntries } from '../api/entry.ts';
import { id } from '../core/arguments.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { must, oneOf, type OptionCheck } from '../core/option-checks.ts';
import { checkArgument } from '../core/schema.ts';
import { readSetting, type Setting } from '../core/setting.ts';
import { shareDeadline } from '../http/deadline.ts';
import type { ConnectionOptions, HttpClient, Limit, RequestOptions } from '../http/operation.ts';
import { admin, type Admins } from './admins.ts';
import type { Articles } from './articles.ts';
import {
  assertAttributes,
  type AttributeSchema,
  type AttributesOf,
  createAttributeRules,
  type CustomAttributes,
  type DeclaredAttributes,
} from './attributes.ts';
import { anyCompany, type Companies, createCompanies } from './companies.ts';
import { createContacts } from './contact-methods.ts';
import { anyContact, type Contacts } from './contacts.ts';
import { conversationReader, type Conversations, createConversations } from './conversations.ts';
import type { DataEvents } from './data-events.ts';
import { completeMessagingDialect, type MessagingDialect, messagingEndpoints } from './dialect.ts';
import { createOfficeHours, type OfficeHoursOperations } from './office-hours.ts';
import { refusalOf, type SettingProblem, settingProblem, settingProblemOf } from './setting-problem.ts';
import type { SubscriptionTypes } from './subscriptions.ts';
import { createTags, tag, type Tags } from './tags.ts';
import { createTeams, type Teams } from './teams.ts';
import { createTickets, type Tickets } from './tickets.ts';

/** A workspace of the messaging platform, and the admin who acts in it. */
export interface MessagingOptions<
  ContactSchema extends AttributeSchema = DeclaredAttributes,
  CompanySchema extends AttributeSchema = DeclaredAttributes,
> extends ConnectionOptions {
  /** The platform's name as its version header spells it: `Acme` sends `Acme-Version`. */
  readonly platform: string;
  /** The pinned version of the API, such as `2.11`; `in-base-url` sends no header. */
  readonly version: string;
  /**
   * The admin that acts for the voice agent, or a function that reads the id once. Without it, every action on a
   * conversation must name one.
   */
  readonly adminId?: Setting | undefined;
  /** The custom attributes of contacts. With it they are typed, checked, and an undeclared one is refused. */
  readonly customAttributes?: ContactSchema | undefined;
  /** The same for companies. */
  readonly companyAttributes?: CompanySchema | undefined;
  /** The platform's differences from the default API. A preset brings one. @defaultValue nothing */
  readonly dialect?: Partial<MessagingDialect> | undefined;
}

/** Reads and writes what one workspace holds: contacts, conversations, companies, tickets, articles. */
export interface MessagingClient<
  ContactAttributes extends object = CustomAttributes,
  CompanyAttributes extends object = CustomAttributes,
> extends ApiConnection {
  readonly contacts: Contacts<ContactAttributes>;
  readonly conversations: Conversations;
  readonly companies: Companies<CompanyAttributes>;
  readonly admins: Admins;
  readonly teams: Teams;
  readonly tags: Tags;
  readonly subscriptionTypes: SubscriptionTypes;
  readonly dataEvents: DataEvents;
  readonly articles: Articles;
  readonly tickets: Tickets;
  readonly officeHours: OfficeHoursOperations;
}

/** The client of {@link MessagingOptions} with these schemas. */
export type MessagingClientFor<
  ContactSchema extends AttributeSchema,
  CompanySchema extends AttributeSchema,
> = MessagingClient<AttributesOf<ContactSchema>, AttributesOf<CompanySchema>>;

/**
 * Makes a client of the messaging platform.
 * Throws `InvalidArgumentError` for options that cannot work; nothing is sent before the first call.
 *
 * @example
 * const messaging = createMessagingClient({
 *   baseUrl: 'https://api.acme.example',
 *   authenticate: bearer(() => secrets.read('messaging')),
 *   platform: 'Acme',
 *   version: '2.11',
 *   adminId: 'admin_7',
 *   customAttributes: { ...callAttributes, plan: ['free', 'pro'] },
 * });
 */
export const createMessagingClient = <
  const ContactSchema extends AttributeSchema = DeclaredAttributes,
  const CompanySchema extends AttributeSchema = DeclaredAttributes,
>(
  options: MessagingOptions<ContactSchema, CompanySchema>,
): MessagingClientFor<ContactSchema, CompanySchema> => {
  const { platform, version, deadlineMs, rateLimit = documentedRateLimit, idempotency = 'sent' } = options;
  const dialect = completeMessagingDialect(options.dialect);
  const problemOf = settingProblemOf(dialect);
  const { http: connected, connection } = connectApi('messaging', options, {
    optionNames,
    checks: checksOf(options, problemOf),
    settings: () => ({
      version,
      versionHeader: version === 'in-base-url' ? undefined : `${platform}-Version`,
      dialect: dialect.http,
      idempotency,
      rateLimit,
    }),
    readers: () => [anyContact, anyCompany, conversationReader(dialect.readBody), tag, admin],
  });
  const http = withoutRefused(connected, { platform, refuses: dialect.refuses });
  const contactRules = createAttributeRules(options.customAttributes, dialect.attributeDates);
  const companyRules = createAttributeRules(options.companyAttributes, dialect.attributeDates);
  const endpoints = overrideEntries(
    messagingEndpoints<AttributesOf<ContactSchema>, AttributesOf<CompanySchema>>({
      texts: dialect,
      contactRules,
      companyRules,
    }),
    dialect.endpoints,
  );
  const together = (call: RequestOptions = {}) => shareDeadline(call, { deadlineMs });
  const methods = overrideMethods(
    createMethods(http, 'messaging', endpoints),
    dialect.methods?.({ http, endpoints, shareDeadline: together }),
  );
  const adminId = options.adminId === undefined ? undefined : readSetting('adminId', options.adminId);
  const workspace = { http, dialect, endpoints, methods, shareDeadline: together, adminId };
  const client: MessagingClientFor<ContactSchema, CompanySchema> = {
    ...connection,
    ...methods,
    contacts: createContacts(workspace, contactRules),
    conversations: createConversations(workspace),
    companies: createCompanies(workspace, companyRules),
    teams: createTeams(workspace),
    tags: createTags(workspace),
    tickets: createTickets(workspace),
    officeHours: createOfficeHours(workspace),
  };
  return Object.assign(client, { [settingProblem]: problemOf });
};

/** Throws for operations that the platform can't do. */
const withoutRefused = (
  http: HttpClient,
  { platform, refuses }: { readonly platform: string; readonly refuses: MessagingDialect['refuses'] },
): HttpClient => {
  if (Object.keys(refuses).length === 0) return http;
  return {
    ...http,
    request: async (operation, call) => {
      const refusal = refusalOf(refuses, operation.operation);
      if (refusal === undefined) return http.request(operation, call);
      throw new InvalidArgumentError('operation', `is not one of ${platform}: ${refusal}`, {
        operation: operation.operation,
      });
    },
  };
};

/** The same tree of methods with those that the dialect has of its own. */
const overrideMethods = <Tree extends object>(methods: Tree, own: object = {}): Tree => {
  const merged = Object.entries(own).map(([name, value]) => {
    const method = (methods as Readonly<Record<string, object>>)[name];
    return [name, typeof value === 'function' ? value : overrideMethods(method ?? {}, value)];
  });
  // The dialect's methods have the types of those they replace.
  return { ...methods, ...(Object.fromEntries(merged) as Partial<Tree>) };
};

/** The limit of each app of the default API. */
export const documentedRateLimit: Limit = { limit: 1000, perMs: 60_000 };

const optionNames: OwnOptionNames<MessagingOptions> = {
  platform: true,
  version: true,
  adminId: true,
  customAttributes: true,
  companyAttributes: true,
  dialect: true,
};

const checksOf = (
  options: MessagingOptions<AttributeSchema, AttributeSchema>,
  problemOf: SettingProblem,
): readonly OptionCheck[] => {
  const { platform, version, adminId, customAttributes, companyAttributes, dialect } = options;
  const isPlatform = typeof platform === 'string' && /^[A-Za-z][A-Za-z0-9-]*$/.test(platform);
  const isVersion = typeof version === 'string' && version !== '';
  return [
    must(isPlatform, 'platform', 'must be the name of the platform in its version header, such as Acme'),
    must(isVersion, 'version', 'must be a version such as 2.11: it is always pinned'),
    oneOf(dialect?.attributeDates, 'dialect.attributeDates', ['YYYY-MM-DD', 'unix-seconds']),
    () => assertAttributes('customAttributes', customAttributes),
    () => assertAttributes('companyAttributes', companyAttributes),
    () => {
      if (adminId === undefined) return;
      const problem = problemOf('adminId', checkArgument('', id, readSetting('adminId', adminId), 'adminId'));
      if (problem !== undefined) throw new InvalidArgumentError('adminId', problem);
    },
  ];
};
