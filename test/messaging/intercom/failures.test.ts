import { describe, expect, test } from 'vitest';
import { RetriesExhaustedError } from '../../../src/core/errors.ts';
import type { MessagingClient } from '../../../src/messaging/index.ts';
import { hasIntercomCode, intercom } from '../../../src/messaging/intercom/index.ts';
import type { Fault, OperationName } from '../../../src/dev/testing/index.ts';
import { failureOf } from '../../support/connect.ts';
import { type ConnectedIntercom, connectIntercom } from '../../support/connected-intercom.ts';
import { operationsOf } from '../../support/connected-platform.ts';
import { passing, until } from '../../support/until.ts';

const executeThenDrop: Fault = { executeThenDrop: true };

const { usedUpForMs } = intercom().dialect.http ?? {};

const withConversation = async () => {
  const connected = await connectIntercom();
  connected.platform.messaging.addContact({ id: 'ada' });
  connected.platform.messaging.addTeam({ id: 'team_2' });
  connected.platform.messaging.addConversation({ id: 'talk', contact_id: 'ada' });
  return connected;
};

describe('a write that would be done twice', () => {
  const writes: readonly [OperationName, (client: MessagingClient) => Promise<unknown>][] = [
    ['messaging.conversations.reply', (client) => client.conversations.reply('talk', { body: 'Hello' })],
    ['messaging.conversations.addNote', (client) => client.conversations.addNote('talk', { body: 'Hello' })],
    ['messaging.conversations.create', (client) => client.conversations.create({ contactId: 'ada', body: 'Rang' })],
    [
      'messaging.conversations.assignToTeam',
      (client) => client.conversations.assignToTeam('talk', { teamId: 'team_2' }),
    ],
    ['messaging.contacts.create', (client) => client.contacts.create({ phone: '+14155550100' })],
  ];
  const ambiguous: readonly [string, Fault][] = [
    ['a dropped connection', executeThenDrop],
    ['a 503 after it was done', { status: 503, executed: true }],
    ['a 408', { status: 408, executed: true, body: { type: 'error.list', errors: [{ code: 'request_timeout' }] } }],
    ['half an answer', { truncate: true }],
  ];

  test.each(
    writes.flatMap(([operation, write], index) =>
      // All of them for the first write, and one for each of the others, which fail in the same way.
      (index === 0 ? ambiguous : ambiguous.slice(0, 1)).map(
        ([what, fault]) => [operation, what, fault, write] as const,
      ),
    ),
  )('%s is not sent again after %s, and says that it may be done', async (operation, _what, fault, write) => {
    await using connected = await withConversation();
    connected.platform.fault(operation, [fault]);
    const error = await failureOf(write(connected.client));
    expect(error).toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(error).not.toHaveProperty('idempotencyKey');
    expect(connected.platform.effects(operation)).toBe(1);
  });

  test.each(writes.slice(0, 2))('%s is sent again after a 429, which did nothing', async (operation, write) => {
    await using connected = await withConversation();
    // The window ends soon enough.
    await connected.clock.advance(6_000);
    connected.platform.fault(operation, [{ status: 429 }]);
    await write(connected.client);
    expect(connected.platform.effects(operation)).toBe(1);
  });
});

describe('a contact whose creation is in doubt', () => {
  test('is looked up by its external id, without a search that may not know it', async () => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    platform.fault('messaging.contacts.create', [executeThenDrop]);
    const contact = await client.contacts.create({ external_id: 'c-7', phone: '+14155550100' });
    expect(platform.messaging.contacts).toMatchObject([{ id: contact.id, external_id: 'c-7' }]);
    expect(operationsOf(platform)).toEqual(['messaging.contacts.create', 'messaging.contacts.getByExternalId']);
  });

  test('is made again when its external id is unknown', async () => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    platform.fault('messaging.contacts.create', [{ reset: 'before-headers' }]);
    await client.contacts.create({ external_id: 'c-7' });
    expect(operationsOf(platform)).toEqual([
      'messaging.contacts.create',
      'messaging.contacts.getByExternalId',
      'messaging.contacts.create',
    ]);
    expect(platform.messaging.contacts).toHaveLength(1);
  });

  test('is sent again by its address, whose second contact is refused with the id of the first', async () => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    platform.fault('messaging.contacts.create', [executeThenDrop]);
    const { contact, created, matchedBy } = await client.contacts.findOrCreate({ email: 'ada@example.com' });
    expect({ created, matchedBy, email: contact.email }).toEqual({
      created: false,
      matchedBy: 'conflict',
      email: 'ada@example.com',
    });
    expect(platform.messaging.contacts).toHaveLength(1);
  });

  test('is not sent again as a lead with an address, of which there may be several', async () => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    platform.fault('messaging.contacts.create', [executeThenDrop]);
    const error = await failureOf(client.contacts.create({ role: 'lead', email: 'ada@example.com' }));
    expect(error).toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(platform.messaging.contacts).toHaveLength(1);
  });
});

describe('the rate limit', () => {
  const waits = ({ events }: ConnectedIntercom) =>
    events.flatMap((event) => (event.type === 'attempt' ? event.waits : []));

  test('is waited for until the window that Intercom names ends', async () => {
    await using connected = await connectIntercom({
      fake: { rateLimit: { limit: 2, perMs: 10_000 } },
      rateLimit: false,
    });
    const { client, clock } = connected;
    await clock.advance(6_000);
    for (let call = 0; call < 2; call += 1) await client.admins.me();
    const limited = client.admins.me();
    await until(() => connected.platform.requests.length === 3 && clock.pendingTimers() > 1);
    await clock.advance(4_000);
    await limited;
    expect(waits(connected)).toEqual([{ reason: 'retry_after', ms: 4_000 }]);
    expect(connected.platform.requests.map(({ status }) => status)).toEqual([200, 200, 429, 200]);
    expect(connected.platform.requests[2]?.headers).not.toHaveProperty('retry-after');
  });

  test('that takes longer than the person can wait ends at once and says how long', async () => {
    await using connected = await connectIntercom({
      fake: { rateLimit: { limit: 1, perMs: 10_000 } },
      rateLimit: false,
    });
    const { client } = connected;
    await client.admins.me();
    const error = await failureOf(client.admins.me());
    expect(error).toMatchObject({ reason: 'rate_limited', attempts: 1, retryAfterMs: 10_000 });
    expect(hasIntercomCode(error, 'rate_limit_exceeded')).toBe(true);
  });

  test('is waited for without a refusal when the last answer said that nothing remains', async () => {
    await using connected = await connectIntercom({ fake: { rateLimit: { limit: 2, perMs: 10_000 } } });
    const { client, clock, platform } = connected;
    await clock.advance(6_000);
    for (let call = 0; call < 3; call += 1) await client.admins.me();
    expect(platform.requests.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(waits(connected)).toEqual([{ reason: 'rate_limit', ms: 4_000 }]);
  });

  test.each([
    ['something remains', { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '1795262405' }],
    ['the reset is not said', { 'x-ratelimit-remaining': '0' }],
    ['the reset is no time', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' }],
  ])('lets the next call through at once when %s', (_what, headers) => {
    expect(usedUpForMs?.(new Map(Object.entries(headers)), Date.UTC(2026, 10, 21, 12)) ?? 0).toBe(0);
  });

  test('is waited for one window at most after an answer that succeeded', () => {
    const headers = new Map([
      ['x-ratelimit-remaining', '0'],
      ['x-ratelimit-reset', '1795269999'],
    ]);
    expect(usedUpForMs?.(headers, Date.UTC(2026, 10, 21, 12))).toBe(10_000);
  });

  test('is never met by a client that keeps to its windows', async () => {
    await using connected = await connectIntercom({ deadlineMs: 1_000_000, maximumDeadlineMs: 1_000_000 });
    const { client, clock, platform } = connected;
    await clock.advance(7_300);
    const calls = Promise.all(Array.from({ length: 400 }, () => client.admins.me()));
    await passing(clock, calls);
    expect(platform.requests).toHaveLength(400);
    expect(platform.requests.filter(({ status }) => status === 429)).toEqual([]);
  });

  test('Retry-After is believed where there is one', async () => {
    await using connected = await connectIntercom();
    connected.platform.fault('messaging.admins.me', [{ status: 429, retryAfter: 2 }]);
    await connected.client.admins.me();
    expect(waits(connected)).toEqual([{ reason: 'retry_after', ms: 2_000 }]);
  });

  test.each(['', '0'])('a reset of "%s" says nothing', async (reset) => {
    await using connected = await connectIntercom();
    connected.platform.fault('messaging.admins.me', [{ status: 429, headers: { 'x-ratelimit-reset': reset } }]);
    await connected.client.admins.me();
    expect(waits(connected)).toEqual([{ reason: 'retry_after', ms: 1_000 }]);
  });

  test('a window that is over by the server’s own clock is not waited for', async () => {
    await using connected = await connectIntercom();
    const headers = { 'x-ratelimit-reset': '1795262410', date: 'Sat, 21 Nov 2026 12:00:11 GMT' };
    connected.platform.fault('messaging.admins.me', [{ status: 429, headers }]);
    await connected.client.admins.me();
    expect(waits(connected)).toEqual([{ reason: 'retry_after', ms: 0 }]);
  });
});

describe('what Intercom says was wrong', () => {
  test.each([
    ['a credential that is not accepted', 401, 'unauthorized'],
    ['a team that is not there', 404, 'assignee_not_found'],
  ] as const)('%s has its code', async (_what, status, code) => {
    await using connected = await withConversation();
    const body = { type: 'error.list', request_id: 'r1', errors: [{ code, message: 'No.', field: 'assignee_id' }] };
    connected.platform.fault('messaging.conversations.assignToTeam', [{ status, body }]);
    const error = await failureOf(connected.client.conversations.assignToTeam('talk', { teamId: 'team_9' }));
    expect(error).toMatchObject({ code: 'client_error', status, codes: [code], outcome: 'rejected' });
    expect(hasIntercomCode(error, code)).toBe(true);
    expect(hasIntercomCode(error, 'server_error', 'conflict')).toBe(false);
  });

  test('a failure that went on to the end has its code too', async () => {
    await using connected = await connectIntercom();
    const body = { type: 'error.list', errors: [{ code: 'service_unavailable', message: 'Sorry' }] };
    connected.platform.fault('messaging.admins.me', [{ status: 503, body, times: 3 }]);
    const error = await failureOf(connected.client.admins.me());
    expect(error instanceof RetriesExhaustedError && error.codes).toEqual(['service_unavailable']);
  });

  test.each(['', '<h1>Bad gateway</h1>', 'null', '{"errors":[null,7]}', '{"errors":[{}]}'])(
    'the body %j names nothing',
    async (body) => {
      await using connected = await connectIntercom();
      connected.platform.fault('messaging.admins.me', [{ status: 400, body }]);
      const error = await failureOf(connected.client.admins.me());
      expect({
        status: 'status' in error && error.status,
        codes: error.codes?.filter((code) => code !== 'undefined') ?? [],
      }).toEqual({
        status: 400,
        codes: [],
      });
    },
  );

  test('a version that it does not serve is named', async () => {
    await using connected = await connectIntercom({ preset: { version: '3.7' } });
    const error = await failureOf(connected.client.admins.me());
    expect(hasIntercomCode(error, 'intercom_version_invalid')).toBe(true);
    expect(error.message).toBe(
      'messaging.admins.me was refused by the API with status 400: it does not serve version 3.7; pin another one',
    );
  });

  test('no error and no event repeats whom it was about', async () => {
    await using connected = await connectIntercom();
    connected.platform.messaging.addContact({ id: 'ada', email: 'ada@example.com' });
    connected.platform.messaging.archiveContact('ada');
    const error = await failureOf(connected.client.contacts.create({ email: 'ada@example.com' }));
    expect(JSON.stringify([error, connected.events])).not.toContain('ada@example.com');
  });
});
