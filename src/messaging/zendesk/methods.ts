import { type Entry, entry, toOperation } from '../../api/entry.ts';
import { id } from '../../core/arguments.ts';
import type { RequestOptions } from '../../http/operation.ts';
import { checkArgument, type RecordList } from '../../core/schema.ts';
import type { MessagingContext, MessagingMethods } from '../dialect.ts';
import { newTag, tagByAdmin } from '../tags.ts';
import { withComments } from './comments.ts';
import { identityMethods } from './identities.ts';
import { listMembers } from './members.ts';
import { readWholeList } from './pages.ts';
import { assertTags, attachedTag } from './tags.ts';

/** The operations that take another number of requests than one: a ticket and its comments, tags that need no making. */
export const zendeskMethods = (context: MessagingContext): MessagingMethods => {
  const { http, endpoints, shareDeadline } = context;
  /** To its end: Zendesk gives at most 100 records at a time. */
  const wholeList =
    <T>(operation: string, list: Entry<string, undefined, RecordList<T>>) =>
    (call?: RequestOptions): Promise<RecordList<T>> =>
      readWholeList(http, operation, list, { call: shareDeadline(call) });

  const tag = (path: string) => ({
    attach: async (operation: string, recordId: string, given: { readonly tagId: string }, call?: RequestOptions) => {
      assertTags(operation, Object(given).tagId, 'tagId');
      const tags = entry({
        method: 'PUT',
        path,
        takes: tagByAdmin,
        body: ({ tagId }) => ({ tags: [tagId] }),
        withoutKeys: 'again',
        returns: attachedTag(given.tagId),
      });
      return http.request(toOperation(operation, tags, [recordId, { adminId: unused, ...given }]), call);
    },
    detach: async (operation: string, recordId: string, tagId: string, call?: RequestOptions) => {
      const tags = [checkArgument(operation, id, tagId, 'tagId')];
      const removal = entry({
        method: 'DELETE',
        path,
        body: () => ({ tags }),
        withoutKeys: 'again',
        returns: () => undefined,
      });
      return http.request(toOperation(operation, removal, [recordId]), call);
    },
  });
  const ofUser = tag('users/{id}/tags.json');
  const ofTicket = tag('tickets/{id}/tags.json');

  return {
    admins: { list: wholeList('messaging.admins.list', endpoints.admins.list) },
    teams: {
      list: wholeList('messaging.teams.list', endpoints.teams.list),
      listMembers: (groupId, call) => listMembers(http, groupId, shareDeadline(call)),
    },
    companies: {
      listForContact: async (contactId, call) =>
        readWholeList(http, 'messaging.companies.listForContact', endpoints.companies.listForContact, {
          ids: [contactId],
          call: shareDeadline(call),
        }),
      // Zendesk refuses a second organization of a name, but updates the one with this external id.
      create: async (fields, call) => {
        const { create } = endpoints.companies;
        const path = Object(fields).company_id ? 'organizations/create_or_update.json' : create.path;
        return http.request(toOperation('messaging.companies.create', { ...create, path }, [fields]), call);
      },
    },
    contacts: {
      ...identityMethods(context),
      tags: {
        attach: (contactId, given, call) => ofUser.attach('messaging.contacts.tags.attach', contactId, given, call),
        detach: (contactId, tagId, call) => ofUser.detach('messaging.contacts.tags.detach', contactId, tagId, call),
      },
    },
    conversations: {
      get: withComments(context, 'messaging.conversations.get', { ...endpoints.conversations.get, parts: 'parts' }),
      tags: {
        attach: (ticketId, given, call) =>
          ofTicket.attach('messaging.conversations.tags.attach', ticketId, given, call),
        detach: (ticketId, tagId, _by, call) =>
          ofTicket.detach('messaging.conversations.tags.detach', ticketId, tagId, call),
      },
    },
    tickets: {
      get: withComments(context, 'messaging.tickets.get', { ...endpoints.tickets.get, parts: 'ticket_parts' }),
    },
    tags: {
      list: wholeList('messaging.tags.list', endpoints.tags.list),
      // A tag is a word: it's there as soon as something has it.
      create: async (given) => {
        const { name } = checkArgument('messaging.tags.create', newTag, given);
        assertTags('messaging.tags.create', name, 'name');
        return { id: name, name };
      },
    },
  };
};

/** Who tags isn't said to Zendesk. */
const unused = '0';
