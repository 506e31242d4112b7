import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createLogger } from '@stoplight/prism-core';
import { getHttpOperationsFromSpec } from '@stoplight/prism-http';
import { createServer } from '@stoplight/prism-http-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { startRecordingServer } from '../support/recording-server.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
let folder: string;
beforeAll(async () => {
  // Within the project, so that the imports of what is written lead somewhere.
  folder = await mkdtemp(join(here, 'generated-'));
  Object.assign(process.env, {
    BOOKINGS_GATEWAY: 'gateway',
    BOOKINGS_CLIENT_ID: 'id',
    BOOKINGS_CLIENT_SECRET: 'secret',
    SHOP_KEY: 'key',
    INTERCOM_TOKEN: 'token',
  });
});
afterAll(() => rm(folder, { recursive: true }));

/** Any operation of a client that was written while the test runs. */
type Written = Record<string, (args?: object, call?: object) => Promise<unknown>>;

/**
 * Writes a client of a description, starts Prism with the same description, and connects the two. Prism refuses whatever
 * the description doesn't allow.
 */
const connect = async (file: string, name: string, change = (code: string) => code) => {
  const operations = await getHttpOperationsFromSpec(file);
  const prism = createServer(operations, {
    cors: false,
    components: { logger: createLogger(name, { enabled: false }) },
    config: {
      isProxy: false,
      errors: true,
      validateRequest: true,
      validateResponse: false,
      checkSecurity: true,
      upstreamProxy: undefined,
      mock: { dynamic: false, seed: name },
    },
  });
  const baseUrl = await prism.listen(0, '127.0.0.1');
  const out = join(folder, `${name}.ts`);
  expect(await runCli(['init', 'api', file, '--out', out])).toMatchObject({ exitCode: 0 });
  const code = (await readFile(out, 'utf8')).replace(/baseUrl: '[^']*'/, `baseUrl: '${baseUrl}'`);
  await writeFile(out, change(code));
  // The file was written a moment ago, and what is in it is what this test is about.
  const written = (await import(pathToFileURL(out).href)) as Record<string, Written>;
  return { client: written[name] ?? {}, [Symbol.asyncDispose]: () => prism.close() };
};

const described = (name: string) => fileURLToPath(new URL(`../support/descriptions/${name}`, import.meta.url));

describe('a client of a description in YAML (3.1)', () => {
  let bookings: Awaited<ReturnType<typeof connect>>;
  let tokens: Awaited<ReturnType<typeof startRecordingServer>>;
  beforeAll(async () => {
    tokens = await startRecordingServer();
    tokens.answer({ json: { access_token: 'token', token_type: 'bearer', expires_in: 3600 } });
    bookings = await connect(described('bookings.yaml'), 'bookings', (code) =>
      code.replace('https://login.bookings.example.com/token', `${tokens.baseUrl}/token`),
    );
  });
  afterAll(async () => {
    await bookings[Symbol.asyncDispose]();
    await tokens[Symbol.asyncDispose]();
  });

  test.each<[operation: string, args: object, answer: unknown]>([
    ['get', { bookingId: 'b_1', include: ['notes', 'car'] }, { contact: { kind: 'person' } }],
    [
      'change',
      { bookingId: 'b_1', body: { at: '2026-05-04T09:00:00+02:00', seats: 2, note: null } },
      { id: expect.any(String) },
    ],
    ['cancel', { bookingId: 'b_1' }, undefined],
    [
      'payDeposit',
      { bookingId: 'b_1', body: { amount: 500, source: 'card_1', expand: ['a', 'b'] } },
      { receipt: 'string' },
    ],
    [
      'searchBookings',
      { body: { operator: 'AND', conditions: [{ operator: '=', field: 'x', value: 1 }] } },
      [{ id: expect.any(String) }],
    ],
    ['getStatus', {}, 'string'],
  ])('%s', async (operation, args, answer) => {
    const given = await bookings.client[operation]?.(args);
    if (typeof answer === 'object') expect(given).toMatchObject(answer as object);
    else expect(given).toBe(answer);
  });

  test('a header that its operation needs goes with the call', async () => {
    const body = { email: 'ada@example.com', contact: { kind: 'company', company: 'Acme', vat: null } };
    const create = (call?: object) => bookings.client['create']?.({ body }, call);

    await expect(create()).rejects.toMatchObject({ status: 422 });
    expect(await create({ headers: { 'X-Workshop': 'w_1' } })).toMatchObject({ id: expect.any(String) });
  });

  test('what the description forbids is refused before it is sent', async () => {
    const pay = bookings.client['payDeposit']?.({ bookingId: 'b_1', body: { amount: 0, source: 'cash' } });

    await expect(pay).rejects.toMatchObject({ code: 'invalid_argument', field: 'body.amount', outcome: 'not_sent' });
  });
});

describe('a client of a description in JSON (3.0)', () => {
  let shop: Awaited<ReturnType<typeof connect>>;
  beforeAll(async () => {
    shop = await connect(described('shop.json'), 'shop');
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  test.each<[operation: string, args: object, answer: unknown]>([
    [
      'listOrders',
      { limit: 5, status: ['open', 'paid'] },
      { orders: [expect.objectContaining({ total: 0 })], cursor: 'string' },
    ],
    ['createOrders', { body: [{ sku: 'tea', count: 2 }, { sku: 'salt' }] }, [0]],
    ['getInvoice', { id: 17 }, Uint8Array],
    ['refundOrder', { id: 17, body: { amount: 0.5 } }, { receipt: 'string' }],
  ])('%s', async (operation, args, answer) => {
    const given = await shop.client[operation]?.(args);
    expect(answer === Uint8Array ? given?.constructor : given).toEqual(answer === Uint8Array ? Uint8Array : answer);
  });
});

describe('a client of Intercom’s description', () => {
  let intercom: Awaited<ReturnType<typeof connect>>;
  beforeAll(async () => {
    intercom = await connect(join(here, 'intercom/api.intercom.io-2.16.yaml'), 'intercom');
  }, 120_000);
  afterAll(() => intercom[Symbol.asyncDispose]());

  const search = { query: { operator: 'AND', value: [{ field: 'phone', operator: '=', value: '+14155550100' }] } };

  test.each<[operation: string, args: object, answer: object]>([
    ['identifyAdmin', {}, { type: 'admin' }],
    ['showContact', { contact_id: '667d60a78b68186f43bafd9c' }, { type: 'contact' }],
    ['createContact', { body: { email: 'ada@example.com', role: 'user' } }, { type: 'contact' }],
    ['updateContact', { contact_id: '667d60a78b68186f43bafd9c', body: { name: 'Ada' } }, { type: 'contact' }],
    ['searchContacts', { body: search }, { type: 'list' }],
    ['listConversations', { per_page: 5 }, { type: 'conversation.list' }],
    ['listAdmins', {}, { type: 'admin.list' }],
    [
      'replyConversation',
      { conversation_id: '471', body: { message_type: 'note', type: 'admin', admin_id: '1', body: 'Hello' } },
      { type: 'conversation' },
    ],
    ['listTags', {}, { type: 'list' }],
    ['retrieveACompanyById', { company_id: '667d6' }, { type: 'company' }],
  ])('%s', async (operation, args, answer) => {
    expect(await intercom.client[operation]?.(args)).toMatchObject(answer);
  });
});
