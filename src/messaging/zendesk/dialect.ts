import type { MessagingDialect } from '../dialect.ts';
import { companyEndpoints, contactEndpoints, contactOfEmail } from './contact-endpoints.ts';
import { zendeskHttp } from './http-dialect.ts';
import { zendeskMethods } from './methods.ts';
import * as answers from './records.ts';
import { refusedByZendesk } from './refused.ts';
import { conversationEndpoints, ticketEndpoints } from './ticket-endpoints.ts';

/** Where Zendesk differs from the default API. Source: developer.zendesk.com, Ticketing API. */
export const zendeskDialect = (phoneFormats: (phone: string) => readonly string[]): Partial<MessagingDialect> => ({
  endpoints: {
    contacts: contactEndpoints(phoneFormats),
    conversations: conversationEndpoints,
    companies: companyEndpoints,
    tickets: ticketEndpoints,
    admins: {
      get: { path: 'users/{id}.json', answer: answers.adminAnswer },
      list: { path: 'users.json?role[]=agent&role[]=admin&page[size]=100', answer: answers.adminsAnswer },
      me: { path: 'users/me.json', answer: answers.adminAnswer },
    },
    teams: {
      get: { path: 'groups/{id}.json', answer: answers.groupAnswer },
      list: { path: 'groups.json?page[size]=100', answer: answers.groupsAnswer },
    },
    tags: { list: { path: 'tags.json?page[size]=100', answer: answers.tagsAnswer } },
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
