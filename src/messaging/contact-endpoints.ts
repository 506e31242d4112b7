import { entry } from '../api/entry.ts';
import { readList } from '../core/envelope.ts';
import { type Reader, readNothing, readOptional } from '../core/schema.ts';
import * as check from './fields.ts';
import * as read from './readers.ts';
import type { Contact } from './records.ts';
import { search, writeSearch } from './search-query.ts';

/** The operations on contacts. What the default API doesn't name is written as Intercom does. */
export const contactEndpoints = <Attributes extends object>(contact: Reader<Contact<Attributes>>) => ({
  get: entry({ method: 'GET', path: 'contacts/{id}', absentOn404: true, returns: readOptional(contact) }),
  getByExternalId: entry({
    method: 'GET',
    path: 'contacts/find_by_external_id/{externalId}',
    absentOn404: true,
    returns: readOptional(contact),
  }),
  create: entry({ method: 'POST', path: 'contacts', takes: check.contactFields, returns: contact }),
  update: entry({
    method: 'PUT',
    path: 'contacts/{id}',
    takes: check.contactFields,
    withoutKeys: 'again',
    returns: contact,
  }),
  search: entry({
    method: 'POST',
    path: 'contacts/search',
    takes: search,
    body: writeSearch,
    effect: 'read',
    returns: readList(contact, { under: ['contacts'] }),
  }),
  merge: entry({
    method: 'POST',
    path: 'contacts/merge',
    takes: check.merge,
    body: ({ fromId, intoId }) => ({ from: fromId, into: intoId }),
    returns: contact,
  }),
  archive: entry({ method: 'POST', path: 'contacts/{id}/archive', returns: readNothing }),
  unarchive: entry({ method: 'POST', path: 'contacts/{id}/unarchive', returns: readNothing }),
  block: entry({ method: 'POST', path: 'contacts/{id}/block', returns: readNothing }),
  delete: entry({ method: 'DELETE', path: 'contacts/{id}', returns: readNothing }),
  notes: {
    list: entry({
      method: 'GET',
      path: 'contacts/{contactId}/notes',
      returns: readList(read.note, { under: ['notes'] }),
    }),
    create: entry({
      method: 'POST',
      path: 'contacts/{contactId}/notes',
      takes: check.contactNote,
      body: ({ body, adminId }) => ({ body, admin_id: adminId }),
      returns: read.note,
    }),
  },
  subscriptions: {
    list: entry({
      method: 'GET',
      path: 'contacts/{contactId}/subscriptions',
      returns: readList(read.subscriptionType, { under: ['subscription_types', 'subscriptions'] }),
    }),
    attach: entry({
      method: 'POST',
      path: 'contacts/{contactId}/subscriptions',
      takes: check.subscription,
      body: ({ subscriptionTypeId, consent }) => ({ id: subscriptionTypeId, consent_type: consent }),
      withoutKeys: 'again',
      returns: read.subscriptionType,
    }),
    detach: entry({
      method: 'DELETE',
      path: 'contacts/{contactId}/subscriptions/{subscriptionTypeId}',
      returns: readNothing,
    }),
  },
  tags: {
    attach: entry({
      method: 'POST',
      path: 'contacts/{contactId}/tags',
      takes: check.contactTag,
      body: ({ tagId, adminId }) => ({ id: tagId, admin_id: adminId }),
      withoutKeys: 'again',
      returns: read.tag,
    }),
    detach: entry({ method: 'DELETE', path: 'contacts/{contactId}/tags/{tagId}', returns: readNothing }),
    list: entry({ method: 'GET', path: 'contacts/{contactId}/tags', returns: read.tags }),
  },
});
