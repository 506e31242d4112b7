import type { EntryOverrides } from '../../api/entry.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import type { CompanyFields } from '../companies.ts';
import type { ContactFields } from '../contacts.ts';
import type { MessagingEndpoints } from '../dialect.ts';
import * as answers from './records.ts';
import { zendeskQuery } from './query.ts';
import { assertTags } from './tags.ts';

/** Contacts are end users. Source: developer.zendesk.com, Ticketing API, Users. */
export const contactEndpoints = (
  phoneFormats: (phone: string) => readonly string[],
): EntryOverrides<MessagingEndpoints['contacts']> => ({
  get: { path: 'users/{id}.json', answer: answers.userAnswer },
  getByExternalId: { path: 'users/search.json?external_id={externalId}', answer: answers.firstUserAnswer },
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
    answer: answers.userAnswer,
  },
  update: {
    path: 'users/{id}.json',
    body: (fields) => ({ user: userFields('messaging.contacts.update', fields) }),
    answer: answers.userAnswer,
  },
  search: {
    method: 'GET',
    path: 'users/search.json',
    query: ({ query, pageSize, after }) => ({
      query: zendeskQuery('messaging.contacts.search', query, phoneFormats),
      per_page: pageSize,
      page: after,
    }),
    answer: answers.usersAnswer,
  },
  delete: { path: 'users/{id}.json' },
  tags: { list: { path: 'users/{contactId}/tags.json', answer: answers.tagsAnswer } },
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

/** What makes an agent or an administrator of someone. Words of a caller must never do that. */
const powers = ['custom_role_id', 'moderator', 'restricted_agent', 'ticket_restriction'];

const userFields = (
  operation: string,
  { custom_attributes, role, owner_id, unsubscribed_from_emails, ...fields }: ContactFields,
): object => {
  if (role && !['lead', 'user', 'end-user'].includes(role))
    throw new InvalidArgumentError('role', 'must be lead or user: contacts are end users of Zendesk', { operation });
  const power = powers.find((name) => fields[name] !== undefined);
  if (power !== undefined) throw new InvalidArgumentError(power, 'is not for contacts', { operation });
  assertTags(operation, fields['tags']);
  if (owner_id !== undefined)
    throw new InvalidArgumentError('owner_id', 'is not known to Zendesk: assign the ticket instead', { operation });
  if (unsubscribed_from_emails !== undefined)
    throw new InvalidArgumentError('unsubscribed_from_emails', 'is not known to Zendesk: use a custom attribute', {
      operation,
    });
  return withoutUndefined({ ...fields, role: role ? 'end-user' : undefined, user_fields: custom_attributes });
};

/** Companies are organizations. */
export const companyEndpoints: EntryOverrides<MessagingEndpoints['companies']> = {
  get: { path: 'organizations/{id}.json', answer: answers.organizationAnswer },
  create: {
    path: 'organizations.json',
    body: (fields) => ({ organization: organizationFields('messaging.companies.create', fields) }),
    // Names are unique: a second request is refused.
    repeat: () => 'again',
    answer: answers.organizationAnswer,
  },
  update: {
    path: 'organizations/{id}.json',
    body: (fields) => ({ organization: organizationFields('messaging.companies.update', fields) }),
    answer: answers.organizationAnswer,
  },
  find: {
    path: 'organizations/search.json',
    query: ({ name, companyId }) => ({ name, external_id: companyId }),
    answer: (answer) => Object(answers.organizationsAnswer(answer)).data?.[0] ?? null,
  },
  list: {
    path: 'organizations.json',
    query: ({ page, pageSize }) => ({ page, per_page: pageSize }),
    answer: answers.organizationsAnswer,
  },
  listForContact: { path: 'users/{contactId}/organizations.json', answer: answers.organizationsAnswer },
};

const organizationFields = (operation: string, fields: CompanyFields): object => {
  const { company_id, custom_attributes, ...others } = fields;
  const unknown = (['plan', 'monthly_spend', 'size', 'website', 'industry'] as const).find(
    (name) => others[name] !== undefined,
  );
  if (unknown)
    throw new InvalidArgumentError(unknown, 'is not known to Zendesk: use a custom attribute', { operation });
  assertTags(operation, others['tags']);
  return withoutUndefined({ ...others, external_id: company_id, organization_fields: custom_attributes });
};
