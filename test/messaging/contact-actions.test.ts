import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { InvalidArgumentError, RetriesExhaustedError } from '../../src/core/errors.ts';
import { createMessagingClient } from '../../src/messaging/index.ts';
import { intercom } from '../../src/messaging/intercom/index.ts';
import { type RecordingServer, startRecordingServer } from '../support/recording-server.ts';

let server: RecordingServer;
let sentBefore: number;
beforeAll(async () => {
  server = await startRecordingServer();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  sentBefore = server.requests.length;
  server.answer({ json: { id: 'x1', name: 'Acme' } });
});

const connect = () =>
  createMessagingClient({
    ...intercom(),
    baseUrl: server.baseUrl,
    authenticate: bearer(() => 'token'),
    adminId: '7',
    backoff: { minimumMs: 1, maximumMs: 1 },
  });
const lines = () => server.requests.slice(sentBefore).map(({ line }) => line);

test('a contact that was archived, blocked, deleted or merged away is found no more', async () => {
  const phone = '+14155550100';
  for (const remove of ['archive', 'block', 'delete', 'merge'] as const) {
    const { contacts } = connect();
    server.answer({ json: { id: 'c1', phone } });
    await contacts.create({ phone });
    server.answer({ json: { data: [] } });
    expect((await contacts.findByPhone(phone))?.contact.id).toBe('c1');

    server.answer({ json: { id: 'c1' } });
    await (remove === 'merge' ? contacts.merge({ fromId: 'c1', intoId: 'c2' }) : contacts[remove]('c1'));

    server.answer({ json: { data: [] } });
    expect(await contacts.findByPhone(phone)).toBeUndefined();
  }
});

test('a tag is found by its name, whatever its case', async () => {
  server.answer({
    json: {
      data: [
        { id: '1', name: 'Rang' },
        { id: '2', name: ' vip ' },
      ],
    },
  });
  const { tags } = connect();

  expect(await tags.findByName('VIP')).toMatchObject({ id: '2' });
  expect(await tags.findByName('none')).toBeUndefined();
  await expect(tags.findByName(' ')).rejects.toThrow(InvalidArgumentError);
});

describe('companies', () => {
  test('one is found by its name or your own id, in a list or by itself', async () => {
    const { companies } = connect();
    server.answer({ json: { type: 'list', data: [{ id: '6', name: 'Acme' }] } });
    expect(await companies.find({ name: 'Acme' })).toMatchObject({ id: '6' });
    server.answer({ json: { type: 'company', id: '6', name: 'Acme' } });
    expect(await companies.find({ companyId: 'acme-7' })).toMatchObject({ id: '6' });
    server.answer({ json: { type: 'list', data: [] } });
    expect(await companies.find({ name: 'Nothing' })).toBeUndefined();
    server.answer({ status: 404, json: { type: 'error.list', errors: [{ code: 'company_not_found' }] } });
    expect(await companies.find({ name: 'Nothing' })).toBeUndefined();

    expect(lines()).toContain('GET /companies?company_id=acme-7');
    await expect(companies.find({})).rejects.toThrow(InvalidArgumentError);
  });

  test('one with an id of yours is created again after an unknown end, another is not', async () => {
    const { companies } = connect();

    server.answer({ status: 503 }, { json: { id: '6' } });
    expect(await companies.create({ company_id: 'acme-7', name: 'Acme' })).toMatchObject({ id: '6' });
    server.answer({ status: 503 }, { json: { id: '6' } });
    await expect(companies.create({ name: 'Acme' })).rejects.toThrow(RetriesExhaustedError);

    expect(lines()).toHaveLength(3);
    await expect(companies.create({ name: 'Acme', monthly_spend: 1.5 })).rejects.toThrow('Intercom cuts off the rest');
  });
});

test.each([
  ['merge', () => connect().contacts.merge({ fromId: 'c1', intoId: 'c2' })],
  ['delete', () => connect().contacts.delete('c1')],
  ['block', () => connect().contacts.block('c1')],
  ['archive', () => connect().contacts.archive('c1')],
  ['a note', () => connect().contacts.notes.create('c1', { body: 'x' })],
  ['a data event', () => connect().dataEvents.create({ name: 'called', contactId: 'c1' })],
  ['a tag', () => connect().tags.create({ name: 'VIP' })],
])('%s is not sent again after an unknown end', async (_, act) => {
  server.answer({ status: 503 }, { json: { id: 'x1' } });

  const error: unknown = await act().catch((error: unknown) => error);

  expect(error).toMatchObject({ outcome: 'unknown' });
  expect(lines()).toHaveLength(1);
});

test('consent is recorded again after an unknown end', async () => {
  server.answer({ status: 503 }, { json: { id: '8' } });

  await connect().contacts.subscriptions.attach('c1', { subscriptionTypeId: '8', consent: 'opt_out' });

  expect(lines()).toEqual(['POST /contacts/c1/subscriptions', 'POST /contacts/c1/subscriptions']);
});

test('a note about a contact is text, whatever was said', async () => {
  await connect().contacts.notes.create('c1', { body: 'wait < 5 min <img src=x>' });

  expect(server.requests.at(-1)?.body).toEqual({ body: 'wait &lt; 5 min &lt;img src=x&gt;', admin_id: '7' });
});

test('a data event needs a person and a name', async () => {
  const { dataEvents } = connect();

  await expect(dataEvents.create({ name: 'called' })).rejects.toThrow(InvalidArgumentError);
  await expect(dataEvents.create({ name: '', email: 'ada@example.com' })).rejects.toThrow(InvalidArgumentError);
});
