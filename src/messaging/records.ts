/** Values that the workspace keeps in addition to its own fields. Which ones exist is agreed with its administrator. */
export type CustomAttributes = Readonly<Record<string, unknown>>;

/** A person in the messaging platform. Fields that are not listed here are kept as they came. */
export interface Contact<Attributes extends object = CustomAttributes> {
  readonly id: string;
  /** E.164. Often empty: then search by e-mail. */
  readonly phone?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly name?: string | null | undefined;
  /** The id of this person in a system of the application. */
  readonly external_id?: string | null | undefined;
  /** The admin who looks after this contact. */
  readonly owner_id?: string | null | undefined;
  /** `lead` or `user`, where the platform distinguishes prospects from customers. */
  readonly role?: string | null | undefined;
  /** Gets no e-mails but replies. */
  readonly unsubscribed_from_emails?: boolean | null | undefined;
  readonly custom_attributes?: Attributes | undefined;
  /** Notes about the person, where the platform puts them on the record. */
  readonly notes?: readonly Note[] | undefined;
  readonly tags?: readonly Tag[] | null | undefined;
  /** Seconds since 1970, or a date as text; as the platform writes it. */
  readonly created_at?: number | string | null | undefined;
  /** Seconds since 1970, or a date as text; as the platform writes it. */
  readonly updated_at?: number | string | null | undefined;
  readonly [field: string]: unknown;
}

/** What a contact is created with or changed to. A field that is left out is not touched, and `null` empties one. */
export interface ContactFields<Attributes extends object = CustomAttributes> {
  /** E.164. */
  readonly phone?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly name?: string | null | undefined;
  /** The id of this person in a system of the application. */
  readonly external_id?: string | null | undefined;
  /** Platforms that distinguish prospects from customers say it here: `lead` or `user`. */
  readonly role?: string | null | undefined;
  /** `true` when they don't want e-mails. */
  readonly unsubscribed_from_emails?: boolean | undefined;
  readonly owner_id?: string | null | undefined;
  readonly custom_attributes?: Attributes | undefined;
  /** Any other field of the platform, which refuses those that it doesn't have. */
  readonly [field: string]: unknown;
}

/** One condition, such as `{ field: 'phone', operator: '=', value: '+14155550100' }`. */
export interface SearchCondition {
  /** As the platform names it, such as `external_id`. */
  readonly field: string;
  /** In the platform's own signs, such as `=` or `IN`. */
  readonly operator: string;
  /** Some operators take a list. */
  readonly value: string | number | boolean | readonly (string | number)[];
}

/**
 * One condition, or several of which `any` or `all` must be fulfilled. How many, and how deep, is the platform's rule;
 * the default API has single conditions only.
 */
export type SearchQuery =
  | SearchCondition
  | { readonly any: readonly SearchQuery[] }
  | { readonly all: readonly SearchQuery[] };

/** By what a person is looked for. At least one is given. */
export interface PersonQuery {
  /** E.164. */
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
}

/**
 * The contact that a phone number or an e-mail address belongs to.
 * Several contacts can share one: then it is the most recently updated, and `ambiguous` says that the agent should
 * ask for another detail before it acts.
 */
export interface ContactMatch<Attributes extends object = CustomAttributes> {
  readonly contact: Contact<Attributes>;
  /** More than one contact has exactly this number or address. */
  readonly ambiguous: boolean;
  /** How many contacts have it. */
  readonly count: number;
}

/** A person who was looked for by phone and e-mail. */
export interface FoundContact<Attributes extends object = CustomAttributes> extends ContactMatch<Attributes> {
  /** Which of the two decided. */
  readonly matchedBy: 'phone' | 'email';
}

/** A contact that exists now, whether this call or another made it. */
export interface EnsuredContact<Attributes extends object = CustomAttributes> extends ContactMatch<Attributes> {
  /** `conflict`: the platform refused to make another one. `nothing`: it is new. */
  readonly matchedBy: 'phone' | 'email' | 'conflict' | 'nothing';
  /** Whether this call made it. */
  readonly created: boolean;
}

/** An exchange of messages with a contact. Fields that are not listed here are kept as they came. */
export interface Conversation {
  readonly id: string;
  /** `open`, `closed`, `snoozed` or another word of the platform. */
  readonly state?: string | null | undefined;
  readonly open?: boolean | null | undefined;
  /** UNIX seconds. */
  readonly snoozed_until?: number | null | undefined;
  /** `none`, `low`, `medium`, `high` or `urgent`; Intercom lets no app set it. */
  readonly priority?: string | null | undefined;
  readonly title?: string | null | undefined;
  /** The message that it began with, and who wrote it. */
  readonly source?: ConversationSource | null | undefined;
  /** The contacts who take part. */
  readonly contacts?: readonly ConversationContact[] | undefined;
  readonly custom_attributes?: CustomAttributes | undefined;
  readonly admin_assignee_id?: string | null | undefined;
  readonly team_assignee_id?: string | null | undefined;
  /** Everything that happened in it, internal notes included. */
  readonly parts?: readonly ConversationPart[] | undefined;
  /** The count of all parts, where `parts` contains fewer: Intercom returns at most 500, and Zendesk's newest 1,000 are read. */
  readonly parts_total?: number | undefined;
  /** The parts that customers never see. */
  readonly notes?: readonly ConversationPart[] | undefined;
  readonly tags?: readonly Tag[] | undefined;
  readonly created_at?: number | string | null | undefined;
  readonly updated_at?: number | string | null | undefined;
  readonly [field: string]: unknown;
}

/** What a conversation is changed to. A field that is left out isn't touched. */
export interface ConversationFields {
  readonly title?: string | undefined;
  /** Whether it counts as read in the inbox. */
  readonly read?: boolean | undefined;
  /** `null` takes it from its company. */
  readonly company_id?: string | null | undefined;
  /** The conversation's own attributes: they exist in the workspace already. */
  readonly custom_attributes?: CustomAttributes | undefined;
  /** Who sees a text is decided by the operation, and by no field. */
  readonly message_type?: never;
  readonly [field: string]: unknown;
}

/** The first message of a conversation. */
export interface ConversationSource {
  readonly subject?: string | null | undefined;
  /** Its words, as plain text. */
  readonly body?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** A person in a conversation. */
export interface ConversationContact {
  readonly id: string;
  readonly external_id?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** A note, a reply or an action within a conversation. */
export interface ConversationPart {
  readonly id?: string | null | undefined;
  /** `note` is internal. */
  readonly message_type?: string | null | undefined;
  readonly body?: string | null | undefined;
  readonly admin_id?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** A note on a contact: internal. */
export interface Note {
  readonly id?: string | null | undefined;
  readonly body?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** A word by which contacts and conversations are sorted. It's attached by its id. */
export interface Tag {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** A kind of message that people can agree to or refuse. */
export interface SubscriptionType {
  readonly id: string;
  /** `live`, `draft` or `archived`. */
  readonly state?: string | null | undefined;
  /** `opt_out`: people get it until they refuse. `opt_in`: only after they agree. */
  readonly consent_type?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** Groups contacts by organization. Fields that are not listed here are kept as they came. */
export interface Company<Attributes extends object = CustomAttributes> {
  readonly id: string;
  readonly name?: string | null | undefined;
  /** The account tier is its name. */
  readonly plan?: { readonly name?: string | null | undefined; readonly [field: string]: unknown } | null | undefined;
  /** Recurring revenue, in the unit of the workspace. */
  readonly monthly_spend?: number | null | undefined;
  readonly size?: number | null | undefined;
  /** Account manager and health signals are usually kept here. */
  readonly custom_attributes?: Attributes | undefined;
  readonly updated_at?: number | string | null | undefined;
  readonly [field: string]: unknown;
}

/** By what a company is looked for: one of the two. */
export interface CompanyQuery {
  /** Exactly this name. */
  readonly name?: string | undefined;
  /** Your own id of it, `company_id`. */
  readonly companyId?: string | undefined;
}

/** Which companies of all are listed. */
export interface CompanyPage {
  /** From 1. @defaultValue 1 */
  readonly page?: number | undefined;
  /** @defaultValue the platform's */
  readonly pageSize?: number | undefined;
}

/** What a company is changed to. A field that is left out is not touched, and `null` empties one. */
export interface CompanyFields<Attributes extends object = CustomAttributes> {
  /** Your own id of it. Set when it's created; it can't be changed. */
  readonly company_id?: string | undefined;
  readonly name?: string | null | undefined;
  /** The name of the account tier. */
  readonly plan?: string | null | undefined;
  /** Recurring revenue, in the unit of the workspace. */
  readonly monthly_spend?: number | null | undefined;
  readonly size?: number | null | undefined;
  readonly website?: string | null | undefined;
  readonly industry?: string | null | undefined;
  readonly custom_attributes?: Attributes | undefined;
  /** Any other field of the platform, which refuses those that it doesn't have. */
  readonly [field: string]: unknown;
}

/** Who acts in a workspace. A voice agent has an admin of its own. */
export interface Admin {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly email?: string | null | undefined;
  /** Doesn't take conversations now. */
  readonly away_mode_enabled?: boolean | null | undefined;
  /** While away, what is assigned to them goes to others. */
  readonly away_mode_reassign?: boolean | null | undefined;
  /** Can answer customers at all. */
  readonly has_inbox_seat?: boolean | null | undefined;
  readonly team_ids?: readonly string[] | null | undefined;
  readonly [field: string]: unknown;
}

/** A group of admins that a conversation can be assigned to. */
export interface Team {
  readonly id: string;
  readonly name?: string | null | undefined;
  /** Its members. */
  readonly admin_ids?: readonly string[] | null | undefined;
  readonly [field: string]: unknown;
}
