import { type Entry, type EntryOverrides, entry, toOperation } from '../../api/entry.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import type { RequestOptions } from '../../http/operation.ts';
import type { ContactFields } from '../contacts.ts';
import type { MessagingContext, MessagingEndpoints, MessagingMethods } from '../dialect.ts';
import { type Fields, one, refuseFields, several, toTags } from './answers.ts';
import { zendeskQuery } from './query.ts';
import { assertTags, tagMethods, tagsAnswer } from './tags.ts';

const toContact = ({ user_fields, notes, tags, ...user }: Fields): object => ({
  ...user,
  custom_attributes: Object(user_fields),
  notes: typeof notes === 'string' && notes !== '' ? [{ body: notes }] : [],
  tags: toTags(tags),
});

const userAnswer = one('user', toContact);

/** Contacts are end users. Source: developer.zendesk.com, Ticketing API, Users. */
export const zendeskContacts = (
  phoneFormats: (phone: string) => readonly string[],
): EntryOverrides<MessagingEndpoints['contacts']> => ({
  get: { path: 'users/{id}.json', answer: userAnswer },
  getByExternalId: {
    path: 'users/search.json?external_id={externalId}',
    // The one user with an external id.
    answer: (answer) => {
      const [user] = Array.isArray(Object(answer).users) ? (Object(answer).users as readonly Fields[]) : [];
      return user ? toContact(user) : null;
    },
  },
  create: {
    path: 'users.json',
    body: (fields) => ({
      user: {
        ...userFields('messaging.contacts.create', fields),
        // Zendesk takes no user without a name, and would write an e-mail to a new one.
        name: fields.name || fields.email || fields.phone || fields.external_id || undefined,
        skip_verify_email: true,
      },
    }),
    // An address and an external id are those of one user: a second request is refused.
    repeat: ({ email, external_id }) => (email || external_id ? 'again' : 'never'),
    answer: userAnswer,
  },
  update: {
    path: 'users/{id}.json',
    body: (fields) => ({ user: userFields('messaging.contacts.update', fields) }),
    answer: userAnswer,
  },
  search: {
    method: 'GET',
    path: 'users/search.json',
    query: ({ query, pageSize, after }) => ({
      query: zendeskQuery('messaging.contacts.search', query, phoneFormats),
      per_page: pageSize,
      page: after,
    }),
    answer: several('users', toContact),
  },
  delete: { path: 'users/{id}.json' },
  tags: { list: { path: 'users/{contactId}/tags.json', answer: tagsAnswer } },
});

/**
 * The user with this address. It's an update of nothing: without a name it can't make a user.
 * Source: developer.zendesk.com, Users, Create Or Update User.
 */
export const contactOfEmail: EntryOverrides<MessagingEndpoints['contacts']>['create'] = {
  path: 'users/create_or_update.json',
  body: ({ email }) => ({ user: { email } }),
  repeat: 'again',
};

/** The fields that contacts can't have. The first ones make an agent or an administrator: words of a caller must not. */
const refusedFields = {
  custom_role_id: 'is not for contacts',
  moderator: 'is not for contacts',
  restricted_agent: 'is not for contacts',
  ticket_restriction: 'is not for contacts',
  owner_id: 'is not known to Zendesk: assign the ticket instead',
  unsubscribed_from_emails: 'is not known to Zendesk: use a custom attribute',
};

const userFields = (operation: string, { custom_attributes, role, ...fields }: ContactFields): object => {
  if (role && !['lead', 'user', 'end-user'].includes(role))
    throw new InvalidArgumentError('role', 'must be lead or user: contacts are end users of Zendesk', { operation });
  refuseFields(operation, fields, refusedFields);
  assertTags(operation, fields['tags']);
  return withoutUndefined({ ...fields, role: role ? 'end-user' : undefined, user_fields: custom_attributes });
};

/** An address of a user. */
interface Identity {
  readonly id: string;
  readonly value: string;
  readonly primary: boolean;
  /** Other users have it too. */
  readonly shared: boolean;
}

/** The operations that take several requests. */
export const contactMethods = (context: MessagingContext): MessagingMethods => ({
  contacts: {
    ...identityMethods(context),
    tags: tagMethods(context, 'messaging.contacts.tags', 'users/{id}/tags.json'),
  },
});

const operation = 'messaging.contacts.update';

/**
 * A user has several addresses, of which one is the primary one. A change of the user's `email` would only add another:
 * so the new one becomes an identity, and then the primary one. Needs the scope `read write`.
 * Sources: developer.zendesk.com, User Identities; support.zendesk.com, article 4408885830682; read 2026-11-27.
 */
const identityMethods = ({
  http,
  endpoints,
  shareDeadline,
}: MessagingContext): Pick<NonNullable<MessagingMethods['contacts']>, 'update' | 'addressesOf'> => {
  const send = <T>(path: Entry<string, undefined, T>, ids: readonly string[], call: RequestOptions, name = operation) =>
    http.request(toOperation(name, path, ids), call);

  const makePrimary = async (contactId: string, email: string, call: RequestOptions): Promise<void> => {
    const known = (await send(identities, [contactId], call)).find(({ value }) => isSame(value, email));
    const identity = known ?? (await send(added(email), [contactId], call));
    if (!identity.primary) await send(primary, [contactId, identity.id], call);
  };

  return {
    update: async (contactId, fields, call) => {
      const shared = shareDeadline(call);
      const { email, ...others }: Readonly<Record<string, unknown>> = Object(fields);
      const { update, get } = endpoints.contacts;
      const change = toOperation(operation, update, [contactId, fields]);
      if (email === undefined) return http.request(change, shared);
      if (typeof email !== 'string' || email.trim() === '')
        throw new InvalidArgumentError('email', "can't be emptied: use request to delete users/{id}/identities/{id}", {
          operation,
        });
      // Whatever is wrong with the fields is wrong before anything is sent.
      if (typeof change.body === 'function') change.body(undefined);
      await makePrimary(contactId, email.trim(), shared);
      const hasMore = Object.values(others).some((value) => value !== undefined);
      const rest = hasMore
        ? toOperation(operation, update, [contactId, others])
        : toOperation(operation, { ...get, absentOn404: false, returns: update.returns }, [contactId]);
      return http.request(rest, shared);
    },
    addressesOf: async (contactId, call = {}) => {
      const known = await send(identities, [contactId], call, 'messaging.contacts.findByEmail');
      return known.filter(({ shared }) => !shared).map(({ value }) => value);
    },
  };
};

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const toIdentity = (json: unknown): Identity => {
  const { id, value, primary, ownership } = Object(json) as Fields;
  return { id: String(id), value: String(value), primary: primary === true, shared: ownership === 'shared' };
};

const identities = entry({
  method: 'GET',
  path: 'users/{contactId}/identities.json?type[]=email&page[size]=100',
  returns: (json) => {
    const { identities: known } = Object(json) as Fields;
    return Array.isArray(known) ? known.filter((one: unknown) => Object(one).type === 'email').map(toIdentity) : [];
  },
});

const added = (value: string) =>
  entry({
    method: 'POST',
    path: 'users/{contactId}/identities.json',
    // Without it, Zendesk would write an e-mail to the person.
    body: () => ({ identity: { type: 'email', value, skip_verify_email: true } }),
    returns: (json) => toIdentity(Object(json).identity),
  });

const primary = entry({
  method: 'PUT',
  path: 'users/{contactId}/identities/{identityId}/make_primary.json',
  withoutKeys: 'again',
  returns: () => undefined,
});
