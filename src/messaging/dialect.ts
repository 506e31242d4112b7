import type { EntryOverrides, Methods } from '../api/entry.ts';
import type { ClientError } from '../core/errors.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import type { HttpDialect } from '../http/dialect.ts';
import type { HttpClient, RequestOptions } from '../http/operation.ts';
import type { MessagingEndpoints } from './endpoints.ts';
import type { RecordList } from '../core/schema.ts';
import type { Admin, SearchQuery, PersonQuery } from './records.ts';

/**
 * What a messaging platform does differently from the default API. A preset brings one, and you may override more
 * of it: `dialect: { ...intercom().dialect, ... }`.
 */
export interface MessagingDialect {
  /** Operations that it writes differently. */
  readonly endpoints: EntryOverrides<MessagingEndpoints>;
  /** Operations that are more than one request there, or none. @defaultValue one request each, as `endpoints` say */
  readonly methods: ((context: MessagingContext) => MessagingMethods) | undefined;
  /**
   * What the platform can't do, by the operation or the beginning of its name, with what to do instead: it throws
   * `InvalidArgumentError`, and nothing is sent.
   */
  readonly refuses: Readonly<Record<string, string>>;
  /**
   * What is wrong with an id that an application sets, such as `adminId` or an id of `teams`: it's refused when a client
   * or a toolbox is made. @defaultValue nothing
   */
  readonly settingProblem: SettingProblem | undefined;
  /** Where the page after this one begins; `undefined` for the last one. */
  readonly nextPage: (answer: unknown) => string | undefined;
  /**
   * Looks for a person in one search, whatever of them is known. Without it there's one search for the phone, and one for
   * the address.
   */
  readonly findContacts: ((by: PersonQuery) => SearchQuery) | undefined;
  /** A number as contacts may have it: a contact with exactly one of these is the caller. Begins with E.164. */
  readonly phoneFormats: (phone: string) => readonly string[];
  /** Has `contacts.getByExternalId`, which knows of a contact as soon as it's made. A search may not. */
  readonly findsByExternalId: boolean;
  /** The contact that the refused one was merged into, where the refusal says so. @defaultValue merges aren't followed */
  readonly mergedInto: ((refusal: ClientError) => string | undefined) | undefined;
  /**
   * Whether creating a contact that exists already gives that one, unchanged. Without it the refusal is an error, as the
   * default API has it, and only `findOrCreate` gives the contact.
   */
  readonly conflictGivesContact: boolean;
  /** Whether a refusal of a new contact says that it exists already. @defaultValue any 409 */
  readonly isConflict: (refusal: ClientError) => boolean;
  /**
   * How `contacts.create` becomes a request that gives the contact of an address and changes nothing: for one that is in
   * the way of a new contact and that no search knows yet. @defaultValue there is none
   */
  readonly contactOfEmail: EntryOverrides<MessagingEndpoints['contacts']>['create'];
  /** How long a new contact may be missing from searches: for so long, the client remembers those it made. */
  readonly searchDelayMs: number;
  /** The words of a body as the API returns it, such as out of HTML. */
  readonly readBody: (body: string) => string;
  /** A plain text for the customer, as the API wants it. */
  readonly writeText: (text: string) => string;
  /**
   * How custom attributes that are declared as `date` are written: as texts, or as UNIX seconds at midnight UTC. You read
   * and write YYYY-MM-DD either way.
   */
  readonly attributeDates: 'YYYY-MM-DD' | 'unix-seconds';
  /** How it words refusals and limits. */
  readonly http: HttpDialect;
}

/** An option of an application whose value must be one of the platform's. */
export type PlatformSetting = 'adminId' | 'teams' | 'ticketTypeId' | 'officeHoursId';

/** What is wrong with such an option, as far as can be said before a request; `undefined` if nothing is. */
export type SettingProblem = (setting: PlatformSetting, value: string) => string | undefined;

/** What the methods of a dialect work with. */
export interface MessagingContext {
  readonly http: HttpClient;
  /** With what the dialect says of them. */
  readonly endpoints: MessagingEndpoints;
  /** One budget for a method that sends several requests. */
  readonly shareDeadline: (call: RequestOptions | undefined) => RequestOptions;
}

/** Some of the operations, by resource. */
export type MessagingMethods = SomeOf<
  Methods<MessagingEndpoints> & { readonly teams: MembersOfTeams; readonly contacts: AddressesOfContacts }
>;

/** Reads all addresses of a contact that are theirs alone, where the record shows only one of them. */
export interface AddressesOfContacts {
  readonly addressesOf: (contactId: string, call?: RequestOptions) => Promise<readonly string[]>;
}

/** Reads who is in a team, where a team's record doesn't say it. */
export interface MembersOfTeams {
  readonly listMembers: (id: string, call?: RequestOptions) => Promise<RecordList<Admin>>;
}

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
