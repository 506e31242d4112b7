import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiClient } from '../../src/api/create-api-client.ts';
import { bearer } from '../../src/auth/index.ts';
import { createCrmClient } from '../../src/crm/index.ts';
import { createMessagingClient } from '../../src/messaging/index.ts';
import { type RecordingServer, startRecordingServer } from '../support/recording-server.ts';

let server: RecordingServer;
beforeAll(async () => {
  server = await startRecordingServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const shared = () => ({ baseUrl: server.baseUrl, authenticate: bearer(() => 'token') });

const writes: readonly [string, () => Promise<unknown>][] = [
  [
    'crm.leads.update',
    () => createCrmClient({ ...shared(), version: '60.0' }).leads.update('00Q1', { Company: 'Acme' }),
  ],
  ['crm.tasks.delete', () => createCrmClient({ ...shared(), version: '60.0' }).tasks.delete('00T1')],
  ['messaging.contacts.delete', () => messaging().contacts.delete('c1')],
  ['messaging.contacts.archive', () => messaging().contacts.archive('c1')],
  ['messaging.dataEvents.create', () => messaging().dataEvents.create({ name: 'called', contactId: 'c1' })],
  ['orders.cancel', () => orders().cancel({ id: '1' })],
  ['orders.forget', () => orders().forget({ id: '1' })],
  ['orders.own', () => orders().request({ operation: 'orders.own', method: 'POST', path: 'own', returns: () => 1 })],
];

const messaging = () => createMessagingClient({ ...shared(), platform: 'Acme', version: '2.11', adminId: '7' });

const orders = () =>
  createApiClient({
    ...shared(),
    name: 'orders',
    version: 'in-base-url',
    endpoints: {
      get: { method: 'GET', path: 'orders/{id}' },
      check: { method: 'POST', path: 'orders/{id}/check', effect: 'read' },
      cancel: { method: 'POST', path: 'orders/{id}/cancel' },
      forget: { method: 'DELETE', path: 'orders/{id}', returns: () => undefined },
      validate: { method: 'POST', path: 'orders/{id}/validate', returns: (json: unknown) => json },
    },
  });

const failures = [
  { ok: false },
  { success: false },
  { success: 'false', message: 'no' },
  { success: 0 },
  { id: '1', success: false, errors: [] },
  { error: 'locked' },
  { error: { code: 'LOCKED' } },
  { error: true },
  { id: '1', error: 'locked' },
  { errors: ['locked'] },
  { errors: { name: ['is taken'] } },
  { status: 'error' },
  { status: 'Failed', message: 'no' },
  { status: 423 },
  { statusCode: 500, message: 'no' },
  { data: { success: false } },
  [{ success: false }],
  false,
];

const successes = [
  undefined,
  null,
  true,
  '"OK"',
  {},
  [],
  { ok: true },
  { success: true, error: 'the cache is old' },
  { error: null, errors: [] },
  { error: '', errors: {} },
  { error: false },
  { id: '1', status: 'error' },
  { Id: '00T1', Status: 'failed' },
  { status: 'ok' },
  { status: 200 },
  { status: 'archived', id: 'c1' },
  { id: '1', data: { success: false } },
  { data: { status: 'error' } },
];

test.each(writes)('%s is refused by a success that says it failed', async (operation, write) => {
  for (const json of failures) {
    server.answer({ json });
    const sent = server.requests.length;
    await expect(write(), JSON.stringify(json)).rejects.toMatchObject({
      code: 'client_error',
      outcome: 'rejected',
      operation,
    });
    expect(server.requests.length - sent).toBe(1);
  }
});

test.each(writes)('%s is done by a success that says nothing else', async (_operation, write) => {
  for (const json of successes) {
    server.answer(json === undefined ? { status: 204 } : { json });
    await expect(
      write().then(() => 'done'),
      JSON.stringify(json),
    ).resolves.toBe('done');
  }
});

test('what is read is left to its reader', async () => {
  for (const json of failures) {
    server.answer({ json });
    expect(await orders().get({ id: '1' })).toEqual(json);
    expect(await orders().check({ id: '1' })).toEqual(json);
    expect(await orders().validate({ id: '1' })).toEqual(json);
  }
});
