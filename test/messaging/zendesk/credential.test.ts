import { afterEach, describe, expect, test, vi } from 'vitest';
// Loaded when the first token is asked for; here before that, so that no test measures how long it takes.
import 'oauth4webapi';
import { bearer } from '../../../src/auth/index.ts';
import { createMessagingClient } from '../../../src/messaging/index.ts';
import { zendesk, type ZendeskClientOptions } from '../../../src/messaging/zendesk/index.ts';
import { createMemoryTokenStore } from '../../../src/stores/memory/index.ts';
import { createFakePlatform, testConnectedApp } from '../../../src/dev/testing/index.ts';
import { runCommand } from '../../support/run-command.ts';

const { clientId, clientSecret = '' } = testConnectedApp;

const connect = async (client: Partial<ZendeskClientOptions> = {}) => {
  const platform = createFakePlatform({ messaging: { dialect: 'zendesk', searchDelayMs: 0 } });
  const { messaging: url } = await platform.listen();
  const another = () =>
    createMessagingClient({
      ...zendesk({
        subdomain: 'acme',
        baseUrl: `${url}/api/v2`,
        clientId: () => clientId,
        clientSecret: () => clientSecret,
        ...client,
      }),
      adminId: String(platform.zendesk.ownAgentId),
      backoff: { minimumMs: 0, maximumMs: 0 },
    });
  /** How a token request is answered. */
  const ask = async (body: string, type = 'application/x-www-form-urlencoded') => {
    const answer = await fetch(`${url}/oauth/tokens`, { method: 'POST', headers: { 'content-type': type }, body });
    return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, unknown>> };
  };
  return { platform, url, messaging: another(), another, ask, [Symbol.asyncDispose]: () => platform.close() };
};

const operationsOf = ({ platform }: Pick<Awaited<ReturnType<typeof connect>>, 'platform'>) =>
  platform.requests.map(({ operation, status }) => [operation, status]);

afterEach(() => void vi.useRealTimers());

describe('an OAuth client', () => {
  test('is all that the preset needs', async () => {
    await using account = await connect();

    await account.messaging.admins.me();
    await account.messaging.contacts.create({ name: 'Ada' });

    expect(operationsOf(account)).toEqual([
      ['messaging.oauth.token', 200],
      ['messaging.admins.me', 200],
      ['messaging.contacts.create', 201],
    ]);
  });

  test('gets another token when one has ended, and when the account has ended it', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    await using account = await connect();
    await account.messaging.admins.me();

    vi.advanceTimersByTime(1_800_000);
    await account.messaging.admins.me();
    account.platform.messaging.acceptOnly('another');
    await account.messaging.admins.me();

    expect(operationsOf(account)).toEqual([
      ['messaging.oauth.token', 200],
      ['messaging.admins.me', 200],
      ['messaging.oauth.token', 200],
      ['messaging.admins.me', 200],
      ['messaging.admins.me', 401],
      ['messaging.oauth.token', 200],
      ['messaging.admins.me', 200],
    ]);
  });

  test('counts a token for 30 minutes whose answer has no lifetime', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    await using account = await connect();
    account.platform.fault('messaging.oauth.token', [
      { status: 201, body: { access_token: 'without-an-end', token_type: 'bearer', scope: 'read write' } },
    ]);
    account.platform.messaging.acceptOnly('without-an-end');
    await account.messaging.admins.me();

    vi.advanceTimersByTime(1_799_000);
    await account.messaging.admins.me();

    expect(operationsOf(account).map(([operation]) => operation)).toEqual([
      'messaging.oauth.token',
      'messaging.admins.me',
      'messaging.oauth.token',
      'messaging.admins.me',
    ]);
  });

  test.each([
    ['invalid_client', { clientSecret: () => 'wrong' }, /invalid_client\): check the client id/],
    ['invalid_client', { clientId: () => '360017' }, /invalid_client\): check the client id/],
    ['invalid_scope', { scope: 'read tikets:read' }, /invalid_scope\): the client may not have the scope/],
  ])('that is refused is a readable %s', async (reason, client, message) => {
    await using account = await connect(client);

    await expect(account.messaging.admins.me()).rejects.toMatchObject({
      reason,
      message: expect.stringMatching(message),
    });
  });

  test('that may only read is refused by name when it writes', async () => {
    await using account = await connect({ scope: 'read' });
    await account.messaging.admins.me();

    await expect(account.messaging.contacts.create({ name: 'Ada' })).rejects.toMatchObject({
      status: 403,
      codes: ['MissingScope'],
      message: expect.stringContaining('MissingScope (write)'),
    });
  });
});

describe('a customer who has connected their account', () => {
  test('has a refresh token that works once', async () => {
    const kept = { refreshToken: 'test-refresh-token' };
    const store = createMemoryTokenStore();
    await using account = await connect({
      refreshToken: () => kept.refreshToken,
      onRefreshToken: (token) => {
        kept.refreshToken = token;
      },
      store,
    });

    await account.messaging.admins.me();
    await account.another().admins.me();
    account.platform.messaging.acceptOnly('another');
    await account.messaging.admins.me();

    expect(kept.refreshToken).toBe('zendesk-refresh-2');
    expect(operationsOf(account).filter(([operation]) => operation === 'messaging.oauth.token')).toHaveLength(2);
  });

  test('and whose old pair ends with a new one', async () => {
    await using account = await connect();
    const form = (token: string) =>
      String(
        new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: token,
          client_id: clientId,
          client_secret: clientSecret,
        }),
      );
    const first = await account.ask(form('test-refresh-token'));
    const second = await account.ask(form(String(first.body['refresh_token'])));
    const third = await account.ask(form(String(first.body['refresh_token'])));
    const read = async (token: unknown) =>
      (await fetch(`${account.url}/api/v2/users/me.json`, { headers: { authorization: `Bearer ${String(token)}` } }))
        .status;

    expect([first.status, second.status, third.status]).toEqual([200, 200, 400]);
    expect([await read(first.body['access_token']), await read(second.body['access_token'])]).toEqual([401, 200]);
  });
});

describe('the token endpoint of the fake account', () => {
  const own = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };

  test.each([
    [
      'a form',
      (given: object) => String(new URLSearchParams(Object.entries(given))),
      'application/x-www-form-urlencoded',
    ],
    ['JSON', (given: object) => JSON.stringify(given), 'application/json'],
  ])('takes %s, and gives a lifetime if asked for one', async (_, write, type) => {
    await using account = await connect();

    const asked = await account.ask(write({ ...own, scope: 'read write', expires_in: 3_600 }), type);
    const unasked = await account.ask(write({ ...own, scope: 'read' }), type);

    expect(asked).toEqual({
      status: 200,
      body: { access_token: 'zendesk-access-1', token_type: 'bearer', scope: 'read write', expires_in: 3_600 },
    });
    expect(unasked.body).toEqual({ access_token: 'zendesk-access-2', token_type: 'bearer', scope: 'read' });
  });

  test.each([
    ['a lifetime of 300 seconds', { expires_in: 300 }, 'invalid_request'],
    ['a lifetime of two days', { expires_in: 172_800 }, 'invalid_request'],
    ['a parameter that it does not know', { expires: 1_800 }, 'invalid_request'],
    ['no scope', { scope: '' }, 'invalid_scope'],
    ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
  ])('refuses %s', async (_, given, error) => {
    await using account = await connect();

    const { status, body } = await account.ask(
      JSON.stringify({ ...own, scope: 'read write', ...given }),
      'application/json',
    );

    expect([status, body['error']]).toEqual([400, error]);
  });

  test('issues a token with write alone, with which nothing works', async () => {
    await using account = await connect();
    const { body } = await account.ask(JSON.stringify({ ...own, scope: 'write' }), 'application/json');
    const messaging = createMessagingClient({
      ...zendesk({ subdomain: 'acme', baseUrl: `${account.url}/api/v2` }),
      authenticate: bearer(() => String(body['access_token'])),
      adminId: '7',
    });

    await expect(messaging.admins.me()).rejects.toMatchObject({ status: 403, codes: ['MissingScope'] });
    await expect(messaging.contacts.create({ name: 'Ada' })).rejects.toMatchObject({ status: 403 });
  });
});

test.each<[field: string, client: object]>([
  ['clientSecret', { clientId: () => 'id' }],
  ['clientId', { clientSecret: () => 'secret' }],
  ['clientSecret', { clientId: () => 'id', clientSecret: 'secret' }],
  ['clientId', { store: createMemoryTokenStore() }],
  ['scope', { clientId: () => 'id', clientSecret: () => 'secret', scope: 'write' }],
  ['scope', { clientId: () => 'id', clientSecret: () => 'secret', scope: 'write users:read' }],
  ['scope', { clientId: () => 'id', clientSecret: () => 'secret', scope: ' ' }],
  ['onRefreshToken', { clientId: () => 'id', clientSecret: () => 'secret', refreshToken: () => 'r' }],
  ['refreshToken', { clientId: () => 'id', clientSecret: () => 'secret', onRefreshToken: () => undefined }],
  ['baseUrl', { baseUrl: 'acme' }],
])('a client that can not work is refused: %s', (field, client) => {
  expect(() => zendesk({ subdomain: 'acme', ...client } as never)).toThrow(
    expect.objectContaining({ code: 'invalid_argument', field }),
  );
});

test('API tokens warn of their end, once in a process', async () => {
  const program = `
    import { zendeskToken } from './src/messaging/zendesk/index.ts';
    process.on('warning', ({ code, message }) => console.log(code, message));
    for (let made = 0; made < 2; made += 1) zendeskToken({ email: 'voice-agent@acme.example', token: () => 'x' });
  `;

  const printed = await runCommand(process.execPath, ['--input-type=module', '--eval', program], { cwd: '.' });

  expect(printed.trim().split('\n')).toEqual([expect.stringMatching(/^zendesk_api_tokens_end .*2027-04-30/)]);
});
