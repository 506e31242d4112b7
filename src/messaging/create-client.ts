import { id } from '../arguments.ts';
import { systemClock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import { createHttpClient } from '../http/client.ts';
import type { Limit } from '../http/operation.ts';
import { shareDeadline } from '../http/share-deadline.ts';
import { checkArgument, prepareReaders } from '../schema.ts';
import {
  type AttributeSchema,
  type AttributesOf,
  createAttributeRules,
  type DeclaredAttributes,
} from './attributes.ts';
import type { MessagingClientFor, MessagingOptions } from './client.ts';
import { createCompanies } from './companies.ts';
import { createContacts } from './contacts.ts';
import { createConversations } from './conversations.ts';
import { completeMessagingDialect } from './dialect.ts';
import * as read from './readers.ts';
import type { Workspace } from './workspace.ts';

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
  checkOptions(options);
  const { platform, rateLimit = documentedRateLimit, clock = systemClock, deadlineMs } = options;
  const dialect = completeMessagingDialect(options.dialect);
  const http = createHttpClient({
    // The interface document gives keys to payments alone.
    idempotency: 'none',
    ...options,
    rateLimit,
    api: 'messaging',
    versionHeader: `${platform}-Version`,
    dialect: dialect.http,
  });
  const workspace: Workspace = {
    http,
    dialect,
    shareDeadline: (call) => shareDeadline(call, { deadlineMs, clock }),
  };
  return {
    contacts: createContacts<AttributesOf<ContactSchema>>(
      workspace,
      createAttributeRules(options.customAttributes, dialect.attributeDates),
      options.adminId,
      clock,
    ),
    conversations: createConversations(workspace, options.adminId),
    companies: createCompanies<AttributesOf<CompanySchema>>(
      workspace,
      createAttributeRules(options.companyAttributes, dialect.attributeDates),
    ),
    admins: {
      list: async (call) =>
        http.request({ operation: 'messaging.admins.list', ...dialect.listAdmins(), returns: read.admins }, call),
      me: async (call) =>
        http.request({ operation: 'messaging.admins.me', ...dialect.getOwnAdmin(), returns: read.admin }, call),
    },
    teams: {
      list: async (call) =>
        http.request({ operation: 'messaging.teams.list', ...dialect.listTeams(), returns: read.teams }, call),
    },
    request: (request, call) => http.custom(request, call),
    warmUp: (options) => {
      prepareReaders([
        read.anyContact,
        read.anyCompany,
        read.conversationReader(dialect.readBody),
        read.tag,
        read.admin,
      ]);
      return http.warmUp(options);
    },
    status: () => http.status(),
    close: () => http.close(),
    [Symbol.asyncDispose]: () => http.close(),
  };
};

/** What the interface document gives each app. */
export const documentedRateLimit: Limit = { limit: 1000, perMs: 60_000 };

const checkOptions = ({
  platform,
  version,
  adminId,
}: Pick<MessagingOptions, 'platform' | 'version' | 'adminId'>): void => {
  if (typeof platform !== 'string' || !/^[A-Za-z][A-Za-z0-9-]*$/.test(platform))
    throw new InvalidArgumentError('platform', 'must be the name of the platform in its version header, such as Acme');
  if (typeof version !== 'string' || version === '')
    throw new InvalidArgumentError('version', 'must be a version such as 2.11: it is always pinned');
  if (adminId !== undefined) checkArgument('', id, adminId, 'adminId');
};
