import { bearer } from '../../src/auth/index.ts';
import { createMessagingClient, type MessagingClient, type MessagingOptions } from '../../src/messaging/index.ts';
import { zendesk } from '../../src/messaging/zendesk/index.ts';
import { createFakePlatform, type FakeZendeskOptions, testCredentials } from '../../src/dev/testing/index.ts';

export interface ZendeskTest {
  /** Options of the fake account. */
  readonly fake?: Omit<FakeZendeskOptions, 'dialect'>;
  /** The options of the client; they win. */
  readonly client?: Partial<MessagingOptions>;
}

/** The fake account of Zendesk on loopback, and a client with the preset that doesn't wait between attempts. */
export const connectZendesk = async ({ fake, client }: ZendeskTest = {}) => {
  const platform = createFakePlatform({ messaging: { dialect: 'zendesk', searchDelayMs: 0, ...fake } });
  const { messaging: url } = await platform.listen();
  const clientOptions: MessagingOptions = {
    ...zendesk({ subdomain: 'acme' }),
    baseUrl: `${url}/api/v2`,
    authenticate: bearer(() => testCredentials.messaging),
    adminId: String(platform.zendesk.ownAgentId),
    backoff: { minimumMs: 0, maximumMs: 0 },
    ...client,
  };
  const another = (): MessagingClient => createMessagingClient(clientOptions);
  return {
    platform,
    account: platform.zendesk,
    url,
    clientOptions,
    messaging: another(),
    another,
    [Symbol.asyncDispose]: () => platform.close(),
  };
};

/** The same with a customer who has a ticket. */
export const connectCustomer = async (options: ZendeskTest = {}) => {
  const connected = await connectZendesk(options);
  const customer = connected.account.addUser({ name: 'Ada', phone: '(415) 555-0100', email: 'ada@example.com' });
  const ticket = connected.account.addTicket({ requester_id: customer.id, subject: 'Oven' }, { body: 'It is cold.' });
  return { ...connected, customer, ticket, contactId: String(customer.id), ticketId: String(ticket.id) };
};

/** Method and path of what was sent, in order. */
export const linesTo = ({
  platform,
}: Pick<Awaited<ReturnType<typeof connectZendesk>>, 'platform'>): readonly string[] =>
  platform.requests.map(({ method, path }) => `${method} ${decodeURIComponent(path.replaceAll('+', ' '))}`);
