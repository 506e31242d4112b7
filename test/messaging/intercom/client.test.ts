import { describe, expect, test } from 'vitest';
import { ClientError } from '../../../src/core/errors.ts';
import { goneContact, hasIntercomCode, intercom } from '../../../src/messaging/intercom/index.ts';
import { callAttributes } from '../../../src/messaging/index.ts';
import { phoneForms } from '../../../src/phone/forms.ts';
import { failureOf } from '../../support/connect.ts';
import { type ConnectedIntercom, connectIntercom } from '../../support/connected-intercom.ts';
import { operationsOf } from '../../support/connected-platform.ts';

/** Method, path and body of what was sent. */
const sent = ({ platform }: ConnectedIntercom) =>
  platform.requests.map(({ method, path, body }) =>
    body === undefined ? [`${method} ${path}`] : [`${method} ${path}`, body],
  );

const statuses = ({ platform }: ConnectedIntercom) => platform.requests.map(({ status }) => status);

describe('what is sent', () => {
  test('carries the pinned version, and no idempotency key, which Intercom does not know', async () => {
    await using connected = await connectIntercom({ preset: { version: '2.14' } });
    await connected.client.contacts.create({ email: 'ada@example.com' });
    const [request] = connected.platform.requests;
    expect(request?.headers).toMatchObject({ 'intercom-version': '2.14', accept: 'application/json' });
    expect(request?.headers).not.toHaveProperty('idempotency-key');
  });

  test('is a note on the path of replies, and is kept as a note', async () => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    platform.messaging.addContact({ id: 'ada' });
    platform.messaging.addConversation({ id: 'talk', contact_id: 'ada' });
    const noted = await client.conversations.addNote('talk', { body: 'Sounded tired.' });
    expect(sent(connected)).toEqual([
      [
        'POST /conversations/talk/reply',
        { message_type: 'note', type: 'admin', admin_id: 'admin_1', body: 'Sounded tired.' },
      ],
    ]);
    expect(platform.messaging.conversations[0]?.parts).toMatchObject([{ type: 'note', body: 'Sounded tired.' }]);
    expect(noted.notes).toMatchObject([{ message_type: 'note', admin_id: 'admin_1', body: 'Sounded tired.' }]);
  });

  test('a reply is the only thing that is a comment', async () => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    platform.messaging.addContact({ id: 'ada' });
    platform.messaging.addTeam({ id: 'team_2' });
    platform.messaging.addTag({ id: 'tag_3' });
    platform.messaging.addConversation({ id: 'talk', contact_id: 'ada' });
    await client.conversations.reply('talk', { body: 'On its way.' });
    await client.conversations.addNote('talk', { body: 'Angry' });
    await client.conversations.assignToTeam('talk', { teamId: 'team_2' });
    await client.conversations.tags.attach('talk', { tagId: 'tag_3' });
    await client.conversations.tags.detach('talk', { tagId: 'tag_3' });
    await client.conversations.close('talk');
    expect(sent(connected)).toEqual([
      [
        'POST /conversations/talk/reply',
        { message_type: 'comment', type: 'admin', admin_id: 'admin_1', body: 'On its way.' },
      ],
      ['POST /conversations/talk/reply', { message_type: 'note', type: 'admin', admin_id: 'admin_1', body: 'Angry' }],
      [
        'POST /conversations/talk/parts',
        { message_type: 'assignment', type: 'team', admin_id: 'admin_1', assignee_id: 'team_2' },
      ],
      ['POST /conversations/talk/tags', { id: 'tag_3', admin_id: 'admin_1' }],
      ['DELETE /conversations/talk/tags/tag_3', { admin_id: 'admin_1' }],
      ['POST /conversations/talk/parts', { message_type: 'close', type: 'admin', admin_id: 'admin_1' }],
    ]);
    expect(platform.messaging.conversations[0]?.parts.map(({ type }) => type)).toEqual([
      'comment',
      'note',
      'assignment',
      'close',
    ]);
  });

  test.each([
    [{ phone: '+14155550100' }, { role: 'lead', phone: '+14155550100' }],
    [
      { phone: '+14155550100', role: 'user' },
      { phone: '+14155550100', role: 'user' },
    ],
    [
      { phone: '+14155550100', email: 'ada@example.com' },
      { phone: '+14155550100', email: 'ada@example.com' },
    ],
    [
      { phone: '+14155550100', external_id: 'c-7' },
      { phone: '+14155550100', external_id: 'c-7' },
    ],
  ])('makes of the contact %j a lead only where nothing else says who it is', async (fields, body) => {
    await using connected = await connectIntercom();
    await connected.client.contacts.create(fields);
    expect(sent(connected)).toEqual([['POST /contacts', body]]);
    expect(statuses(connected)).toEqual([200]);
  });

  test('a revenue that Intercom would cut is refused here', async () => {
    await using connected = await connectIntercom();
    const error = await failureOf(connected.client.companies.update('acme', { monthly_spend: 155.98 }));
    expect(error).toMatchObject({ code: 'invalid_argument', field: 'monthly_spend', outcome: 'not_sent' });
    expect(connected.platform.requests).toEqual([]);
  });
});

describe('what comes back', () => {
  test('the id of a new conversation is that of the conversation, not of its first message', async () => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    platform.messaging.addContact({ id: 'ada' });
    const created = await client.conversations.create({ contactId: 'ada', body: 'Rang about an invoice.' });
    expect(created.id).toBe(platform.messaging.conversations[0]?.id);
    expect(created).toMatchObject({ body: 'Rang about an invoice.', message_id: `message_of_${created.id}` });
    expect(await client.conversations.get(created.id)).toMatchObject({ id: created.id, state: 'open' });
  });

  test('a company has its tier and its recurring revenue', async () => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    platform.messaging.addCompany({ id: 'acme', name: 'Acme', plan: 'Gold', monthly_spend: 490 });
    platform.messaging.addContact({ id: 'ada', company_ids: ['acme'] });
    const { data } = await client.companies.listForContact('ada');
    expect(data).toMatchObject([{ id: 'acme', plan: { name: 'Gold' }, monthly_spend: 490 }]);
    expect(await client.companies.update('acme', { plan: 'Silver' })).toMatchObject({ plan: { name: 'Silver' } });
  });

  test('tags, admins and teams are read out of their envelopes', async () => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    platform.messaging.addTag({ id: 'vip', name: 'VIP' });
    platform.messaging.addTeam({ id: 'team_2', name: 'Support' });
    platform.messaging.addContact({ id: 'ada' });
    await client.contacts.tags.attach('ada', { tagId: 'vip' });
    expect(await client.contacts.tags.list('ada')).toMatchObject({ data: [{ id: 'vip', name: 'VIP' }], total: 1 });
    expect(await client.contacts.get('ada')).toMatchObject({ tags: [{ id: 'vip' }] });
    await client.contacts.tags.detach('ada', { tagId: 'vip' });
    expect(await client.contacts.tags.list('ada')).toEqual({ data: [], total: 0 });
    expect(await client.admins.me()).toMatchObject({ id: 'admin_1', name: 'Voice Agent' });
    expect((await client.admins.list()).data).toMatchObject([{ id: 'admin_1' }]);
    expect((await client.teams.list()).data).toMatchObject([{ id: 'team_2', name: 'Support' }]);
  });
});

describe('words that were said', () => {
  const words = 'wait < 5 min & <img src=x onerror=1>\n"see" <a href="https://x.example">here</a>';

  test('are no markup in a note', async () => {
    await using connected = await connectIntercom();
    const { id: contactId } = connected.platform.messaging.addContact({ email: 'ada@example.com' });
    const { id } = await connected.client.conversations.create({ contactId, body: words });

    await connected.client.conversations.addNote(id, { body: words });
    await connected.client.conversations.reply(id, { body: words });

    const plain = 'wait < 5 min & < img src=x onerror=1>\n"see" < a href="https://x.example">here< /a>';
    const bodies = connected.platform.requests.map(({ body }) => (body as { readonly body?: string }).body);
    expect(bodies).toEqual([
      plain,
      'wait &lt; 5 min &amp; &lt;img src=x onerror=1&gt;<br>&quot;see&quot; &lt;a href=&quot;https://x.example&quot;&gt;here&lt;/a&gt;',
      plain,
    ]);
  });

  test('come back as text, whatever markup they are in', async () => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    const part = { type: 'conversation_part', id: 'p1', part_type: 'comment' };
    platform.fault('messaging.conversations.get', [
      {
        status: 200,
        body: {
          id: 'v1',
          source: { type: 'conversation', body: '<p>My <b>invoice</b>?</p>' },
          conversation_parts: {
            conversation_parts: [
              {
                ...part,
                body: '<p>Hi Ada,<br>see <a href="https://x.example/7">this page</a> &amp; pay &lt;50&gt;.</p>',
              },
              { ...part, id: 'p2', part_type: 'note', body: '<script>x</script>Paid.' },
              { ...part, id: 'p3', body: null },
            ],
          },
        },
      },
    ]);

    const conversation = await client.conversations.get('v1');

    expect(platform.requests[0]?.path).toContain('/conversations/v1');
    expect(conversation?.parts?.map(({ body }) => body)).toEqual([
      'Hi Ada,\nsee this page (https://x.example/7) & pay <50>.',
      'Paid.',
      null,
    ]);
    expect(conversation?.notes?.map(({ body }) => body)).toEqual(['Paid.']);
    expect(conversation?.source).toEqual({ type: 'conversation', body: 'My invoice?' });
  });
});

describe('dates of attributes', () => {
  test('are UNIX seconds on the wire and days for the application', async () => {
    await using connected = await connectIntercom({ customAttributes: { ...callAttributes, seats: 'integer' } });
    const { platform, client, events } = connected;
    platform.messaging.addContact({ id: 'ada', custom_attributes: { last_call_date: 1_767_225_600, seats: 3 } });

    expect((await client.contacts.get('ada'))?.custom_attributes).toEqual({ last_call_date: '2026-01-01', seats: 3 });
    const updated = await client.contacts.update('ada', { custom_attributes: { last_call_date: '2026-11-22' } });

    expect(updated.custom_attributes).toEqual({ last_call_date: '2026-11-22', seats: 3 });
    expect(platform.requests.at(-1)?.body).toEqual({ custom_attributes: { last_call_date: 1_795_305_600 } });
    expect(events.filter(({ type }) => type === 'schema-drift')).toEqual([]);
  });

  test('are refused when they are no days, and emptied with null', async () => {
    await using connected = await connectIntercom({ customAttributes: callAttributes });
    const { platform, client } = connected;
    platform.messaging.addContact({ id: 'ada' });

    await expect(
      client.contacts.update('ada', { custom_attributes: { last_call_date: 'yesterday' } }),
    ).rejects.toMatchObject({ field: 'custom_attributes.last_call_date' });
    await client.contacts.update('ada', { custom_attributes: { last_call_date: null } });
    expect(platform.requests.at(-1)?.body).toEqual({ custom_attributes: { last_call_date: null } });
  });
});

describe('finding a contact', () => {
  test('asks for phone and e-mail in one request', async () => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    platform.messaging.addContact({ id: 'ada', email: 'ada@example.com' });
    expect(await client.contacts.find({ phone: '+14155550100', email: 'Ada@Example.com' })).toMatchObject({
      matchedBy: 'email',
      contact: { id: 'ada' },
      ambiguous: false,
    });
    expect(sent(connected)).toEqual([
      [
        'POST /contacts/search',
        {
          query: {
            operator: 'OR',
            value: [
              { field: 'phone', operator: 'IN', value: [...phoneForms('+14155550100')] },
              { field: 'formatted_phone', operator: 'IN', value: [...phoneForms('+14155550100')] },
              { field: 'email', operator: '=', value: 'ada@example.com' },
            ],
          },
        },
      ],
    ]);
  });

  test('takes the number before the address, and the address where several share the number', async () => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    platform.messaging.addContact({ id: 'ada', phone: '+14155550100', email: 'ada@example.com' });
    platform.messaging.addContact({ id: 'bob', email: 'bob@example.com' });
    expect(await client.contacts.find({ phone: '+14155550100', email: 'bob@example.com' })).toMatchObject({
      matchedBy: 'phone',
      contact: { id: 'ada' },
    });
    platform.messaging.addContact({ id: 'eve', phone: '+14155550100', email: 'eve@example.com' });
    expect(await client.contacts.find({ phone: '+14155550100', email: 'eve@example.com' })).toMatchObject({
      matchedBy: 'email',
      contact: { id: 'eve' },
    });
    expect(await client.contacts.findByPhone('+14155550100')).toMatchObject({ ambiguous: true, count: 2 });
  });

  test.each([
    ['as digits without the plus', '14155550100', {}],
    ['in a form of their own', 'T 415 555 0100', { phoneFormats: () => ['T 415 555 0100'] }],
    ['as the inbox shows it', '(415) 555-0100', { phoneFormats: () => ['(415) 555-0100', '+1 415-555-0100'] }],
  ])('knows a number that was entered %s', async (_how, phone, preset) => {
    await using connected = await connectIntercom({ preset });
    connected.platform.messaging.addContact({ id: 'ada', phone });
    expect(await connected.client.contacts.findByPhone('+14155550100')).toMatchObject({ contact: { id: 'ada' } });
  });

  test.each([
    ['+442071838750', '020 7183 8750'],
    ['+33123456789', '01.23.45.67.89'],
  ])('knows %s when it was entered as %s', async (e164, phone) => {
    await using connected = await connectIntercom();
    connected.platform.messaging.addContact({ id: 'ada', phone });
    expect(await connected.client.contacts.findByPhone(e164)).toMatchObject({ contact: { id: 'ada' } });
  });

  test('does not take a stranger whose number only looks alike', async () => {
    await using connected = await connectIntercom();
    connected.platform.messaging.addContact({ id: 'eve', phone: '(207) 183-8750' });
    expect(await connected.client.contacts.findByPhone('+442071838750')).toBeUndefined();
  });

  test('sends every format, and no more conditions than a query may have', async () => {
    const last = '199 415';
    const formats = Array.from({ length: 200 }, (_, index) => `${index} 415`);
    await using connected = await connectIntercom({ preset: { phoneFormats: () => formats } });
    connected.platform.messaging.addContact({ id: 'ada', phone: last });
    const found = await connected.client.contacts.find({ phone: '+14155550100', email: 'ada@example.com' });
    expect(found).toMatchObject({ contact: { id: 'ada' }, matchedBy: 'phone' });
    expect(statuses(connected)).toEqual([200]);
  });
});

describe('a long list', () => {
  const fill = ({ platform }: ConnectedIntercom, count: number) => {
    for (let index = 1; index <= count; index += 1)
      platform.messaging.addContact({ id: `c${index}`, role: index % 2 ? 'lead' : 'user', name: `N${index}` });
  };

  test('is read page after page, as far as the loop goes', async () => {
    await using connected = await connectIntercom();
    fill(connected, 120);
    const query = {
      all: [{ field: 'role', operator: '=', value: 'lead' }, { any: [{ field: 'name', operator: '^', value: 'N' }] }],
    };
    const ids: string[] = [];
    for await (const { id } of connected.client.contacts.searchAll(query)) ids.push(id);
    expect(ids).toEqual(Array.from({ length: 60 }, (_, index) => `c${index * 2 + 1}`));
    expect(connected.platform.requests).toHaveLength(2);
  });

  test('is not read further than the application reads', async () => {
    await using connected = await connectIntercom();
    fill(connected, 30);
    const contacts = connected.client.contacts.searchAll(
      { field: 'name', operator: '^', value: 'N' },
      { pageSize: 10 },
    );
    const seen: string[] = [];
    for await (const { id } of contacts) {
      seen.push(id);
      if (seen.length === 12) break;
    }
    expect(seen).toHaveLength(12);
    expect(sent(connected).map(([, body]) => (body as { pagination: unknown }).pagination)).toEqual([
      { per_page: 10 },
      { per_page: 10, starting_after: 'after_10' },
    ]);
  });

  test('can be read twice', async () => {
    await using connected = await connectIntercom();
    fill(connected, 3);
    const contacts = connected.client.contacts.searchAll({ field: 'name', operator: '^', value: 'N' });
    const read = async () => {
      const names: unknown[] = [];
      for await (const { name } of contacts) names.push(name);
      return names;
    };
    expect(await read()).toEqual(['N1', 'N2', 'N3']);
    expect(await read()).toEqual(['N1', 'N2', 'N3']);
  });

  test('of the first page says how many there are in all', async () => {
    await using connected = await connectIntercom();
    fill(connected, 60);
    const { data, total } = await connected.client.contacts.search({ field: 'name', operator: '^', value: 'N' });
    expect([data.length, total]).toEqual([50, 60]);
  });
});

describe('a contact that exists already', () => {
  test('is what create gives, unchanged', async () => {
    await using connected = await connectIntercom();
    connected.platform.messaging.addContact({ id: 'ada', email: 'ada@example.com', name: 'Ada' });
    expect(await connected.client.contacts.create({ email: 'ada@example.com', name: 'Eve' })).toMatchObject({
      id: 'ada',
      name: 'Ada',
    });
    expect(connected.platform.messaging.contacts).toMatchObject([{ id: 'ada', name: 'Ada' }]);
  });

  test('is what create made itself, when only the answer to its first attempt was lost', async () => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    platform.fault('messaging.contacts.create', [{ executeThenDrop: true }]);
    const { id } = await client.contacts.create({ email: 'ada@example.com' });
    expect(platform.messaging.contacts).toMatchObject([{ id, email: 'ada@example.com' }]);
  });

  test('is a conflict whose error names it, where that is asked for', async () => {
    const dialect = { ...intercom().dialect, conflictGivesContact: false };
    await using connected = await connectIntercom({ dialect });
    connected.platform.messaging.addContact({ id: 'ada', email: 'ada@example.com' });
    const error = await failureOf(connected.client.contacts.create({ email: 'ada@example.com' }));
    expect(hasIntercomCode(error, 'conflict')).toBe(true);
    expect(error instanceof ClientError && error.problems).toMatchObject([{ code: 'conflict', ids: ['ada'] }]);
  });

  test('is what findOrCreate gives, also while no search knows it', async () => {
    await using connected = await connectIntercom();
    const { client, another } = connected;
    const made = await another().contacts.create({ email: 'ada@example.com', name: 'Ada' });
    expect(await client.contacts.findOrCreate({ email: 'ada@example.com', name: 'Eve' })).toEqual({
      contact: await client.contacts.get(made.id),
      created: false,
      matchedBy: 'conflict',
      ambiguous: false,
      count: 1,
    });
    expect(operationsOf(connected.platform)).toEqual([
      'messaging.contacts.create',
      'messaging.contacts.search',
      'messaging.contacts.create',
      'messaging.contacts.get',
      'messaging.contacts.get',
    ]);
    expect(connected.platform.messaging.contacts).toHaveLength(1);
  });

  test('is known to the client that made it, at once and until search knows it too', async () => {
    await using connected = await connectIntercom({ fake: { searchDelayMs: 9 * 60_000 } });
    const { client, another, clock } = connected;
    const { id } = await client.contacts.create({ phone: '+14155550100' });
    expect(await client.contacts.find({ phone: '+14155550100' })).toMatchObject({ contact: { id } });
    expect(await client.contacts.findOrCreate({ phone: '+14155550100' })).toMatchObject({
      created: false,
      contact: { id },
    });
    expect(await another().contacts.findByPhone('+14155550100')).toBeUndefined();
    await clock.advance(9 * 60_000);
    expect(await another().contacts.findByPhone('+14155550100')).toMatchObject({ contact: { id } });
  });

  test('is not made twice by its number, if it may have been made and no search knows it yet', async () => {
    await using workspace = await connectIntercom();
    const { platform, client } = workspace;
    platform.fault('messaging.contacts.create', [{ executeThenDrop: true, times: 2 }]);
    const find = () => client.contacts.findOrCreate({ phone: '+14155550107' }).catch((error: unknown) => error);

    expect([await find(), await find()]).toMatchObject([{ outcome: 'unknown' }, { outcome: 'unknown' }]);
    expect(platform.messaging.contacts).toHaveLength(1);
  });

  test('is remembered as it was last changed, and not for ever', async () => {
    await using connected = await connectIntercom({ fake: { searchDelayMs: 60 * 60_000 } });
    const { client, clock } = connected;
    const { id } = await client.contacts.create({ phone: '+14155550100' });
    await client.contacts.update(id, { name: 'Ada', email: 'ada@example.com' });
    expect(await client.contacts.findByEmail('ada@example.com')).toMatchObject({ contact: { id, name: 'Ada' } });
    await clock.advance(10 * 60_000);
    expect(await client.contacts.findByEmail('ada@example.com')).toBeUndefined();
  });

  test('stays a conflict when it is archived, since it cannot be used', async () => {
    await using connected = await connectIntercom();
    connected.platform.messaging.addContact({ id: 'ada', email: 'ada@example.com' });
    connected.platform.messaging.archiveContact('ada');
    const error = await failureOf(connected.client.contacts.findOrCreate({ email: 'ada@example.com' }));
    expect(error).toMatchObject({ status: 409, codes: ['conflict'] });
    expect(error instanceof ClientError && error.problems[0]).toMatchObject({
      ids: ['ada'],
      message: 'An archived contact matching those details already exists with id=ada',
    });
  });
});

describe('a record of which only some parts came says how many there are', () => {
  test('a conversation of more than 500', async () => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    platform.messaging.addContact({ id: 'ada' });
    const author = { type: 'admin' as const, id: 'a' };
    const part = { type: 'note' as const, body: 'Rang.', created_at: 1_795_000_000, author, assigned_to: null };
    const parts = Array.from({ length: 501 }, (_, number) => ({ ...part, id: `p${number}` }));
    platform.messaging.addConversation({ id: 'talk', contact_id: 'ada', parts });

    const conversation = await client.conversations.get('talk');

    expect(conversation?.parts).toHaveLength(500);
    expect(conversation?.parts_total).toBe(501);
  });

  test.each<[name: string, list: object, total: number | undefined]>([
    ['more', { ticket_parts: [{ id: '1' }], total_count: 2 }, 2],
    ['as many', { ticket_parts: [{ id: '1' }], total_count: 1 }, undefined],
    ['fewer, as it counts', { ticket_parts: [{ id: '1' }], total_count: 0 }, undefined],
    ['none', { ticket_parts: [], total_count: 7 }, 7],
    ['no count', { ticket_parts: [{ id: '1' }] }, undefined],
  ])('a ticket of %s', async (_, ticket_parts, total) => {
    await using connected = await connectIntercom();
    connected.platform.fault('messaging.tickets.get', [{ status: 200, body: { id: '7', ticket_parts } }]);

    expect((await connected.client.tickets.get('7'))?.parts_total).toBe(total);
  });
});

describe('a contact that is gone', () => {
  test('is followed to the one that it was merged into, wherever its id is given', async () => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    platform.messaging.addCompany({ id: 'acme' });
    platform.messaging.addTag({ id: 'vip' });
    platform.messaging.addContact({ id: 'lead', phone: '+14155550100' });
    platform.messaging.addContact({ id: 'user', email: 'ada@example.com', company_ids: ['acme'] });
    platform.messaging.mergeContact('lead', 'user');
    expect(await client.contacts.get('lead')).toMatchObject({ id: 'user' });
    expect(await client.contacts.update('lead', { name: 'Ada' })).toMatchObject({ id: 'user', name: 'Ada' });
    expect((await client.companies.listForContact('lead')).data).toMatchObject([{ id: 'acme' }]);
    await client.contacts.tags.attach('lead', { tagId: 'vip' });
    expect((await client.contacts.tags.list('lead')).data).toMatchObject([{ id: 'vip' }]);
    await client.contacts.tags.detach('lead', { tagId: 'vip' });
    expect((await client.contacts.tags.list('user')).data).toEqual([]);
    await client.conversations.create({ contactId: 'lead', body: 'Rang.' });
    expect(platform.messaging.conversations).toMatchObject([{ contact_id: 'user' }]);
  });

  test('has the conversations and tickets of the one that it was merged into', async () => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    platform.messaging.addContact({ id: 'lead', role: 'lead' });
    platform.messaging.addContact({ id: 'user', role: 'user' });
    platform.messaging.addTicketType({ id: '7' });
    platform.messaging.addConversation({ id: 'talk', contact_id: 'lead' });
    platform.messaging.addConversation({ id: 'older', contact_id: 'user' });
    platform.messaging.addTicket({ id: 'case', contact_id: 'lead', ticket_type_id: '7' });
    platform.messaging.mergeContact('lead', 'user');

    for (const id of ['lead', 'user']) {
      const { data, total } = await client.conversations.listForContact(id);
      expect(data.map((one) => one.id)).toEqual(['talk', 'older']);
      expect(total).toBe(2);
      expect((await client.tickets.listForContact(id)).data).toMatchObject([{ id: 'case' }]);
    }
  });

  test.each<[name: string, kind: string]>([
    ['merged, where the search still finds them under the old id', 'merged'],
    ['archived', 'archived'],
    ['unknown', 'unknown'],
    ['there', 'there'],
    ['not for this token to read', 'forbidden'],
  ])('has only its own conversations when it is %s', async (_, kind) => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    if (kind !== 'unknown') platform.messaging.addContact({ id: 'ada' });
    platform.messaging.addContact({ id: 'user' });
    platform.messaging.addConversation({ id: 'talk', contact_id: 'user' });
    if (kind === 'merged') platform.messaging.mergeContact('ada', 'user');
    if (kind === 'archived') platform.messaging.archiveContact('ada');
    if (kind === 'forbidden') platform.fault('messaging.contacts.get', [{ status: 403 }]);
    const contacts = { contacts: [{ id: 'user' }] };
    const found = { conversations: [{ id: 'talk', contacts }], total_count: 1, pages: {} };
    platform.fault('messaging.conversations.search', [{ status: 200, body: found }]);

    const { data, total } = await client.conversations.listForContact('ada');

    expect(data.map(({ id }) => id)).toEqual(kind === 'merged' ? ['talk'] : []);
    expect(total).toBe(data.length);
  });

  test('says so when it was archived', async () => {
    await using connected = await connectIntercom();
    connected.platform.messaging.addContact({ id: 'ada' });
    connected.platform.messaging.archiveContact('ada');
    const error = await failureOf(connected.client.contacts.get('ada'));
    expect(goneContact(error)).toEqual({ gone: 'archived' });
    expect(await connected.client.contacts.get('unknown')).toBeUndefined();
  });

  test('is named where Intercom does not say what it became', async () => {
    await using connected = await connectIntercom();
    const body = { type: 'error.list', errors: [{ code: 'contact_merged', message: 'Merged.' }] };
    connected.platform.fault('messaging.contacts.get', [{ status: 410, body }]);
    const error = await failureOf(connected.client.contacts.get('ada'));
    expect(goneContact(error)).toEqual({ gone: 'merged', into: undefined });
  });

  test('two merges in a circle end', async () => {
    await using connected = await connectIntercom();
    const gone = (into: string) => ({
      status: 410,
      headers: { link: `</contacts/${into}>; rel="canonical"` },
      body: { type: 'error.list', errors: [{ code: 'contact_merged' }] },
    });
    connected.platform.fault('messaging.contacts.get', [gone('b'), gone('a'), gone('b')]);
    expect(await failureOf(connected.client.contacts.get('a'))).toMatchObject({ status: 410 });
    expect(connected.platform.requests).toHaveLength(2);
  });
});
