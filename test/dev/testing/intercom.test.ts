import { describe, expect, test } from 'vitest';
import { createFakePlatform, type FakeMessagingOptions, testCredentials } from '../../../src/dev/testing/index.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

/** The fake workspace behind a socket, with contacts in it. */
const setUp = async (options: FakeMessagingOptions | 'intercom' = {}) => {
  const clock = createVirtualClock({ wallNow: Date.UTC(2026, 10, 21, 12) });
  const messaging = options === 'intercom' ? options : ({ dialect: 'intercom', ...options } as const);
  const platform = createFakePlatform({ messaging });
  platform.messaging.addContact({ id: 'ann', email: 'ann@example.com', phone: '+14155550100' });
  platform.messaging.addContact({ id: 'bob', phone: '(415) 555-0122', role: 'lead' });
  platform.messaging.addConversation({ id: 'talk', contact_id: 'ann' });
  platform.messaging.addCompany({ id: 'acme' });
  platform.messaging.addTag({ id: 'vip' });
  const { messaging: baseUrl } = await platform.listen();
  const send = async (
    method: string,
    path: string,
    { body, version = '2.16' }: { readonly body?: unknown; readonly version?: string | undefined } = {},
  ) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${testCredentials.messaging}`,
        ...(version === '' ? {} : { 'intercom-version': version }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  const search = async (query: unknown, more: object = {}) =>
    send('POST', '/contacts/search', { body: { query, ...more } });
  return { clock, platform, send, search, [Symbol.asyncDispose]: () => platform.close() };
};

const note = { message_type: 'note', admin_id: 'admin_1', body: 'Angry' };

describe('what the real platform refuses', () => {
  test.each<[string, string, string, unknown, number, string]>([
    ['a contact with nothing but a phone', 'POST', '/contacts', { phone: '+14155550199' }, 400, 'parameter_missing'],
    ['a role that there is not', 'POST', '/contacts', { role: 'boss' }, 400, 'parameter_invalid'],
    ['an address that is taken', 'POST', '/contacts', { email: 'ANN@example.com' }, 409, 'conflict'],
    ['the interface document’s note', 'POST', '/conversations/talk/parts', note, 422, 'type_mismatch'],
    ['a note without its type', 'POST', '/conversations/talk/reply', note, 400, 'parameter_missing'],
    [
      'an admin whose id is a number',
      'POST',
      '/conversations/talk/reply',
      { ...note, type: 'admin', admin_id: 7 },
      422,
      'type_mismatch',
    ],
    ['a tag whose id is a number', 'POST', '/contacts/ann/tags', { id: 7 }, 422, 'type_mismatch'],
    ['a tag that there is not', 'POST', '/contacts/ann/tags', { id: 'nope' }, 404, 'tag_not_found'],
    ['a revenue with cents', 'PUT', '/companies/acme', { monthly_spend: 1.5 }, 422, 'type_mismatch'],
    [
      'a team that there is not',
      'POST',
      '/conversations/talk/parts',
      { message_type: 'assignment', type: 'team', admin_id: 'admin_1', assignee_id: 'nope' },
      404,
      'assignee_not_found',
    ],
    ['a stranger’s external id', 'GET', '/contacts/find_by_external_id/nope', undefined, 404, 'not_found'],
  ])('%s', async (_what, method, path, body, status, code) => {
    await using workspace = await setUp('intercom');
    const refused = await workspace.send(method, path, { body });
    expect({ status: refused.status, type: refused.body.type, code: refused.body.errors[0].code }).toEqual({
      status,
      type: 'error.list',
      code,
    });
    expect(workspace.platform.messaging.conversations[0]?.parts).toEqual([]);
  });

  test.each(['2.18', 'latest'])('the version %s', async (version) => {
    await using workspace = await setUp();
    expect((await workspace.send('GET', '/me', { version })).body.errors[0].code).toBe('intercom_version_invalid');
  });

  test.each(['', '2.17'])('but not the version "%s"', async (version) => {
    await using workspace = await setUp();
    expect((await workspace.send('GET', '/me', { version })).status).toBe(200);
  });
});

describe('what it answers otherwise', () => {
  test('a new conversation is answered with its first message', async () => {
    await using workspace = await setUp();
    const { body } = await workspace.send('POST', '/conversations', {
      body: { from: { type: 'user', id: 'ann' }, body: 'Hi' },
    });
    expect(body).toEqual({
      type: 'user_message',
      id: `message_of_${body.conversation_id}`,
      created_at: 1_795_262_400,
      body: 'Hi',
      message_type: 'inapp',
      conversation_id: workspace.platform.messaging.conversations[1]?.id,
    });
  });

  test('parts have no names of the interface document', async () => {
    await using workspace = await setUp();
    await workspace.send('POST', '/conversations/talk/reply', { body: { ...note, type: 'admin' } });
    const { body } = await workspace.send('GET', '/conversations/talk');
    const [part] = body.conversation_parts.conversation_parts;
    expect(part).toMatchObject({ part_type: 'note', author: { type: 'admin', id: 'admin_1' }, body: 'Angry' });
    expect(Object.keys(part)).not.toEqual(expect.arrayContaining(['message_type']));
    expect(Object.keys(part)).not.toEqual(expect.arrayContaining(['admin_id']));
  });

  test('keys are not known: a write is done as often as it is sent', async () => {
    await using workspace = await setUp();
    const body = { ...note, type: 'admin' };
    await workspace.send('POST', '/conversations/talk/reply', { body });
    await workspace.send('POST', '/conversations/talk/reply', { body });
    expect(workspace.platform.effects('messaging.conversations.addNote')).toBe(2);
  });
});

describe('its search', () => {
  const ids = ({ body }: { readonly body: { readonly data: readonly { readonly id: string }[] } }) =>
    body.data.map(({ id }) => id);

  test.each<[string, unknown, readonly string[]]>([
    ['exactly this text', { field: 'phone', operator: '=', value: '+14155550100' }, ['ann']],
    ['no other format of a number', { field: 'phone', operator: '=', value: '+14155550122' }, []],
    ['the number as it is shown', { field: 'formatted_phone', operator: '=', value: '+1 415-555-0122' }, ['bob']],
    ['its last digits', { field: 'phone', operator: '$', value: '0122' }, ['bob']],
    ['one of several', { field: 'role', operator: 'IN', value: ['lead', 'boss'] }, ['bob']],
    ['none of several', { field: 'role', operator: 'NIN', value: ['lead'] }, ['ann']],
    [
      'any of two',
      {
        operator: 'OR',
        value: [
          { field: 'email', operator: '=', value: 'ann@example.com' },
          { field: 'phone', operator: '~', value: '0122' },
        ],
      },
      ['ann', 'bob'],
    ],
    [
      'all of two',
      {
        operator: 'AND',
        value: [
          { field: 'email', operator: '=', value: 'ann@example.com' },
          { field: 'role', operator: '=', value: 'lead' },
        ],
      },
      [],
    ],
  ])('finds %s', async (_what, query, expected) => {
    await using workspace = await setUp();
    expect(ids(await workspace.search(query))).toEqual(expected);
  });

  const one = { field: 'role', operator: '=', value: 'lead' };
  test.each<[string, unknown, object?]>([
    ['16 conditions', { operator: 'OR', value: Array.from({ length: 16 }, () => one) }],
    [
      'three levels of groups',
      { operator: 'OR', value: [{ operator: 'AND', value: [{ operator: 'OR', value: [one] }] }] },
    ],
    ['an empty group', { operator: 'OR', value: [] }],
    ['an operator that there is not', { ...one, operator: '==' }],
    ['a field that cannot be searched', { ...one, field: 'avatar' }],
    ['a list for =', { ...one, value: ['lead'] }],
    ['a text for IN', { ...one, operator: 'IN' }],
    ['pages of 151', one, { pagination: { per_page: 151 } }],
    ['a cursor of another search', one, { pagination: { starting_after: 'x' } }],
  ])('refuses %s', async (_what, query, more) => {
    await using workspace = await setUp();
    expect(await workspace.search(query, more)).toMatchObject({ status: 400, body: { type: 'error.list' } });
  });

  test('knows a new contact only after a while, though its id is known at once', async () => {
    await using workspace = await setUp({ searchDelayMs: 30_000 });
    const { body } = await workspace.send('POST', '/contacts', {
      body: { email: 'eve@example.com', external_id: 'c-1' },
    });
    const query = { field: 'email', operator: '=', value: 'eve@example.com' };
    expect(ids(await workspace.search(query))).toEqual([]);
    expect((await workspace.send('GET', `/contacts/${body.id}`)).status).toBe(200);
    expect((await workspace.send('GET', '/contacts/find_by_external_id/c-1')).body.id).toBe(body.id);
    await workspace.clock.advance(30_000);
    expect(ids(await workspace.search(query))).toEqual([body.id]);
  });

  test('leads from page to page', async () => {
    await using workspace = await setUp();
    const query = { field: 'role', operator: 'IN', value: ['lead', 'user'] };
    const first = await workspace.search(query, { pagination: { per_page: 1 } });
    expect(first.body.pages).toEqual({
      type: 'pages',
      page: 1,
      per_page: 1,
      total_pages: 2,
      next: { per_page: 1, starting_after: 'after_1' },
    });
    const second = await workspace.search(query, { pagination: first.body.pages.next });
    expect([ids(second), second.body.total_count]).toEqual([['bob'], 2]);
    expect(second.body.pages).not.toHaveProperty('next');
  });
});

describe('a contact that is gone', () => {
  test('was merged: a header names the one that it became', async () => {
    await using workspace = await setUp();
    workspace.platform.messaging.mergeContact('bob', 'ann');
    const { status, headers, body } = await workspace.send('PUT', '/contacts/bob', { body: { name: 'Bob' } });
    expect([status, body.errors[0].code, headers.get('link')]).toEqual([
      410,
      'contact_merged',
      '</contacts/ann>; rel="canonical"',
    ]);
  });

  test('was archived: its address stays taken, the error names its id', async () => {
    await using workspace = await setUp();
    workspace.platform.messaging.archiveContact('ann');
    expect((await workspace.send('GET', '/contacts/ann')).status).toBe(410);
    expect((await workspace.send('POST', '/contacts', { body: { email: 'ann@example.com' } })).body.errors).toEqual([
      { code: 'conflict', message: 'An archived contact matching those details already exists with id=ann' },
    ]);
  });
});

describe('its rate limit', () => {
  test('is in the headers of every answer, and a refusal has no Retry-After', async () => {
    await using workspace = await setUp({ rateLimit: { limit: 2, perMs: 10_000 } });
    await workspace.clock.advance(3_000);
    const told = async () => {
      const { status, headers } = await workspace.send('GET', '/me');
      return [status, ...['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`))];
    };
    expect(await told()).toEqual([200, '2', '1', '1795262410']);
    expect(await told()).toEqual([200, '2', '0', '1795262410']);
    const refused = await workspace.send('GET', '/me');
    expect([refused.status, refused.body.errors[0].code, refused.headers.get('retry-after')]).toEqual([
      429,
      'rate_limit_exceeded',
      null,
    ]);
    await workspace.clock.advance(7_000);
    expect(await told()).toEqual([200, '2', '1', '1795262420']);
  });

  test('can be switched off', async () => {
    await using workspace = await setUp({ rateLimit: false });
    expect((await workspace.send('GET', '/me')).headers.get('x-ratelimit-limit')).toBeNull();
  });
});
