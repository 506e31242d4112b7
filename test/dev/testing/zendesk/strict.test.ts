import { expect, test } from 'vitest';
import { createFakePlatform, testCredentials } from '../../../../src/dev/testing/index.ts';

/** The fake account with a customer and a ticket, and a way to send it anything. */
const connect = async () => {
  const platform = createFakePlatform({ messaging: 'zendesk' });
  const { messaging: url } = await platform.listen();
  const user = platform.zendesk.addUser({ name: 'Ada', user_fields: { plan: 'pro' } });
  const ticket = platform.zendesk.addTicket({ requester_id: user.id });
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}/api/v2/${path}`, {
      method,
      headers: {
        authorization: `Basic ${btoa(`voice-agent@acme.example/token:${testCredentials.messaging}`)}`,
        'content-type': 'application/json',
      },
      body: typeof body === 'string' || body === undefined ? (body ?? null) : JSON.stringify(body),
    });
    return { status: response.status, body: Object(await response.json()) as Readonly<Record<string, unknown>> };
  };
  return { zendesk: platform.zendesk, user, ticket, send, [Symbol.asyncDispose]: () => platform.close() };
};

const invalid = (field: string) => ({
  status: 422,
  body: { error: 'RecordInvalid', description: 'Record validation errors', details: { [field]: [expect.anything()] } },
});

test.each([
  [
    'a field of a user that does not exist',
    'users.json',
    { user: { name: 'Bob', favourite_bread: 'rye' } },
    'favourite_bread',
  ],
  [
    'a user field that the account lacks',
    'users.json',
    { user: { name: 'Bob', user_fields: { plann: 'pro' } } },
    'user_fields',
  ],
  [
    'an organization that is not there',
    'users.json',
    { user: { name: 'Bob', organization_id: 17 } },
    'organization_id',
  ],
  ['a role that does not exist', 'users.json', { user: { name: 'Bob', role: 'boss' } }, 'role'],
  ['a field of an organization', 'organizations.json', { organization: { name: 'Acme', size: 5 } }, 'size'],
  [
    'an organization field that the account lacks',
    'organizations.json',
    { organization: { name: 'Acme', organization_fields: { tier: 'gold' } } },
    'organization_fields',
  ],
  ['a field of a ticket', 'tickets.json', { ticket: { title: 'x', comment: { body: 'x' } } }, 'title'],
  ['a field of a comment', 'tickets.json', { ticket: { comment: { body: 'x', is_public: false } } }, 'is_public'],
  [
    'a ticket field that the account lacks',
    'tickets.json',
    { ticket: { comment: { body: 'x' }, custom_fields: [{ id: 77, value: 'north' }] } },
    'custom_fields',
  ],
])('refuses %s, and names it', async (_, path, body, field) => {
  await using account = await connect();

  expect(await account.send('POST', path, body)).toEqual(invalid(field));
  expect([account.zendesk.users.length, account.zendesk.tickets.length]).toEqual([2, 1]);
});

test.each([
  ['POST', 'users.json', { user: { name: 'Bob' }, skip_verify_email: true }, 'skip_verify_email'],
  ['GET', 'users/search.json?phone=4155550100', undefined, 'phone'],
])('refuses an unknown parameter of %s %s', async (method, path, body, name) => {
  await using account = await connect();

  const answer = await account.send(method, path, body);

  expect(answer).toEqual({
    status: 400,
    body: { error: { title: 'Invalid attribute', message: expect.stringContaining(` ${name} attribute`) } },
  });
});

test.each([
  ['users.json?page[size]=101', 400],
  ['users.json?page=101', 400],
  ['search.json?query=type:ticket&page=11&per_page=100', 422],
  ['users/search.json?query=role:agent&page=1001&per_page=1', 422],
  ['users.json?page[size]=100', 200],
  ['search.json?query=type:ticket&page=10&per_page=100', 200],
])('a list ends where Zendesk ends it: %s', async (path, status) => {
  await using account = await connect();

  expect((await account.send('GET', path)).status).toBe(status);
});

test('makes several tags of one with a space, wherever it is written', async () => {
  await using account = await connect();
  const tags = ['nice person', 'vip,late'];

  await account.send('PUT', `users/${account.user.id}.json`, { user: { tags } });
  await account.send('PUT', `tickets/${account.ticket.id}.json`, { ticket: { tags } });
  const made = await account.send('POST', 'organizations.json', { organization: { name: 'Acme', tags } });

  const split = ['nice', 'person', 'vip', 'late'];
  expect([account.zendesk.users[1]?.tags, account.zendesk.tickets[0]?.tags]).toEqual([split, split]);
  expect(made.body).toMatchObject({ organization: { tags: split } });
});

test('says that it could not read broken JSON', async () => {
  await using account = await connect();

  expect(await account.send('POST', 'users.json', '{"user":')).toEqual({
    status: 422,
    body: { error: 'Unprocessable Entity', message: 'Server could not parse JSON' },
  });
});

test("takes fields of the account's own", async () => {
  await using account = await connect();
  const { id } = account.zendesk.addField('tickets', 'region');

  const { status } = await account.send('PUT', `tickets/${account.ticket.id}.json`, {
    ticket: { custom_fields: [{ id, value: 'north' }] },
  });
  await account.send('PUT', `users/${account.user.id}.json`, { user: { user_fields: { plan: 'free' } } });

  expect(status).toBe(200);
  expect(account.zendesk.tickets[0]?.custom_fields).toEqual([{ id, value: 'north' }]);
  expect(account.zendesk.users[1]?.user_fields).toEqual({ plan: 'free' });
});
