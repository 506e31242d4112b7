import type { EntryOverrides, Methods } from '../api/entry.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import type { HttpDialect } from '../http/dialect.ts';
import { adminEndpoints } from './admins.ts';
import { articleEndpoints } from './articles.ts';
import type { AttributeRules } from './attributes.ts';
import { companyEndpoints } from './companies.ts';
import { type AddressesOfContacts, contactEndpoints, type ContactRules } from './contacts.ts';
import { conversationEndpoints } from './conversations.ts';
import { dataEventEndpoints } from './data-events.ts';
import { officeHoursEndpoints } from './office-hours.ts';
import type { Texts } from './parts.ts';
import type { SettingProblem } from './setting-problem.ts';
import { subscriptionTypeEndpoints } from './subscriptions.ts';
import { tagEndpoints } from './tags.ts';
import { type MembersOfTeams, teamEndpoints } from './teams.ts';
import { ticketEndpoints } from './tickets.ts';
import type { PlatformRules, Workspace } from './workspace.ts';

/** The operations of the messaging platform, by resource. */
export type MessagingEndpoints<Contacts extends object = object, Companies extends object = object> = ReturnType<
  typeof messagingEndpoints<Contacts, Companies>
>;

/** The custom attributes and the texts of one client. */
interface RecordRules {
  readonly texts: Texts;
  readonly contactRules: AttributeRules;
  readonly companyRules: AttributeRules;
}

/**
 * The operations of the default API. Those that it names without an endpoint, such as closing, are written as Intercom
 * does. A dialect overrides entries.
 */
export const messagingEndpoints = <Contacts extends object, Companies extends object>({
  texts,
  contactRules,
  companyRules,
}: RecordRules) => ({
  contacts: contactEndpoints<Contacts>(contactRules),
  conversations: conversationEndpoints(texts),
  companies: companyEndpoints<Companies>(companyRules),
  admins: adminEndpoints,
  teams: teamEndpoints,
  tags: tagEndpoints,
  subscriptionTypes: subscriptionTypeEndpoints,
  dataEvents: dataEventEndpoints,
  articles: articleEndpoints,
  tickets: ticketEndpoints(texts),
  officeHours: officeHoursEndpoints,
});

/**
 * A messaging platform's differences from the default API. A preset brings one, and you may override more of it:
 * `dialect: { ...intercom().dialect, ... }`.
 */
export interface MessagingDialect extends PlatformRules, ContactRules, Texts {
  /** Operations that it writes differently. */
  readonly endpoints: EntryOverrides<MessagingEndpoints>;
  /** Operations that are more than one request there, or none. @defaultValue one request each, as `endpoints` say */
  readonly methods: ((context: MessagingContext) => MessagingMethods) | undefined;
  /**
   * Operations that the platform can't do, by their name or its beginning, with what to do instead. They throw
   * `InvalidArgumentError`, and nothing is sent.
   */
  readonly refuses: Readonly<Record<string, string>>;
  /**
   * Returns what is wrong with an id that an application sets, such as `adminId` or an id of `teams`. It's refused when a
   * client or a toolbox is made. @defaultValue nothing
   */
  readonly settingProblem: SettingProblem | undefined;
  /**
   * The way that the platform writes custom attributes declared as `date`: texts, or UNIX seconds at midnight UTC. You
   * read and write YYYY-MM-DD either way.
   */
  readonly attributeDates: 'YYYY-MM-DD' | 'unix-seconds';
  /** Reads its refusals and limits. */
  readonly http: HttpDialect;
}

/** The parts of a client that the methods of a dialect use. Its endpoints have the dialect's overrides. */
export type MessagingContext = Pick<Workspace<MessagingEndpoints>, 'http' | 'endpoints' | 'shareDeadline'>;

/** Some of the operations, by resource. */
export type MessagingMethods = SomeOf<
  Methods<MessagingEndpoints> & { readonly teams: MembersOfTeams; readonly contacts: AddressesOfContacts }
>;

/** A tree of methods of which any may be left out. */
type SomeOf<Tree> = {
  readonly [Name in keyof Tree]?: Tree[Name] extends (...values: never[]) => unknown ? Tree[Name] : SomeOf<Tree[Name]>;
};

const documentedMessaging: MessagingDialect = {
  // The default API has companies, but no endpoint for them.
  endpoints: { companies: { listForContact: { mayBeMissing: true } } },
  methods: undefined,
  refuses: {},
  settingProblem: undefined,
  nextPage: (answer) => {
    const { pages } = (answer ?? {}) as { readonly pages?: { readonly next?: { readonly starting_after?: unknown } } };
    const after = pages?.next?.starting_after;
    return typeof after === 'string' && after !== '' ? after : undefined;
  },
  findContacts: undefined,
  phoneFormats: (phone) => [phone],
  findsByExternalId: false,
  mergedInto: undefined,
  conflictGivesContact: false,
  isConflict: ({ status }) => status === 409,
  contactOfEmail: undefined,
  searchDelayMs: 0,
  readBody: (body) => body,
  writeText: (text) => text,
  attributeDates: 'YYYY-MM-DD',
  http: {},
};

/** The dialect of the default API with what a preset says differently. */
export const completeMessagingDialect = (overrides?: Partial<MessagingDialect>): MessagingDialect =>
  overrides ? { ...documentedMessaging, ...withoutUndefined(overrides) } : documentedMessaging;
