import { connectApi, type OwnOptionNames } from '../api/connect-api.ts';
import { createMethods, overrideEntries } from '../api/entry.ts';
import { id } from '../core/arguments.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { must, oneOf, type OptionCheck } from '../core/option-checks.ts';
import type { HttpClient, Limit, RequestOptions } from '../http/operation.ts';
import { shareDeadline } from '../http/deadline.ts';
import { checkArgument } from '../core/schema.ts';
import { readSetting } from '../core/setting.ts';
import {
  type AttributeSchema,
  type AttributesOf,
  assertAttributes,
  createAttributeRules,
  type DeclaredAttributes,
} from './attributes.ts';
import type { MessagingClientFor, MessagingOptions } from './client.ts';
import { createCompanies } from './companies.ts';
import { createContacts } from './contacts.ts';
import { createConversations } from './conversations.ts';
import { completeMessagingDialect, type MessagingDialect, type SettingProblem } from './dialect.ts';
import { messagingEndpoints } from './endpoints.ts';
import { createOfficeHours } from './open-hours.ts';
import * as read from './readers.ts';
import { settingProblem, settingProblemOf } from './setting-problem.ts';
import { createTags } from './tags.ts';
import { createTeams } from './teams.ts';
import { createTickets } from './tickets.ts';

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
  const conversation = read.conversationReader(dialect.readBody);
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
    readers: () => [read.anyContact, read.anyCompany, conversation, read.tag, read.admin],
  });
  const http = withoutRefused(connected, { platform, refuses: dialect.refuses });
  const contactRules = createAttributeRules(options.customAttributes, dialect.attributeDates);
  const companyRules = createAttributeRules(options.companyAttributes, dialect.attributeDates);
  const endpoints = overrideEntries(
    messagingEndpoints({
      contact: read.contactReader<AttributesOf<ContactSchema>>(contactRules),
      company: read.companyReader<AttributesOf<CompanySchema>>(companyRules),
      conversation,
      readBody: dialect.readBody,
      writeText: dialect.writeText,
    }),
    dialect.endpoints,
  );
  const together = (call: RequestOptions = {}) => shareDeadline(call, { deadlineMs });
  const methods = overrideMethods(
    createMethods(http, 'messaging', endpoints),
    dialect.methods?.({ http, endpoints, shareDeadline: together }),
  );
  const adminId = options.adminId === undefined ? undefined : readSetting('adminId', options.adminId);
  const workspace = { http, dialect, endpoints, methods, shareDeadline: together };
  const client: MessagingClientFor<ContactSchema, CompanySchema> = {
    ...connection,
    contacts: createContacts<AttributesOf<ContactSchema>>(workspace, contactRules, adminId),
    conversations: createConversations(workspace, adminId),
    companies: createCompanies<AttributesOf<CompanySchema>>(workspace, companyRules),
    admins: methods.admins,
    teams: createTeams(workspace),
    tags: createTags(workspace),
    subscriptionTypes: methods.subscriptionTypes,
    dataEvents: methods.dataEvents,
    articles: methods.articles,
    tickets: createTickets(workspace, adminId),
    officeHours: createOfficeHours(workspace),
  };
  return Object.assign(client, { [settingProblem]: problemOf });
};

/** Throws for what the platform can't do. A method whose name begins with that of an operation is one of it. */
const withoutRefused = (
  http: HttpClient,
  { platform, refuses }: { readonly platform: string; readonly refuses: MessagingDialect['refuses'] },
): HttpClient => {
  const names = Object.keys(refuses);
  if (names.length === 0) return http;
  return {
    ...http,
    request: async (operation, call) => {
      const name = names.find((name) => `${operation.operation}.`.startsWith(`${name}.`));
      if (name === undefined) return http.request(operation, call);
      throw new InvalidArgumentError('operation', `is not one of ${platform}: ${refuses[name]}`, {
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

/** What the default API gives each app. */
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
  {
    platform,
    version,
    adminId,
    customAttributes,
    companyAttributes,
    dialect,
  }: Pick<
    MessagingOptions<AttributeSchema, AttributeSchema>,
    'platform' | 'version' | 'adminId' | 'customAttributes' | 'companyAttributes' | 'dialect'
  >,
  problemOf: SettingProblem,
): readonly OptionCheck[] => {
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
