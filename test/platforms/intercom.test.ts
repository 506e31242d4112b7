import { afterAll, describe, expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { ClientError } from '../../src/core/errors.ts';
import type { HttpRequest, HttpResponse, Middleware } from '../../src/http/request.ts';
import { type Contact, createMessagingClient } from '../../src/messaging/index.ts';
import { intercom } from '../../src/messaging/intercom/index.ts';
import type { IntegrationEvent } from '../../src/observability/events.ts';
import { type DescribedAnswer, type DescribedOperation, startIntercomMock } from './intercom-mock.ts';
import { adminId, contactId, rows } from './intercom-rows.ts';

const mock = await startIntercomMock();
afterAll(() => mock[Symbol.asyncDispose]());

/** Which of the described answers an operation is to give. */
type Prefer = (operation: DescribedOperation) => string;

/** Changes an answer that the mock gave, so that what was sent is still checked. */
type Rewrite = (response: HttpResponse, request: HttpRequest) => HttpResponse;

/** A client of the mock, with what it sent and told. */
const connect = (prefer: Prefer = firstSuccess, rewrite?: Rewrite) => {
  const sent: HttpRequest[] = [];
  const events: IntegrationEvent[] = [];
  const choose: Middleware = async (request, next) => {
    sent.push(request);
    const operation = mock.operationFor(request);
    if (!operation) return next(request);
    const response = await next({ ...request, headers: { ...request.headers, prefer: prefer(operation) } });
    return rewrite ? rewrite(response, request) : response;
  };
  const client = createMessagingClient({
    ...intercom(),
    adminId,
    baseUrl: mock.baseUrl,
    authenticate: bearer(() => 'token'),
    middleware: { perAttempt: [choose] },
    onEvent: (event) => events.push(event),
  });
  return { client, sent, events };
};

const asked = ({ status, example }: DescribedAnswer) => `code=${status}, example="${example}"`;
const successes = ({ answers }: DescribedOperation) => answers.filter(({ status }) => status < 300);
const refusals = ({ answers }: DescribedOperation) => answers.filter(({ status }) => status >= 400);

/** For some operations no success is written out. */
const firstSuccess: Prefer = (operation) => {
  const [first] = successes(operation);
  return first ? asked(first) : `code=${operation.success}`;
};

/** This answer of its operation, and of every other one the first. */
const answering =
  (chosen: DescribedAnswer): Prefer =>
  (operation) =>
    operation.answers.includes(chosen) ? asked(chosen) : firstSuccess(operation);

const fromSchema =
  (seed: number): Prefer =>
  ({ success }) =>
    `code=${success}, dynamic=true, seed=${seed}`;

test('every method of the client has a row, so that none is left untried', async () => {
  await using client = connect().client;
  // `warmUp` opens a connection to the base address, and `declaresAttribute` sends nothing.
  const others = ['request', 'warmUp', 'status', 'close', 'contacts.declaresAttribute'];

  const methods = methodsOf(client).filter((name) => !others.includes(name));

  expect(methods.toSorted()).toEqual(Object.keys(rows).toSorted());
});

describe.each(Object.entries(rows))('%s', (method, { asks, call, reads }) => {
  const operations = asks.map((id) => mock.operation(id));
  const last = operations.at(-1)!;

  test('sends what the description allows, and nothing that it does not name', async () => {
    const { client, sent } = connect();

    await call(client);

    expect(sent.map((request) => mock.operationFor(request)?.id)).toEqual(asks);
    for (const { url, headers } of sent) {
      const allowed = operations.flatMap(({ query }) => query);
      expect([...new URL(url).searchParams.keys()].filter((name) => !allowed.includes(name))).toEqual([]);
      expect(headers).not.toHaveProperty('idempotency-key');
    }
  });

  test.each(successes(last))('reads the answer “$example”', async (answer) => {
    const { client, events } = connect(answering(answer));

    reads(await call(client), answer.body);

    expect(driftIn(events)).toEqual([]);
  });

  test.each([1, 2, 3, 4, 5])('reads an answer that only follows the schema (%i)', async (seed) => {
    const { client, events } = connect(fromSchema(seed));

    await call(client);

    expect(driftIn(events)).toEqual([]);
  });

  test.each(refusals(last))('reads the refusal $status “$example”', async (answer) => {
    const { client } = connect(answering(answer));
    const { errors } = answer.body as { errors: readonly { code: string }[] };

    const error: unknown = await call(client).catch((error: unknown) => error);

    // A record that isn't there is no error.
    if (answer.status === 404 && /\.(?:get|find)$/.test(method)) return expect(error).toBeUndefined();
    expect(error instanceof ClientError && { status: error.status, codes: error.codes }).toEqual({
      status: answer.status,
      codes: errors.map(({ code }) => code),
    });
  });
});

const [written] = successes(mock.operation('ShowContact'));
const contact = { ...(written?.body as Contact), phone: '+14155550100', email: 'ada@example.com' };
/** A page of a search: the description writes out none that holds anything. */
const page = (data: readonly Contact[], next?: string) => ({
  type: 'list',
  data,
  total_count: data.length,
  pages: { type: 'pages', page: 1, per_page: 50, total_pages: 1, ...(next && { next: { starting_after: next } }) },
});

const withBody =
  (body: object) =>
  (response: HttpResponse): HttpResponse => ({ ...response, text: JSON.stringify(body) });

test('a caller is found by phone or e-mail in one request', async () => {
  const { client, sent } = connect(firstSuccess, withBody(page([contact])));

  expect(await client.contacts.find({ phone: '+14155550100', email: 'Ada@example.com' })).toMatchObject({
    contact: { id: contact.id },
    matchedBy: 'phone',
    ambiguous: false,
    count: 1,
  });
  expect(sent).toHaveLength(1);
});

test('a search goes on from page to page', async () => {
  const { client, sent } = connect(firstSuccess, (response, request) => {
    const isSecond = JSON.stringify(request.json ?? {}).includes('starting_after');
    return withBody(isSecond ? page([{ ...contact, id: 'last' }]) : page([contact], 'WzE3MTk0OTM3NTcu'))(response);
  });

  const ids = [];
  for await (const { id } of client.contacts.searchAll({ field: 'role', operator: '=', value: 'lead' })) ids.push(id);

  expect(ids).toEqual([contact.id, 'last']);
  expect(sent.map((request) => mock.operationFor(request)?.id)).toEqual(['SearchContacts', 'SearchContacts']);
});

test('a contact that was merged is followed to the one that it became', async () => {
  const merged = refusals(mock.operation('ShowContact')).find(({ status }) => status === 410);
  let requests = 0;
  const { client, sent } = connect((operation) => {
    requests += 1;
    return requests === 1 && merged ? asked(merged) : firstSuccess(operation);
  });

  expect(await client.contacts.get(contactId)).toMatchObject({ id: contact.id });
  expect(sent.map(({ url }) => new URL(url).pathname)).toEqual([
    `/contacts/${contactId}`,
    '/contacts/6762f0d01bb69f9f2193bb7d',
  ]);
});

test('a contact whose creation is in doubt is looked up under its own id of the application', async () => {
  const { client, sent } = connect(firstSuccess, (response, { method }) =>
    method === 'POST' ? { ...response, status: 503 } : response,
  );

  await client.contacts.create({ external_id: 'customer 7/b', phone: '+14155550100' });

  expect(sent.map((request) => mock.operationFor(request)?.id)).toEqual(['CreateContact', 'ShowContactByExternalId']);
});

test('a note is one for Intercom too, and only a reply is sent to the customer', async () => {
  const { client, sent } = connect();

  await client.conversations.addNote('1295', { body: 'Sounded tired.' });
  await client.conversations.reply('1295', { body: 'Your invoice is on its way.' });

  const by = { type: 'admin', admin_id: adminId };
  expect(sent.map(({ json }) => json)).toEqual([
    { ...by, message_type: 'note', body: 'Sounded tired.' },
    { ...by, message_type: 'comment', body: 'Your invoice is on its way.' },
  ]);
});

test('what the description does not name is refused, so that a request with it would not have passed', async () => {
  const { client } = connect();
  const send = (body: object) =>
    client
      .request({
        operation: 'test.close',
        method: 'POST',
        path: 'conversations/1295/parts',
        body,
        returns: () => 'done',
      })
      .catch((error: unknown) => error instanceof ClientError);
  const close = { message_type: 'close', type: 'admin', admin_id: adminId };

  expect([await send(close), await send({ ...close, admin: '1' }), await send({ ...close, admin_id: 1 })]).toEqual([
    'done',
    true,
    true,
  ]);
});

const driftIn = (events: readonly IntegrationEvent[]) => events.filter(({ type }) => type === 'schema-drift');

/** The names of all functions in an object, such as `contacts.tags.list`. */
const methodsOf = (value: object, prefix = ''): string[] =>
  Object.entries(value).flatMap(([name, member]) => {
    if (typeof member === 'function') return [prefix + name];
    return typeof member === 'object' && member !== null ? methodsOf(member, `${prefix}${name}.`) : [];
  });
