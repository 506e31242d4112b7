import { afterAll, beforeEach, expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import type { Middleware } from '../../src/http/request.ts';
import { createMessagingClient } from '../../src/messaging/index.ts';
import { intercom } from '../../src/messaging/intercom/index.ts';
import { createFakePlatform, testCredentials } from '../../src/dev/testing/index.ts';
import { startIntercomMock } from './intercom-mock.ts';
import {
  adminId,
  articleId,
  companyId,
  contactId,
  conversationId,
  rows,
  scheduleId,
  tagId,
  teamId,
  ticketId,
  ticketTypeId,
} from './intercom-rows.ts';

const platform = createFakePlatform({ messaging: 'intercom' });
const { messaging: upstream } = await platform.listen();
const mock = await startIntercomMock({ upstream });
afterAll(async () => {
  await mock[Symbol.asyncDispose]();
  await platform.close();
});

const { messaging } = platform;
messaging.addAdmin({ id: adminId, name: 'Voice Agent' });
messaging.addTeam({ id: teamId, name: 'Support', admin_ids: [adminId] });
messaging.addTag({ id: tagId, name: 'Rang' });
messaging.addCompany({ id: companyId, name: 'Engines' });
messaging.addSubscriptionType({ id: '108' });
messaging.addConversation({ id: conversationId, contact_id: contactId, tag_ids: [tagId] });
messaging.addArticle({ id: articleId, title: 'A stuck door', body: '<p>Push.</p>', help_center_id: '123' });
messaging.addTicketType({ id: ticketTypeId, attributes: ['floor', 'urgent', 'building'] });
messaging.addTicket({ id: ticketId, ticket_type_id: ticketTypeId, contact_id: contactId });
messaging.addOfficeHours({
  id: scheduleId,
  time_intervals: [{ start_minute: 540, end_minute: 1020 }],
  exceptions: [
    {
      id: '456',
      name: 'Midsummer',
      exception_date: '2026-06-20',
      exception_type: 'closed',
      time_intervals: null,
      recurring_annually: true,
    },
  ],
});

beforeEach(() => {
  messaging.addContact({ id: contactId, role: 'user', name: 'Ada', company_ids: [companyId], tag_ids: [tagId] });
  messaging.addContact({ id: '667d61cc8a68186f43bafe80', role: 'lead' });
  for (const id of ['123', '6762f14a1bb69f9f2193bbb3', '6762f3061bb69f9f2193bc5b'])
    messaging.addContact({ id, role: 'user' });
  messaging.addCompany({ id: 'named', name: 'my company' });
});

/** What Prism says of one answer, and of the request for it. */
interface Violation {
  readonly location: readonly string[];
  readonly code: string;
  readonly message: string;
}

test.each(Object.entries(rows))('%s: the fake platform answers as Intercom’s description says', async (_, { call }) => {
  const problems: unknown[] = [];
  const look: Middleware = async (request, next) => {
    const response = await next(request);
    const violations = JSON.parse(response.headers.get('sl-violations') ?? '[]') as readonly Violation[];
    const answer = JSON.parse(response.text || 'null') as unknown;
    problems.push(...violations.filter((violation) => !isForgiven(violation, answer)));
    return response;
  };
  await using client = createMessagingClient({
    ...intercom(),
    adminId,
    baseUrl: mock.baseUrl,
    authenticate: bearer(() => testCredentials.messaging),
    middleware: { perAttempt: [look] },
  });

  await call(client);

  expect(problems).toEqual([]);
});

/**
 * The fake gives null for what was not entered, which the description forbids for some fields, so that clients are
 * ready for it. The description asks for a URI where its own examples have a word.
 */
const isForgiven = ({ location: [where, , ...path], code }: Violation, answer: unknown): boolean => {
  if (where !== 'response') return false;
  const value = path.reduce<unknown>(
    (inner, name) => (inner as Readonly<Record<string, unknown>> | null)?.[name],
    answer,
  );
  return (code === 'type' && value === null) || (code === 'format' && typeof value === 'string');
};
