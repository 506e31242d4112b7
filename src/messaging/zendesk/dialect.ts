import type { MessagingDialect } from '../dialect.ts';
import { companyEndpoints, contactEndpoints, contactOfEmail } from './contact-endpoints.ts';
import { zendeskHttp } from './http-dialect.ts';
import { zendeskMethods } from './methods.ts';
import { holidaysAnswer, scheduleAnswer, schedulesAnswer } from './office-hours.ts';
import * as answers from './records.ts';
import { conversationEndpoints, problemOfSetting, ticketEndpoints } from './ticket-endpoints.ts';

/** Where Zendesk differs from the default API. Source: developer.zendesk.com, Ticketing API. */
export const zendeskDialect = (phoneFormats: (phone: string) => readonly string[]): Partial<MessagingDialect> => ({
  endpoints: {
    contacts: contactEndpoints(phoneFormats),
    conversations: conversationEndpoints,
    companies: companyEndpoints,
    tickets: ticketEndpoints,
    admins: {
      get: { path: 'users/{id}.json', answer: answers.adminAnswer },
      list: { path: 'users.json?role[]=agent&role[]=admin', answer: answers.adminsAnswer },
      me: { path: 'users/me.json', answer: answers.adminAnswer },
    },
    teams: {
      get: { path: 'groups/{id}.json', answer: answers.groupAnswer },
      list: { path: 'groups.json', answer: answers.groupsAnswer },
    },
    tags: { list: { path: 'tags.json', answer: answers.tagsAnswer } },
    officeHours: {
      list: { path: 'business_hours/schedules.json', answer: schedulesAnswer },
      get: { path: 'business_hours/schedules/{id}.json', answer: scheduleAnswer },
      listExceptions: { path: 'business_hours/schedules/{id}/holidays.json', answer: holidaysAnswer },
    },
    articles: {
      get: { path: 'help_center/articles/{id}.json', answer: answers.articleAnswer },
      search: {
        path: 'help_center/articles/search.json',
        query: ({ phrase, helpCenterId }) => ({ query: phrase, brand_id: helpCenterId }),
        answer: answers.articlesAnswer,
      },
    },
  },
  methods: zendeskMethods,
  refuses: refusedByZendesk,
  settingProblem: problemOfSetting,
  nextPage,
  phoneFormats,
  findsByExternalId: true,
  // "It can take up to a few minutes" until a search knows a record.
  searchDelayMs: 10 * 60_000,
  conflictGivesContact: true,
  contactOfEmail,
  isConflict: ({ status, problems }) => status === 422 && problems.some(({ code }) => code === 'DuplicateValue'),
  http: zendeskHttp,
});

/** The number of the next page, which is in the address that leads to it. */
const nextPage = (answer: unknown): string | undefined => {
  const { next_page: next } = Object(answer) as { readonly next_page?: unknown };
  if (typeof next !== 'string' || !URL.canParse(next)) return undefined;
  return new URL(next).searchParams.get('page') ?? undefined;
};

/** What Zendesk can't do, and what to use. */
const refusedByZendesk: Readonly<Record<string, string>> = {
  'messaging.contacts.merge': 'merge users in the Admin Center, or use request with users/{id}/merge',
  'messaging.contacts.archive': 'use contacts.delete, which Zendesk keeps as a deleted user',
  'messaging.contacts.unarchive': 'a deleted user can be restored by Zendesk only',
  'messaging.contacts.block': 'suspend the user with contacts.update(id, { suspended: true })',
  'messaging.contacts.notes': 'use conversations.addNote, or contacts.update(id, { details })',
  'messaging.contacts.subscriptions': 'keep consent in a custom attribute of the contact',
  'messaging.subscriptionTypes': 'keep consent in a custom attribute of the contact',
  'messaging.conversations.snooze': "use conversations.update(id, { status: 'hold' })",
  'messaging.conversations.convertToTicket': 'a conversation is a ticket already',
  'messaging.companies.attach': 'use contacts.update(id, { organization_id })',
  'messaging.companies.detach': 'use contacts.update(id, { organization_id: null })',
  'messaging.admins.setAway': 'an agent sets their own status in Zendesk',
  'messaging.tickets.types': 'ticketTypeId is problem, incident, question, task or the id of a ticket form',
  'messaging.tickets.states': 'stateId is new, open, pending, hold or solved',
  'messaging.dataEvents': 'keep what happened in a custom attribute or in a note',
};
