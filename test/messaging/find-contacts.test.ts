import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { ClientError, InvalidArgumentError, UnexpectedResponseError } from '../../src/core/errors.ts';
import { type SearchQuery, createMessagingClient, type MessagingOptions } from '../../src/messaging/index.ts';
import { matchContact } from '../../src/messaging/find-contacts.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { failureOf } from '../support/connect.ts';
import { startMswServer } from '../support/msw-server.ts';
import type { RecordingServer } from '../support/recording-server.ts';

let server: RecordingServer;
let sentBefore: number;

beforeAll(async () => {
  server = await startMswServer();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  sentBefore = server.requests.length;
});

const connectMessaging = (given: Partial<MessagingOptions> = {}) =>
  createMessagingClient({
    baseUrl: server.baseUrl,
    authenticate: bearer(() => 'token'),
    platform: 'Acme',
    version: '2.11',
    ...given,
  });

const connect = (given: Partial<MessagingOptions> = {}) => connectMessaging(given).contacts;

const sent = () => server.requests.slice(sentBefore).map(({ line, body }) => [line, body]);
const searched = (field: string, value: string) => [
  'POST /contacts/search',
  { query: { field, operator: '=', value } },
];

const phone = '+14155550100';
const email = 'ada@example.com';
const ada = { id: 'ada', phone, email };

describe('find', () => {
  test('asks by phone, and by e-mail only where the phone decides nothing', async () => {
    server.answer({ json: [ada] });
    expect(await connect().find({ phone, email })).toEqual({
      contact: ada,
      matchedBy: 'phone',
      ambiguous: false,
      count: 1,
    });
    expect(sent()).toEqual([searched('phone', phone)]);
  });

  test.each([
    ['no contact has the number', []],
    ['several have it', [{ id: 'bob', phone }, ada]],
  ])('lets the address tell when %s', async (_when, byPhone) => {
    server.answer({ json: byPhone }, { json: [ada] });
    expect(await connect().find({ phone, email: 'Ada@Example.com' })).toMatchObject({
      contact: { id: 'ada' },
      matchedBy: 'email',
    });
    expect(sent()).toEqual([searched('phone', phone), searched('email', email)]);
  });

  test('says that it is ambiguous when neither decides', async () => {
    server.answer(
      {
        json: [
          { id: 'bob', phone },
          { id: 'eve', phone },
        ],
      },
      { json: [] },
    );
    expect(await connect().find({ phone, email })).toMatchObject({ matchedBy: 'phone', ambiguous: true, count: 2 });
  });

  test('shares one deadline among its requests', async () => {
    const clock = createVirtualClock();
    server.answer({ json: [] });
    const contacts = connect({
      middleware: {
        perRequest: [
          async (request, next) => {
            const response = await next(request);
            await clock.advance(5_000);
            return response;
          },
        ],
      },
    });
    const error = await failureOf(contacts.find({ phone, email }, { deadline: 5_000 }));
    expect(error).toMatchObject({ code: 'deadline_exceeded', operation: 'messaging.contacts.findByEmail' });
    expect(sent()).toHaveLength(1);
  });

  test.each([{}, { phone: '415' }, { email: '*' }])('refuses %j', async (by) => {
    expect(await failureOf(connect().find(by))).toBeInstanceOf(InvalidArgumentError);
    expect(sent()).toEqual([]);
  });
});

describe('findOrCreate', () => {
  test('gives who is there, unchanged', async () => {
    server.answer({ json: [ada] });
    expect(await connect().findOrCreate({ phone, name: 'Eve' })).toEqual({
      contact: ada,
      created: false,
      matchedBy: 'phone',
      ambiguous: false,
      count: 1,
    });
    expect(sent()).toEqual([searched('phone', phone)]);
  });

  test('makes who is not, under the key that was given', async () => {
    server.answer({ json: [] }, { json: { id: 'new' } });
    const made = await connect().findOrCreate({ phone, name: 'Ada' }, { idempotencyKey: 'CA1:contact' });
    expect(made).toMatchObject({ contact: { id: 'new' }, created: true, matchedBy: 'nothing' });
    expect(sent()).toEqual([searched('phone', phone), ['POST /contacts', { phone, name: 'Ada' }]]);
    expect(server.requests.at(-1)?.headers['idempotency-key']).toBe('CA1:contact');
  });

  test('needs no search for an external id, which the platform keeps apart by itself', async () => {
    const conflict = { status: 409, json: { errors: [{ code: 'conflict', message: 'taken' }] } };
    server.answer(conflict, { json: [{ id: 'other' }, { id: 'ada', external_id: 'c-7' }] });
    expect(await connect().findOrCreate({ external_id: 'c-7' })).toMatchObject({
      contact: { id: 'ada' },
      matchedBy: 'conflict',
    });
    expect(sent()).toEqual([['POST /contacts', { external_id: 'c-7' }], searched('external_id', 'c-7')]);
  });

  test('takes the contact that a conflict names, not one whose id is in what the caller said', async () => {
    const message = 'A contact named "id=eve" already exists with id=ada';
    server.answer({ json: [] }, { status: 409, json: { errors: [{ message }] } }, { json: { id: 'ada' } });
    await connect().findOrCreate({ email, name: 'id=eve' });
    expect(sent().at(-1)?.[0]).toBe('GET /contacts/ada');
  });

  test('passes a conflict on that names no contact, with nothing to look for', async () => {
    server.answer({ status: 409, json: { errors: [{ message: 'taken' }] } });
    expect(await failureOf(connect().findOrCreate({ name: 'Ada' }))).toMatchObject({ status: 409 });
  });

  test('passes a conflict on whose contact cannot be read', async () => {
    server.answer(
      { json: [] },
      { status: 409, json: { errors: [{ message: 'already exists with id=ada' }] } },
      { status: 404 },
    );
    const error = await failureOf(connect().findOrCreate({ email }));
    expect(error instanceof ClientError && error.status).toBe(409);
  });

  test('passes on what is no conflict', async () => {
    server.answer({ json: [] }, { status: 422 });
    expect(await failureOf(connect().findOrCreate({ email }))).toMatchObject({ status: 422 });
    expect(sent()).toHaveLength(2);
  });
});

describe('searchAll', () => {
  const query = { field: 'role', operator: '=', value: 'lead' };
  const page = (ids: readonly string[], after?: string) => ({
    json: { data: ids.map((id) => ({ id })), pages: after === undefined ? {} : { next: { starting_after: after } } },
  });
  const read = async (contacts: AsyncIterable<{ readonly id: string }>) => {
    const ids: string[] = [];
    for await (const { id } of contacts) ids.push(id);
    return ids;
  };

  test('reads one page where the platform has no pages', async () => {
    server.answer({ json: [{ id: 'a' }, { id: 'b' }] });
    expect(await read(connect().searchAll(query))).toEqual(['a', 'b']);
    expect(sent()).toEqual([['POST /contacts/search', { query }]]);
  });

  test('follows the cursor of each page', async () => {
    server.answer(page(['a'], 'x'), page([], 'y'), page(['b']));
    expect(await read(connect().searchAll(query))).toEqual(['a', 'b']);
    expect(sent().map(([, body]) => (body as { readonly pagination?: unknown }).pagination)).toEqual([
      undefined,
      { starting_after: 'x' },
      { starting_after: 'y' },
    ]);
  });

  test('ends with an error where the pages go in a circle', async () => {
    server.answer(page(['a'], 'x'), page(['b'], 'y'), page(['a'], 'x'));
    expect(await failureOf(read(connect().searchAll(query)))).toBeInstanceOf(UnexpectedResponseError);
  });

  test('sends nothing before the first read', () => {
    connect().searchAll(query);
    expect(sent()).toEqual([]);
  });

  test.each([0, 1.5])('refuses pages of %d at once', (pageSize) => {
    expect(() => connect().searchAll(query, { pageSize })).toThrow(expect.objectContaining({ field: 'pageSize' }));
  });
});

describe('a query of several conditions', () => {
  test('is written as groups', async () => {
    server.answer({ json: [] });
    const condition = { field: 'role', operator: 'IN', value: ['lead', 'user'] };
    await connect().search({
      any: [{ all: [condition, { field: 'created_at', operator: '>', value: 1 }] }, condition],
    });
    expect(sent()).toEqual([
      [
        'POST /contacts/search',
        {
          query: {
            operator: 'OR',
            value: [
              { operator: 'AND', value: [condition, { field: 'created_at', operator: '>', value: 1 }] },
              condition,
            ],
          },
        },
      ],
    ]);
  });

  test.each<[unknown, string]>([
    [undefined, 'argument'],
    [{ field: 'role', operator: '=' }, 'value'],
    [{ any: [] }, 'any'],
    [{ all: [{ field: 'role', operator: '=', value: 'lead' }, { any: [{ field: '' }] }] }, 'all.1.any.0.field'],
  ])('%j is refused by the field that is wrong', async (query, field) => {
    const error = await failureOf(connect().search(query as SearchQuery));
    expect(error).toMatchObject({ code: 'invalid_argument', field });
    expect(sent()).toEqual([]);
  });
});

describe('a dialect of one’s own', () => {
  test('changes what it names and nothing else', async () => {
    server.answer({ json: { id: 'ada' } });
    const contacts = connect({ dialect: { endpoints: { contacts: { get: { path: 'people/{id}' } } } } });
    await contacts.get('ada');
    await contacts.update('ada', { name: 'Ada' });
    expect(sent().map(([line]) => line)).toEqual(['GET /people/ada', 'PUT /contacts/ada']);
  });

  test('leaves a note a note where it says `undefined`', async () => {
    server.answer({ json: { id: 'v1' } });
    const addNote = { path: 'notes/{id}', body: undefined as never };
    const { conversations } = connectMessaging({ dialect: { endpoints: { conversations: { addNote } } } });
    await conversations.addNote('v1', { body: 'VIP', adminId: 'a1' });
    expect(sent()).toEqual([['POST /notes/v1', { message_type: 'note', body: 'VIP', admin_id: 'a1' }]]);
  });
});

describe('the match among what a search found', () => {
  test('no contact is found among strangers', () => {
    expect(matchContact([], { field: 'phone', value: '+14155550100' })).toBeUndefined();
    expect(
      matchContact(
        [
          { id: 'a', phone: '+141555501000' },
          { id: 'b', phone: null },
          { id: 'c' },
          { id: 'd', email: '+14155550100' },
        ],
        { field: 'phone', value: '+14155550100' },
      ),
    ).toBeUndefined();
  });

  test.each(['+14155550100', '001 415 555 0100'])('the number %s is the same number', (phone) => {
    expect(matchContact([{ id: 'a', phone }], { field: 'phone', value: '+14155550100' })).toEqual({
      contact: { id: 'a', phone },
      ambiguous: false,
      count: 1,
    });
  });

  test('an address is the same whatever its case', () => {
    expect(
      matchContact([{ id: 'a', email: ' Ada@Example.COM' }], { field: 'email', value: 'ada@example.com' })?.contact.id,
    ).toBe('a');
    expect(
      matchContact([{ id: 'a', email: 'ada@example.com.au' }], { field: 'email', value: 'ada@example.com' }),
    ).toBeUndefined();
  });

  test('of several the most recently updated is taken, and the match says that it is ambiguous', () => {
    const contacts = [
      { id: 'never', phone: '+14155550100' },
      { id: 'seconds', phone: '+14155550100', updated_at: 1_700_000_000 },
      { id: 'date', phone: '+14155550100', updated_at: '2026-11-21T10:00:00Z' },
      { id: 'milliseconds', phone: '+14155550100', updated_at: 1_700_000_000_001 },
      { id: 'stranger', phone: '+14155550101', updated_at: '2026-11-22T10:00:00Z' },
    ];
    expect(matchContact(contacts, { field: 'phone', value: '+14155550100' })).toEqual({
      contact: contacts[2],
      ambiguous: true,
      count: 4,
    });
  });

  test('seconds may be written as text', () => {
    const contacts = [
      { id: 'older', phone: '+14155550100', updated_at: '1700000000' },
      { id: 'newer', phone: '+14155550100', updated_at: '1700000001' },
    ];
    expect(matchContact(contacts, { field: 'phone', value: '+14155550100' })?.contact).toEqual(contacts[1]);
  });

  test('a contact that is listed twice is one contact', () => {
    const contact = { id: 'a', phone: '+14155550100' };
    expect(matchContact([contact, contact], { field: 'phone', value: '+14155550100' })).toEqual({
      contact,
      ambiguous: false,
      count: 1,
    });
  });

  test('a number in the field that the platform shows counts too', () => {
    const contact = { id: 'a', phone: '(415) 555-0100 work', formatted_phone: '+1 415-555-0100' };
    expect(matchContact([contact], { field: 'phone', value: '+14155550100' })?.contact).toBe(contact);
  });

  test('a record that does not show what it was found by counts only where the search was for that alone', () => {
    const by = { field: 'phone', value: '+14155550100' } as const;
    expect(matchContact([{ id: 'a' }], { ...by, trusted: true })?.contact.id).toBe('a');
    expect(matchContact([{ id: 'a' }], by)).toBeUndefined();
    expect(matchContact([{ id: 'a', phone: null }], { ...by, trusted: true })).toBeUndefined();
    for (const mobile of ['+19995550000', '(999) 555-0000'])
      expect(matchContact([{ id: 'a', custom_attributes: { mobile } }], { ...by, trusted: true })).toBeUndefined();
  });
});
