import { invalid } from './call.ts';
import type { ZendeskFieldOwner, ZendeskStore } from './store.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The writable fields of each record. Anything else is refused here; Zendesk ignores it. Source: developer.zendesk.com, JSON format. */
const writable = {
  user: [
    'alias',
    'custom_role_id',
    'default_group_id',
    'details',
    'email',
    'external_id',
    'identities',
    'locale',
    'locale_id',
    'moderator',
    'name',
    'notes',
    'only_private_comments',
    'organization_id',
    'phone',
    'remote_photo_url',
    'restricted_agent',
    'role',
    'shared_phone_number',
    'signature',
    'skip_verify_email',
    'suspended',
    'tags',
    'ticket_restriction',
    'time_zone',
    'user_fields',
    'verified',
  ],
  organization: [
    'details',
    'domain_names',
    'external_id',
    'group_id',
    'name',
    'notes',
    'organization_fields',
    'shared_comments',
    'shared_tickets',
    'tags',
  ],
  ticket: [
    'subject',
    'status',
    'priority',
    'type',
    'external_id',
    'requester_id',
    'submitter_id',
    'assignee_id',
    'group_id',
    'organization_id',
    'ticket_form_id',
    'tags',
    'custom_fields',
    'comment',
    'updated_stamp',
    'safe_update',
  ],
  comment: ['author_id', 'body', 'html_body', 'public', 'uploads'],
} as const;

/** Throws `Refused` for a field that can't be written, which Zendesk itself leaves out. */
export const assertWritable = (name: keyof typeof writable, given: Fields): void => {
  const known: readonly string[] = writable[name];
  const wrong = Object.keys(given).find((field) => !known.includes(field));
  if (wrong !== undefined) throw invalid(wrong, `${wrong}: is not a field of a ${name} that can be written`, 'Invalid');
};

/** Throws `Refused` for the id of a record that isn't there. */
export const assertIds = (given: Fields, known: Readonly<Record<string, ReadonlyMap<number, unknown>>>): void => {
  for (const [name, records] of Object.entries(known)) {
    const value = given[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'number' || !records.has(value)) throw invalid(name, `${name}: is invalid`, 'InvalidValue');
  }
};

/** Throws `Refused` for a key that isn't one of the account's own fields. */
export const assertOwnFields = (store: ZendeskStore, of: ZendeskFieldOwner, name: string, given: unknown): void => {
  const known = [...store.fields.values()].filter((field) => field.of === of).map(({ key }) => key);
  const unknown = Object.keys(Object(given)).find((key) => !known.includes(key));
  if (unknown !== undefined) throw invalid(name, `${name}: ${unknown} is not a field of the account`, 'InvalidValue');
};

/** Throws `Refused` unless it's a list of `{ id, value }` with the ids of the account's ticket fields. */
export const assertCustomFields = (store: ZendeskStore, given: unknown): void => {
  if (given === undefined) return;
  const isKnown = (field: unknown) => {
    const { id, value } = Object(field) as Fields;
    return typeof id === 'number' && store.fields.get(id)?.of === 'tickets' && value !== undefined;
  };
  if (!Array.isArray(given) || !given.every(isKnown))
    throw invalid(
      'custom_fields',
      'Custom fields: must be ids and values of ticket fields of the account',
      'InvalidValue',
    );
};
