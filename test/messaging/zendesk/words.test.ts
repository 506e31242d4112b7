import { describe, expect, test } from 'vitest';
import { connectCustomer, connectZendesk } from '../../support/connected-zendesk.ts';

/** What Zendesk would make a link, a list, a heading or a picture of, were it read as Markdown or as HTML. */
const said = '# 5 * 3 < 20\n- [pay here](https://x.example)\n<img src=x> **now** & "later" a_b_c';
const escaped =
  '# 5 * 3 &lt; 20<br>- [pay here](https://x.example)<br>&lt;img src=x&gt; **now** &amp; &quot;later&quot; a_b_c';

describe('what was said is no markup', () => {
  test.each<[string, (connected: Awaited<ReturnType<typeof connectCustomer>>) => Promise<unknown>]>([
    ['a note', ({ messaging, ticketId }) => messaging.conversations.addNote(ticketId, { body: said })],
    ['a reply', ({ messaging, ticketId }) => messaging.conversations.reply(ticketId, { body: said })],
    ['closing words', ({ messaging, ticketId }) => messaging.conversations.close(ticketId, { body: said })],
    ['a note on a ticket', ({ messaging, ticketId }) => messaging.tickets.addNote(ticketId, { body: said })],
    ['a reply on a ticket', ({ messaging, ticketId }) => messaging.tickets.reply(ticketId, { body: said })],
    ['a conversation', ({ messaging, contactId }) => messaging.conversations.create({ contactId, body: said })],
    [
      'a ticket',
      ({ messaging, contactId }) => messaging.tickets.create({ ticketTypeId: 'task', contactId, description: said }),
    ],
  ])('in %s', async (_, write) => {
    await using connected = await connectCustomer();

    await write(connected);

    const [{ body }] = connected.platform.requests as unknown as readonly [{ body: { ticket: { comment: object } } }];
    expect(body.ticket.comment).toMatchObject({ html_body: escaped });
    expect(body.ticket.comment).not.toHaveProperty('body');
    const comments = connected.account.tickets.flatMap((ticket) => ticket.comments.map((comment) => comment.body));
    expect(comments).toContain(said);
  });

  test.each([
    [{ body: 'Hello', plain_body: '' }, 'Hello'],
    [{ body: 'Hello' }, 'Hello'],
    [{ body: 'Hello', plain_body: null }, 'Hello'],
    [{ body: '**Tom** & Ann', plain_body: 'Tom &amp; Ann' }, 'Tom & Ann'],
    [{ body: 'x', plain_body: 'a&nbsp;b &lt;3 &#39;c&#39;' }, "a b <3 'c'"],
    [{ body: 'x', plain_body: '&amp;lt;' }, '&lt;'],
  ])('and %j is read as it was meant', async (comment, body) => {
    await using connected = await connectCustomer();
    const { messaging, ticketId, platform } = connected;
    platform.fault('messaging.conversations.get', [
      {
        status: 200,
        body: { comments: [{ id: 1, public: true, author_id: 7, created_at: '2026-11-27', ...comment }] },
      },
    ]);

    const parts = (await messaging.conversations.get(ticketId))?.parts;

    expect(parts?.map((part) => part.body)).toEqual([body]);
  });
});

test('what a search of articles marks is no markup', async () => {
  await using connected = await connectZendesk();
  connected.platform.fault('messaging.articles.search', [
    {
      status: 200,
      body: {
        results: [{ id: 1, title: 'Cold oven', body: '<p>Light it.</p>', snippet: 'the <em>oven</em> &amp; more' }],
      },
    },
  ]);

  const { data } = await connected.messaging.articles.search({ phrase: 'oven' });

  expect(data).toMatchObject([{ body: 'Light it.', snippet: 'the oven & more' }]);
});

describe('a tag that Zendesk would split', () => {
  test.each<[string, string, (connected: Awaited<ReturnType<typeof connectCustomer>>) => Promise<unknown>]>([
    [
      'of a ticket',
      'tagId',
      ({ messaging, ticketId }) => messaging.conversations.tags.attach(ticketId, { tagId: 'nice person' }),
    ],
    [
      'of a user',
      'tagId',
      ({ messaging, contactId }) => messaging.contacts.tags.attach(contactId, { tagId: 'nice,person' }),
    ],
    [
      'with a line break',
      'tagId',
      ({ messaging, contactId }) => messaging.contacts.tags.attach(contactId, { tagId: 'a\nb' }),
    ],
    [
      'with a fixed space',
      'tagId',
      ({ messaging, contactId }) => messaging.contacts.tags.attach(contactId, { tagId: 'a\u00a0b' }),
    ],
    ['that is made', 'name', ({ messaging }) => messaging.tags.create({ name: 'nice person' })],
    ['of a new user', 'tags', ({ messaging }) => messaging.contacts.create({ name: 'Bob', tags: ['nice person'] })],
    [
      'of a changed ticket',
      'tags',
      ({ messaging, ticketId }) => messaging.conversations.update(ticketId, { tags: ['a b'] }),
    ],
    ['of a company', 'tags', ({ messaging }) => messaging.companies.create({ name: 'Acme', tags: ['a b'] })],
  ])('is refused: %s', async (_, field, write) => {
    await using connected = await connectCustomer();

    await expect(write(connected)).rejects.toMatchObject({
      code: 'invalid_argument',
      field,
      message: expect.stringMatching(/use (nice_person|a_b)$/),
    });
    expect(connected.platform.requests).toEqual([]);
  });

  test('is one of several for the fake account', async () => {
    await using connected = await connectCustomer();
    const { messaging, ticketId, account } = connected;

    await messaging.request({
      operation: 'messaging.raw',
      returns: (json) => json,
      method: 'PUT',
      path: `tickets/${ticketId}/tags.json`,
      body: { tags: ['nice person'] },
    });

    expect(account.tickets[0]?.tags).toEqual(['nice', 'person']);
  });

  test('a tag is as the record has it', async () => {
    await using connected = await connectCustomer();
    const { messaging, ticketId, platform } = connected;
    platform.fault('messaging.conversations.tags.attach', [{ status: 200, body: { tags: ['vip', 'old'] } }]);

    expect(await messaging.conversations.tags.attach(ticketId, { tagId: 'VIP' })).toEqual({ id: 'vip', name: 'vip' });
  });

  test('a tag that the record does not have is an error', async () => {
    await using connected = await connectCustomer();
    const { messaging, ticketId, platform } = connected;
    platform.fault('messaging.conversations.tags.attach', [{ status: 200, body: { tags: ['old'] } }]);

    await expect(messaging.conversations.tags.attach(ticketId, { tagId: 'vip' })).rejects.toMatchObject({
      code: 'unexpected_response',
    });
  });
});

describe('a list is whole, or says that it is not', () => {
  test('agents, groups and tags are read to their end', async () => {
    await using connected = await connectZendesk();
    const { account, messaging } = connected;
    for (let index = 0; index < 250; index += 1) account.addUser({ name: `Agent ${index}`, role: 'agent' });
    for (let index = 0; index < 101; index += 1) account.addGroup({ name: `Group ${index}` });
    const { id } = account.addUser({ name: 'Ada' });
    account.addTicket({ requester_id: id, tags: Array.from({ length: 300 }, (_, index) => `tag${index}`) });

    const [admins, teams, tags] = [
      await messaging.admins.list(),
      await messaging.teams.list(),
      await messaging.tags.list(),
    ];

    expect([admins, teams, tags].map(({ data, total }) => [data.length, total])).toEqual([
      [251, 251],
      [101, 101],
      [300, 300],
    ]);
    expect(await messaging.tags.findByName('tag240')).toEqual({ id: 'tag240', name: 'tag240' });
  });

  test('and ends after 1,000 records, which it says', async () => {
    await using connected = await connectZendesk();
    for (let index = 0; index < 1_001; index += 1) connected.account.addGroup({ name: `Group ${index}` });

    const { data, hasMore } = await connected.messaging.teams.list();

    expect([data.length, hasMore]).toEqual([1_000, true]);
  });

  test('a page of companies and of articles has the count of all', async () => {
    await using connected = await connectZendesk({ fake: { pageSize: 2 } });
    for (let index = 0; index < 5; index += 1) {
      connected.account.addOrganization({ name: `Acme ${index}` });
      connected.account.addArticle({ title: `Oven ${index}`, body: '<p>Light it.</p>' });
    }

    const companies = await connected.messaging.companies.list();
    const articles = await connected.messaging.articles.search({ phrase: 'oven' });

    expect([companies, articles].map(({ data, total }) => [data.length, total])).toEqual([
      [2, 5],
      [2, 5],
    ]);
  });
});
