import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { createCrmClient } from '../../src/crm/index.ts';
import { hubspot } from '../../src/crm/hubspot/index.ts';
import { salesforce } from '../../src/crm/salesforce/index.ts';
import { createIntegration, type Integration } from '../../src/integration.ts';
import { createMessagingClient } from '../../src/messaging/index.ts';
import { intercom } from '../../src/messaging/intercom/index.ts';
import { zendesk } from '../../src/messaging/zendesk/index.ts';
import { type RecordingServer, startRecordingServer } from '../support/recording-server.ts';
import { optionsAt } from './clients.ts';

let server: RecordingServer;
let before: number;

beforeAll(async () => {
  server = await startRecordingServer();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  before = server.requests.length;
  server.answer({ json: { id: '1' } });
});

const keys = () => server.requests.slice(before).map(({ headers }) => headers['idempotency-key']);
const backoff = { minimumMs: 0, maximumMs: 0 };
const payment = { customer_id: 'cus_1', invoice_id: 'inv_1', amount: 120.5, payment_method_id: 'pm_1' };

type Write = (integration: Integration, key?: string) => Promise<unknown>;

const writes: readonly (readonly [name: string, write: Write])[] = [
  [
    'contacts.create',
    ({ messaging }, idempotencyKey) => messaging.contacts.create({ name: 'Ann' }, { idempotencyKey }),
  ],
  [
    'contacts.update',
    ({ messaging }, idempotencyKey) => messaging.contacts.update('1', { name: 'Ann' }, { idempotencyKey }),
  ],
  [
    'conversations.create',
    ({ messaging }, idempotencyKey) =>
      messaging.conversations.create({ contactId: '1', body: 'Hello.' }, { idempotencyKey }),
  ],
  [
    'conversations.reply',
    ({ messaging }, idempotencyKey) => messaging.conversations.reply('1', { body: 'Hello.' }, { idempotencyKey }),
  ],
  [
    'conversations.addNote',
    ({ messaging }, idempotencyKey) => messaging.conversations.addNote('1', { body: 'Angry.' }, { idempotencyKey }),
  ],
  [
    'conversations.tags.attach',
    ({ messaging }, idempotencyKey) => messaging.conversations.tags.attach('1', { tagId: 't' }, { idempotencyKey }),
  ],
  ['leads.create', ({ crm }, idempotencyKey) => crm.leads.create({ LastName: 'Lee' }, { idempotencyKey })],
  ['tasks.create', ({ crm }, idempotencyKey) => crm.tasks.create({ Subject: 'Call' }, { idempotencyKey })],
];

const connect = (): Integration => createIntegration(optionsAt(server.baseUrl));

describe('every write of the interface document carries a key', () => {
  it.each(writes)('%s makes one, and another for the next write', async (_name, write) => {
    const integration = connect();
    await write(integration);
    await write(integration);

    expect(keys()).toEqual([expect.stringMatching(/^[\w-]{36}$/), expect.stringMatching(/^[\w-]{36}$/)]);
    expect(new Set(keys()).size).toBe(2);
  });

  it.each(writes)('%s sends the one that it is given', async (_name, write) => {
    await write(connect(), 'CA1:step');

    expect(keys()).toEqual(['CA1:step']);
  });

  it('a payment has it in the body too', async () => {
    server.answer({ json: { status: 'completed' } });
    await connect().billing.payments.create(payment);

    expect(server.requests.at(-1)?.body).toMatchObject({ idempotency_key: keys()[0] });
  });

  it('a read has none', async () => {
    const { messaging, crm } = connect();
    await messaging.contacts.get('1');
    server.answer({ json: [] });
    await crm.leads.search({ phone: '+14155550100' });

    expect(keys()).toEqual([undefined, undefined]);
  });
});

describe('all attempts of a write carry the same key', () => {
  it.each([
    ['an update', (integration: Integration) => integration.messaging.contacts.update('1', { name: 'Ann' })],
    ['a tag', (integration: Integration) => integration.messaging.conversations.tags.attach('1', { tagId: 't' })],
    ['a change of a lead', (integration: Integration) => integration.crm.leads.update('1', { Status: 'Open' })],
  ])('%s that got a 503', async (_name, write) => {
    server.answer({ status: 503 }, { json: { id: '1' } });
    const options = optionsAt(server.baseUrl);
    await write(
      createIntegration({
        ...options,
        messaging: { ...options.messaging, backoff },
        crm: { ...options.crm, backoff },
      }),
    );

    expect(keys()).toHaveLength(2);
    expect(new Set(keys()).size).toBe(1);
  });

  it.each(writes.filter(([name]) => /create|reply|addNote/.test(name) && !/contacts|leads/.test(name)))(
    '%s is sent once all the same: a key that is carried is not a key that is honoured',
    async (_name, write) => {
      server.answer({ status: 503 });

      await expect(write(connect())).rejects.toMatchObject({ outcome: 'unknown', attempts: 1 });
      expect(keys()).toEqual([expect.any(String)]);
    },
  );
});

describe('a platform that knows no keys gets none', () => {
  const authenticate = bearer(() => 'token');
  const at = () => ({ baseUrl: server.baseUrl, authenticate });
  const call = { idempotencyKey: 'CA1:step' };

  it.each<readonly [name: string, write: () => Promise<unknown>]>([
    [
      'a note in Intercom',
      () =>
        createMessagingClient({ ...intercom(), ...at(), adminId: '7' }).conversations.addNote('1', { body: 'x' }, call),
    ],
    ['a lead in Salesforce', () => createCrmClient({ ...salesforce(), ...at() }).leads.create({ LastName: 'x' }, call)],
    [
      'an upsert in Salesforce, whose path has the key',
      () =>
        createCrmClient({ ...salesforce({ externalIdField: 'Call_Id__c' }), ...at() }).tasks.create(
          { Subject: 'x' },
          call,
        ),
    ],
    ['a Task in HubSpot', () => createCrmClient({ ...hubspot(), ...at() }).tasks.create({ Subject: 'x' }, call)],
    [
      'a note in Zendesk',
      () =>
        createMessagingClient({ ...zendesk({ subdomain: 'acme' }), ...at(), adminId: '7' }).conversations.addNote(
          '1',
          { body: 'x' },
          call,
        ),
    ],
    [
      'the default API of a client that says so',
      () => createCrmClient({ ...at(), version: '60.0', idempotency: 'none' }).tasks.create({ Subject: 'x' }, call),
    ],
  ])('%s', async (_name, write) => {
    server.answer({ json: { id: '1', ticket: { id: 1 } } });
    await write();

    expect(server.requests.length).toBeGreaterThan(before);
    expect(new Set(keys())).toEqual(new Set([undefined]));
  });

  it('a new ticket in Zendesk is another matter', async () => {
    server.answer({ json: { ticket: { id: 1 } } });
    const { conversations } = createMessagingClient({ ...zendesk({ subdomain: 'acme' }), ...at() });
    await conversations.create({ contactId: '1', body: 'x' }, call);

    expect(keys()).toEqual(['CA1:step']);
  });
});
