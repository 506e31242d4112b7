import { entry } from '../api/entry.ts';
import { readList } from '../core/envelope.ts';
import { type Reader, readOptional } from '../core/schema.ts';
import { articleEndpoints } from './articles.ts';
import { companyEndpoints } from './company-endpoints.ts';
import { contactEndpoints } from './contact-endpoints.ts';
import { conversationEndpoints } from './conversation-endpoints.ts';
import { dataEventEndpoints } from './data-events.ts';
import * as check from './fields.ts';
import { officeHoursEndpoints } from './office-hours.ts';
import * as read from './readers.ts';
import type { Company, Contact, Conversation } from './records.ts';
import { ticketEndpoints } from './ticket-endpoints.ts';

/** The operations of the messaging platform, by resource. */
export type MessagingEndpoints<Contacts extends object = object, Companies extends object = object> = ReturnType<
  typeof messagingEndpoints<Contacts, Companies>
>;

/** How one client reads records and writes texts. */
export interface MessagingWords<Contacts extends object, Companies extends object> {
  readonly contact: Reader<Contact<Contacts>>;
  readonly company: Reader<Company<Companies>>;
  readonly conversation: Reader<Conversation>;
  /** The words of a body as the API returns it. */
  readonly readBody: (body: string) => string;
  /** A plain text as customers read it. */
  readonly writeText: (text: string) => string;
}

/**
 * As the default API writes them. What it names without an endpoint (tags of contacts, teams, closing, company
 * context, admins) is written as Intercom does. A dialect overrides entries.
 */
export const messagingEndpoints = <Contacts extends object, Companies extends object>({
  contact,
  company,
  conversation,
  readBody,
  writeText,
}: MessagingWords<Contacts, Companies>) => {
  const { convertConversation, ...tickets } = ticketEndpoints({ readBody, writeText });
  return {
    contacts: contactEndpoints(contact),
    conversations: {
      ...conversationEndpoints({ conversation, writeText }),
      convertToTicket: convertConversation,
    },
    companies: companyEndpoints(company),
    admins: {
      get: entry({ method: 'GET', path: 'admins/{id}', absentOn404: true, returns: readOptional(read.admin) }),
      list: entry({ method: 'GET', path: 'admins', returns: read.admins }),
      me: entry({ method: 'GET', path: 'me', returns: read.admin }),
      setAway: entry({
        method: 'PUT',
        path: 'admins/{id}/away',
        takes: check.awayMode,
        body: ({ away, reassign }) => ({ away_mode_enabled: away, away_mode_reassign: reassign ?? false }),
        withoutKeys: 'again',
        returns: read.admin,
      }),
    },
    teams: {
      get: entry({ method: 'GET', path: 'teams/{id}', absentOn404: true, returns: readOptional(read.team) }),
      list: entry({ method: 'GET', path: 'teams', returns: read.teams }),
    },
    tags: {
      list: entry({ method: 'GET', path: 'tags', returns: read.tags }),
      create: entry({ method: 'POST', path: 'tags', takes: check.newTag, returns: read.tag }),
    },
    subscriptionTypes: {
      list: entry({
        method: 'GET',
        path: 'subscription_types',
        returns: readList(read.subscriptionType, { under: ['subscription_types', 'subscriptions'] }),
      }),
    },
    dataEvents: dataEventEndpoints,
    articles: articleEndpoints,
    tickets,
    officeHours: officeHoursEndpoints,
  };
};
