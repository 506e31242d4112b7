import { createClient } from 'node-zendesk';
import { expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { createMessagingClient, type MessagingClient } from '../../src/messaging/index.ts';
import { zendesk } from '../../src/messaging/zendesk/index.ts';
import {
  createFakePlatform,
  type FakePlatform,
  testConnectedApp,
  testCredentials,
} from '../../src/dev/testing/index.ts';

type Vendor = ReturnType<typeof createClient>;

/** Parameters that the vendor's client sends with every request, and what its addresses begin with. */
interface VendorOptions {
  readonly query?: Readonly<Record<string, string | number>>;
  readonly path?: string;
}

/** The fake account with a customer and a group, and both clients. */
const connect = async ({ pageSize = 100, searchDelayMs = 0 } = {}) => {
  const platform = createFakePlatform({
    messaging: { dialect: 'zendesk', searchDelayMs, pageSize },
    recordCredentials: true,
  });
  const { messaging: url } = await platform.listen();
  const { id: userId } = platform.zendesk.addUser({
    name: 'Ada',
    phone: '(415) 555-0100',
    email: 'ada@example.com',
    external_id: 'crm-17',
  });
  platform.zendesk.addAddress(userId, 'ada.park@example.org');
  const { id: groupId } = platform.zendesk.addGroup({ name: 'Service' });
  const { id: ticketId } = platform.zendesk.addTicket({ requester_id: userId, subject: 'Oven', tags: ['vip'] });
  const { id: fieldId } = platform.zendesk.addField('tickets', 'region');
  const { id: companyId } = platform.zendesk.addOrganization({
    name: 'Northwind',
    external_id: '77',
    organization_fields: { tier: 'gold' },
  });
  platform.zendesk.addField('users', 'plan');
  const { id: articleId } = platform.zendesk.addArticle({ title: 'Cold oven', body: '<p>Light it.</p>' });
  const { id: agentId } = platform.zendesk.addUser({ name: 'Bo', role: 'agent' });
  const baseUrl = `${url}/api/v2`;
  return {
    platform,
    ids: { userId, groupId, ticketId, fieldId, companyId, articleId, agentId },
    vendor: createClient({ oauth: true, token: testCredentials.messaging, endpointUri: baseUrl }),
    vendorWith: ({ query, path = '' }: VendorOptions): Vendor =>
      createClient({
        oauth: true,
        token: testCredentials.messaging,
        endpointUri: `${baseUrl}${path}`,
        // Its types leave out the parameters of every request, which it sends.
        ...({ query } as object),
      }),
    ours: createMessagingClient({
      ...zendesk({ subdomain: 'acme' }),
      baseUrl,
      authenticate: bearer(() => testCredentials.messaging),
      adminId: String(platform.zendesk.ownAgentId),
    }),
    [Symbol.asyncDispose]: () => platform.close(),
  };
};

type Ids = Awaited<ReturnType<typeof connect>>['ids'];

/** The same thing, said to both clients. */
interface Pair {
  readonly ours: (client: MessagingClient, ids: Ids) => Promise<unknown>;
  readonly theirs: (
    client: Vendor,
    ids: Ids,
    agentId: number,
    vendorWith: (options: VendorOptions) => Vendor,
  ) => Promise<unknown>;
}

/** What Zendesk's description shows. The types of the vendor's client want a list, which is sent as it is. */
const tags = { tags: ['vip'] } as unknown as string[];

/** Pages of 100 by a cursor, which the vendor's client doesn't ask for everywhere. */
const wholePages: VendorOptions = { query: { 'page[size]': 100 } };

const pairs: Readonly<Record<string, Pair>> = {
  'contacts.find': {
    ours: ({ contacts }) => contacts.findByEmail('ada@example.com'),
    theirs: ({ users }) => users.search({ query: 'email:"ada@example.com"' }),
  },
  'contacts.find by a number': {
    ours: ({ contacts }) => contacts.findByPhone('+14155550100'),
    theirs: ({ users }) => users.search({ query: 'phone:*4155550100' }),
  },
  'contacts.find by another address': {
    ours: ({ contacts }) => contacts.findByEmail('ada.park@example.org'),
    theirs: async ({ users }, { userId }, _agent, vendorWith) => {
      await users.search({ query: 'email:"ada.park@example.org"' });
      await vendorWith({ query: { 'type[]': 'email', 'page[size]': 100 } }).useridentities.list(userId);
    },
  },
  'contacts.get': {
    ours: ({ contacts }, { userId }) => contacts.get(String(userId)),
    theirs: ({ users }, { userId }) => users.show(userId),
  },
  'contacts.create': {
    ours: ({ contacts }) => contacts.create({ name: 'Bob', phone: '+14155550199' }),
    theirs: ({ users }) => users.create({ user: { name: 'Bob', phone: '+14155550199', skip_verify_email: true } }),
  },
  'contacts.update': {
    ours: ({ contacts }, { userId }) => contacts.update(String(userId), { custom_attributes: { plan: 'pro' } }),
    theirs: ({ users }, { userId }) => users.update(userId, { user: { user_fields: { plan: 'pro' } } }),
  },
  'contacts.tags.attach': {
    ours: ({ contacts }, { userId }) => contacts.tags.attach(String(userId), { tagId: 'vip' }),
    theirs: ({ users }, { userId }) => users.addTags(userId, tags),
  },
  'conversations.create': {
    ours: ({ conversations }, { userId }) => conversations.create({ contactId: String(userId), body: 'Summary.' }),
    theirs: ({ tickets }, { userId }) =>
      tickets.create({
        ticket: { subject: 'Phone call', requester_id: userId, comment: { html_body: 'Summary.', public: false } },
      }),
  },
  'conversations.addNote': {
    ours: ({ conversations }, { ticketId }) => conversations.addNote(String(ticketId), { body: 'Rang.' }),
    theirs: ({ tickets }, { ticketId }) =>
      tickets.update(ticketId, { ticket: { comment: { html_body: 'Rang.', public: false } } }),
  },
  'conversations.reply': {
    ours: ({ conversations }, { ticketId }) => conversations.reply(String(ticketId), { body: 'Done.' }),
    theirs: ({ tickets }, { ticketId }, author_id) =>
      tickets.update(ticketId, { ticket: { comment: { html_body: 'Done.', public: true, author_id } } }),
  },
  'conversations.assignToTeam': {
    ours: ({ conversations }, { ticketId, groupId }) =>
      conversations.assignToTeam(String(ticketId), { teamId: String(groupId) }),
    theirs: ({ tickets }, { ticketId, groupId }) =>
      tickets.update(ticketId, { ticket: { group_id: groupId, assignee_id: null } } as never),
  },
  'conversations.close': {
    ours: ({ conversations }, { ticketId }) => conversations.close(String(ticketId)),
    theirs: ({ tickets }, { ticketId }) => tickets.update(ticketId, { ticket: { status: 'solved' } } as never),
  },
  'conversations.tags.attach': {
    ours: ({ conversations }, { ticketId }) => conversations.tags.attach(String(ticketId), { tagId: 'vip' }),
    theirs: ({ tickets }, { ticketId }) => tickets.addTags(ticketId, tags),
  },
  'teams.list': {
    ours: ({ teams }) => teams.list(),
    theirs: ({ groups }) => groups.list(),
  },
  'admins.me': {
    ours: ({ admins }) => admins.me(),
    theirs: ({ users }) => users.me(),
  },
  'companies.listForContact': {
    ours: ({ companies }, { userId }) => companies.listForContact(String(userId)),
    theirs: (_, { userId }, _agent, vendorWith) => vendorWith(wholePages).organizations.listByUser(userId),
  },
  'companies.create': {
    ours: ({ companies }) => companies.create({ name: 'Acme', custom_attributes: { tier: 'gold' } }),
    theirs: ({ organizations }) =>
      organizations.create({ organization: { name: 'Acme', organization_fields: { tier: 'gold' } } }),
  },
  'companies.create with an id of your own': {
    ours: ({ companies }) => companies.create({ name: 'Northwind', company_id: '77' }),
    theirs: ({ organizations }) =>
      organizations.createOrUpdate({ organization: { name: 'Northwind', external_id: '77' } }),
  },
  'companies.find': {
    ours: ({ companies }) => companies.find({ companyId: '77' }),
    theirs: ({ organizations }) => organizations.search(77),
  },
  'companies.update': {
    ours: ({ companies }, { companyId }) => companies.update(String(companyId), { name: 'Northwind Ltd' }),
    theirs: ({ organizations }, { companyId }) =>
      organizations.update(companyId, { organization: { name: 'Northwind Ltd' } }),
  },
  'tickets.create': {
    ours: ({ tickets }, { userId, fieldId }) =>
      tickets.create({
        ticketTypeId: 'incident',
        contactId: String(userId),
        title: 'The door is stuck',
        attributes: { [fieldId]: 'north' },
      }),
    theirs: ({ tickets }, { userId, fieldId }) =>
      tickets.create({
        ticket: {
          type: 'incident',
          subject: 'The door is stuck',
          comment: { html_body: 'The door is stuck', public: true },
          requester_id: userId,
          custom_fields: [{ id: fieldId, value: 'north' }],
        },
      } as never),
  },
  'conversations.search': {
    ours: ({ conversations }, { userId }) => conversations.search({ field: 'requester', operator: '=', value: userId }),
    theirs: (_, { userId }, _agent, vendorWith) =>
      vendorWith({ query: { sort_by: 'created_at', sort_order: 'desc' } }).search.query(
        `type:ticket requester:${userId}`,
      ),
  },
  'conversations.get': {
    ours: ({ conversations }, { ticketId }) => conversations.get(String(ticketId)),
    theirs: async ({ tickets }, { ticketId }, _, vendorWith) => {
      await vendorWith({ query: { sort_order: 'desc', per_page: 100 } }).tickets.getComments(ticketId);
      await tickets.show(ticketId);
    },
  },
  'admins.list': {
    ours: ({ admins }) => admins.list(),
    // It can't ask for agents and administrators in one request: the second role is compared.
    theirs: ({ users }) => users.listWithFilter('role[]', 'admin'),
  },
  'tags.list': {
    ours: (client) => client.tags.list(),
    theirs: (client) => client.tags.list(),
  },
  'articles.search': {
    ours: ({ articles }) => articles.search({ phrase: 'oven' }),
    theirs: (_client, _ids, _agent, vendorWith) =>
      vendorWith({ path: '/help_center' }).helpcenter.search.searchArticles('oven'),
  },
  'contacts.create with an id of your own that is taken': {
    ours: ({ contacts }) => contacts.create({ external_id: 'crm-17', name: 'Bob' }),
    theirs: async ({ users }) => {
      const user = { external_id: 'crm-17', name: 'Bob', skip_verify_email: true };
      await users.create({ user }).catch(() => undefined);
      await users.search({ external_id: 'crm-17' });
    },
  },
  'contacts.update of an address': {
    ours: ({ contacts }, { userId }) => contacts.update(String(userId), { email: 'new@example.com' }),
    theirs: async ({ useridentities, users }, { userId }, _agent, vendorWith) => {
      await vendorWith({ query: { 'type[]': 'email', 'page[size]': 100 } }).useridentities.list(userId);
      const identity = { type: 'email', value: 'new@example.com', skip_verify_email: true };
      const { result } = await useridentities.create(userId, { identity });
      await useridentities.makePrimary(userId, Number(Object(result).id));
      await users.show(userId);
    },
  },
  'contacts.tags.list': {
    ours: ({ contacts }, { userId }) => contacts.tags.list(String(userId)),
    theirs: ({ users }, { userId }) => users.listTags(userId),
  },
  'conversations.reopen': {
    ours: ({ conversations }, { ticketId }) => conversations.reopen(String(ticketId)),
    theirs: ({ tickets }, { ticketId }) => tickets.update(ticketId, { ticket: { status: 'open' } } as never),
  },
  'conversations.assignToAdmin': {
    ours: ({ conversations }, { ticketId, agentId }) =>
      conversations.assignToAdmin(String(ticketId), { toAdminId: String(agentId) }),
    theirs: ({ tickets }, { ticketId, agentId }) =>
      tickets.update(ticketId, { ticket: { assignee_id: agentId } } as never),
  },
  'conversations.unassign': {
    ours: ({ conversations }, { ticketId }) => conversations.unassign(String(ticketId)),
    theirs: ({ tickets }, { ticketId }) =>
      tickets.update(ticketId, { ticket: { assignee_id: null, group_id: null } } as never),
  },
  'conversations.update': {
    ours: ({ conversations }, { ticketId, fieldId, companyId }) =>
      conversations.update(String(ticketId), {
        status: 'pending',
        title: 'Cold oven',
        company_id: String(companyId),
        custom_attributes: { [fieldId]: 'north' },
      }),
    theirs: ({ tickets }, { ticketId, fieldId, companyId }) =>
      tickets.update(ticketId, {
        ticket: {
          status: 'pending',
          subject: 'Cold oven',
          organization_id: companyId,
          custom_fields: [{ id: fieldId, value: 'north' }],
        },
      } as never),
  },
  'conversations.close with words': {
    ours: ({ conversations }, { ticketId }) => conversations.close(String(ticketId), { body: 'Solved.' }),
    theirs: ({ tickets }, { ticketId }, author_id) =>
      tickets.update(ticketId, {
        ticket: { status: 'solved', comment: { html_body: 'Solved.', public: true, author_id } },
      } as never),
  },
  'tickets.get': {
    ours: ({ tickets }, { ticketId }) => tickets.get(String(ticketId)),
    theirs: async ({ tickets }, { ticketId }, _, vendorWith) => {
      await vendorWith({ query: { sort_order: 'desc', per_page: 100 } }).tickets.getComments(ticketId);
      await tickets.show(ticketId);
    },
  },
  'tickets.update': {
    ours: ({ tickets }, { ticketId, agentId }) =>
      tickets.update(String(ticketId), { title: 'Door', stateId: 'hold', assigneeId: String(agentId) }),
    theirs: ({ tickets }, { ticketId, agentId }) =>
      tickets.update(ticketId, { ticket: { subject: 'Door', status: 'hold', assignee_id: agentId } } as never),
  },
  'tickets.search': {
    ours: ({ tickets }, { userId }) => tickets.search({ field: 'requester', operator: '=', value: userId }),
    theirs: (_, { userId }, _agent, vendorWith) =>
      vendorWith({ query: { sort_by: 'created_at', sort_order: 'desc' } }).search.query(
        `type:ticket requester:${userId}`,
      ),
  },
  'tickets.reply': {
    ours: ({ tickets }, { ticketId }) => tickets.reply(String(ticketId), { body: 'Done.' }),
    theirs: ({ tickets }, { ticketId }, author_id) =>
      tickets.update(ticketId, { ticket: { comment: { html_body: 'Done.', public: true, author_id } } }),
  },
  'tickets.addNote': {
    ours: ({ tickets }, { ticketId }) => tickets.addNote(String(ticketId), { body: 'Rang.' }),
    theirs: ({ tickets }, { ticketId }) =>
      tickets.update(ticketId, { ticket: { comment: { html_body: 'Rang.', public: false } } }),
  },
  'admins.get': {
    ours: ({ admins }, { agentId }) => admins.get(String(agentId)),
    theirs: ({ users }, { agentId }) => users.show(agentId),
  },
  'teams.get': {
    ours: ({ teams }, { groupId }) => teams.get(String(groupId)),
    theirs: ({ groups }, { groupId }) => groups.show(groupId),
  },
  'companies.get': {
    ours: ({ companies }, { companyId }) => companies.get(String(companyId)),
    theirs: ({ organizations }, { companyId }) => organizations.show(companyId),
  },
  'articles.get': {
    ours: ({ articles }, { articleId }) => articles.get(String(articleId)),
    theirs: (_client, { articleId }, _agent, vendorWith) =>
      vendorWith({ path: '/help_center' }).helpcenter.articles.show(articleId),
  },
  'contacts.delete': {
    ours: ({ contacts }, { userId }) => contacts.delete(String(userId)),
    theirs: ({ users }, { userId }) => users.delete(userId),
  },
};

/** What both have to agree on: method, path, query, headers, body, and that the account takes it. */
const sentTo = ({ requests }: Pick<FakePlatform, 'requests'>) =>
  requests.map(({ method, path, headers, body, status }) => {
    const { pathname, searchParams } = new URL(path, 'http://zendesk');
    return {
      method,
      pathname,
      query: Object.fromEntries(searchParams),
      accept: headers['accept'],
      authorization: headers['authorization'],
      // The vendor's client names a type for requests without a body too.
      type: body === undefined ? undefined : headers['content-type'],
      body,
      status,
    };
  });

test.each(Object.entries(pairs))('%s sends what node-zendesk sends', async (_, { ours, theirs }) => {
  await using one = await connect();
  await using other = await connect();

  await ours(one.ours, one.ids);
  await theirs(other.vendor, other.ids, other.platform.zendesk.ownAgentId, other.vendorWith);

  expect(sentTo(one.platform)).toEqual(sentTo(other.platform));
  expect(one.platform.requests.map(({ status }) => status)).not.toContain(404);
});

test('a user of a known address is asked for as node-zendesk does', async () => {
  await using one = await connect({ searchDelayMs: 60_000 });
  await using other = await connect();
  const { email } = one.platform.zendesk.addUser({ name: 'Bob', email: 'bob@example.com', created_at: now() });
  other.platform.zendesk.addUser({ name: 'Bob', email: 'bob@example.com' });

  await one.ours.contacts.create({ email });
  await other.vendor.users.createOrUpdate({ user: { email } } as never);

  expect(sentTo(one.platform).at(-1)).toEqual(sentTo(other.platform).at(-1));
  expect(one.platform.requests.map(({ status }) => status)).toEqual([422, 200, 200]);
});

/** A user of now is one that no search knows. */
const now = () => new Date().toISOString();

test('node-zendesk reads what our client wrote, and the other way round', async () => {
  await using account = await connect();
  const { ours, vendor, ids, platform } = account;
  const { id } = await ours.conversations.create({ contactId: String(ids.userId), body: 'Summary.' });
  await vendor.tickets.update(Number(id), { ticket: { comment: { body: 'Written by a colleague.', public: false } } });
  await ours.conversations.reply(id, { body: 'We call back.' });

  const comments = await vendor.tickets.getComments(Number(id));
  const read = await ours.conversations.get(id);
  const { result: found } = await vendor.search.query(`type:ticket requester:${ids.userId}`);

  expect(comments.map(({ body, public: isPublic }) => [body, isPublic])).toEqual([
    ['Summary.', false],
    ['Written by a colleague.', false],
    ['We call back.', true],
  ]);
  expect(read?.notes?.map(({ body }) => body)).toEqual(['Summary.', 'Written by a colleague.']);
  expect(found).toHaveLength(2);
  expect(platform.requests.every(({ status }) => status === 200 || status === 201)).toBe(true);
});

test('node-zendesk understands what the account refuses', async () => {
  await using account = await connect();
  const { vendor, ids, platform } = account;
  platform.zendesk.changeTicket(ids.ticketId, { status: 'closed' });

  await expect(vendor.users.create({ user: { name: 'Eve', email: 'ada@example.com' } })).rejects.toThrow(/422|already/);
  await expect(vendor.tickets.show(17)).rejects.toThrow(/404|not found/i);
  await expect(
    vendor.tickets.update(ids.ticketId, { ticket: { comment: { body: 'x', public: true } } }),
  ).rejects.toThrow(/422|closed/i);
});

test('tags to remove go into the body, which node-zendesk leaves out', async () => {
  await using account = await connect();
  const { ours, vendor, ids, platform } = account;

  await expect(vendor.users.removeTags(ids.userId, tags)).rejects.toThrow(/400/);
  await ours.conversations.tags.detach(String(ids.ticketId), { tagId: 'vip' });

  expect(platform.requests.at(-1)).toMatchObject({ method: 'DELETE', body: { tags: ['vip'] }, status: 200 });
  expect(platform.zendesk.tickets[0]?.tags).toEqual([]);
});

test('node-zendesk follows the pages of the account', async () => {
  await using account = await connect({ pageSize: 2 });
  const { vendor, platform, ids } = account;
  for (const name of ['Billing', 'Sales', 'Repair', 'Night']) platform.zendesk.addGroup({ name });
  for (const subject of ['Door', 'Lamp']) platform.zendesk.addTicket({ requester_id: ids.userId, subject });

  expect((await vendor.groups.list()).map(({ name }) => name)).toEqual([
    'Service',
    'Billing',
    'Sales',
    'Repair',
    'Night',
  ]);
});

test('the agents of a group are asked for as node-zendesk does', async () => {
  await using one = await connect();
  await using other = await connect();

  await one.ours.teams.listMembers(String(one.ids.groupId));
  await other.vendorWith(wholePages).users.listByGroup(other.ids.groupId);

  // Its client has no availability of agents.
  expect(sentTo(one.platform).filter(({ pathname }) => pathname.includes('groups'))).toEqual(sentTo(other.platform));
});

test('node-zendesk works with a token of the account, and with an address that our client has made the primary one', async () => {
  await using account = await connect();
  const { platform, vendor, ids } = account;
  const { messaging: url } = await platform.listen();
  const { clientId: client_id, clientSecret: client_secret } = testConnectedApp;
  const answer = await fetch(`${url}/oauth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'client_credentials', client_id, client_secret, scope: 'read write' }),
  });
  const { access_token: token } = Object(await answer.json()) as { readonly access_token: string };
  const withToken = createClient({ oauth: true, token, endpointUri: `${url}/api/v2` });

  await account.ours.contacts.update(String(ids.userId), { email: 'new@example.com' });

  expect(await withToken.users.search({ query: 'email:"ada@example.com"' })).toMatchObject([{ id: ids.userId }]);
  expect((await vendor.users.show(ids.userId)).result).toMatchObject({ email: 'new@example.com' });
  expect(await vendor.useridentities.list(ids.userId)).toMatchObject([
    { value: 'new@example.com', primary: true },
    { value: 'ada.park@example.org', primary: false },
    { value: 'ada@example.com', primary: false },
  ]);
});
