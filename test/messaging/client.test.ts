import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { bearer } from '../../src/auth/index.ts';
import { InvalidArgumentError } from '../../src/core/errors.ts';
import {
  type ByAdmin,
  callAttributes,
  createMessagingClient,
  type MessagingClient,
  type MessagingOptions,
} from '../../src/messaging/index.ts';
import type { Transport } from '../../src/http/request.ts';
import type { IntegrationEvent } from '../../src/observability/events.ts';
import { type RecordingServer, startRecordingServer } from '../support/recording-server.ts';
import { refusedArgument } from '../support/refused-argument.ts';
import fc from '../support/fast-check.ts';

let server: RecordingServer;
let sentBefore: number;

beforeAll(async () => {
  server = await startRecordingServer();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.answer({ json: { id: 'x1' } });
  sentBefore = server.requests.length;
});

const options = (given: Partial<MessagingOptions> = {}): MessagingOptions => ({
  baseUrl: server.baseUrl,
  authenticate: bearer(() => 'token'),
  platform: 'Acme',
  version: '2.11',
  adminId: 'admin_7',
  backoff: { minimumMs: 1, maximumMs: 1 },
  ...given,
});

const connect = (given: Partial<MessagingOptions> = {}): MessagingClient => createMessagingClient(options(given));

const withoutAdmin = (): MessagingClient => {
  const { adminId: _adminId, ...rest } = options();
  return createMessagingClient(rest);
};

/** Method, target and body of what was sent since the test began. */
const sent = () =>
  server.requests.slice(sentBefore).map(({ line, body }) => (body === undefined ? [line] : [line, body]));

describe('requests are what the interface document says', () => {
  test('every request carries the pinned version in the header of the platform', async () => {
    await connect().contacts.get('c1');

    const { headers } = server.requests.at(-1) ?? {};
    expect(headers?.['acme-version']).toBe('2.11');
    expect(headers?.authorization).toBe('Bearer token');
  });

  test('contacts are read, created and updated', async () => {
    const fields = { phone: '+14155550100', email: 'ada@example.com', custom_attributes: { plan: 'gold', seats: 3 } };
    server.answer({ json: { id: 'c1', ...fields, role: 'lead' } });
    const { contacts } = connect();

    expect(await contacts.get('c1')).toEqual({ id: 'c1', ...fields, role: 'lead' });
    expect(await contacts.create(fields)).toEqual({ id: 'c1', ...fields, role: 'lead' });
    expect(await contacts.update('c1', { name: 'Ada', custom_attributes: { plan: null } })).toMatchObject({ id: 'c1' });
    expect(sent()).toEqual([
      ['GET /contacts/c1'],
      ['POST /contacts', fields],
      ['PUT /contacts/c1', { name: 'Ada', custom_attributes: { plan: null } }],
    ]);
  });

  test('any field of the platform is written, and null empties one', async () => {
    server.answer({ json: { id: 'c1' } });
    const { contacts, companies } = connect();
    const fields = { phone: null, email: null, avatar: 'https://pictures.example/1', unsubscribed_from_emails: true };

    await contacts.update('c1', fields);
    await companies.update('co1', { size: null, remote_created_at: 1_767_225_600 });

    expect(sent()).toEqual([
      ['PUT /contacts/c1', fields],
      ['PUT /companies/co1', { size: null, remote_created_at: 1_767_225_600 }],
    ]);
  });

  test('a contact is found by phone and by e-mail', async () => {
    const found = { id: 'c1', phone: '+14155550100', email: 'ada@example.com' };
    server.answer({ json: [found] });
    const { contacts } = connect();

    expect(await contacts.findByPhone('+14155550100')).toEqual({ contact: found, ambiguous: false, count: 1 });
    expect(await contacts.findByEmail('Ada@Example.com')).toEqual({ contact: found, ambiguous: false, count: 1 });
    expect(sent()).toEqual([
      ['POST /contacts/search', { query: { field: 'phone', operator: '=', value: '+14155550100' } }],
      ['POST /contacts/search', { query: { field: 'email', operator: '=', value: 'ada@example.com' } }],
    ]);
  });

  test('conversations are read and started in the name of a contact', async () => {
    const { conversations } = connect();

    expect(await conversations.get('v1')).toEqual({ id: 'x1' });
    expect(await conversations.create({ contactId: 'c1', body: 'Summary\n\nTranscript' })).toEqual({ id: 'x1' });
    expect(sent()).toEqual([
      ['GET /conversations/v1'],
      ['POST /conversations', { from: { type: 'contact', id: 'c1' }, body: 'Summary\n\nTranscript' }],
    ]);
  });

  test('a reply reaches the customer, a note does not', async () => {
    const { conversations } = connect();

    await conversations.reply('v1', { body: 'We are on it.' });
    await conversations.addNote('v1', { body: 'Sounded upset.', adminId: 'admin_8' });

    expect(sent()).toEqual([
      [
        'POST /conversations/v1/reply',
        { message_type: 'comment', type: 'admin', admin_id: 'admin_7', body: 'We are on it.' },
      ],
      ['POST /conversations/v1/parts', { message_type: 'note', body: 'Sounded upset.', admin_id: 'admin_8' }],
    ]);
  });

  test('a conversation is handed to a team and closed', async () => {
    const { conversations } = connect();

    await conversations.assignToTeam('v1', { teamId: 't1' });
    await conversations.close('v1');
    await conversations.close('v1', { adminId: 'admin_8' });

    expect(sent()).toEqual([
      [
        'POST /conversations/v1/parts',
        { message_type: 'assignment', type: 'team', admin_id: 'admin_7', assignee_id: 't1' },
      ],
      ['POST /conversations/v1/parts', { message_type: 'close', type: 'admin', admin_id: 'admin_7' }],
      ['POST /conversations/v1/parts', { message_type: 'close', type: 'admin', admin_id: 'admin_8' }],
    ]);
  });

  test('tags are attached to conversations and contacts, listed and taken off', async () => {
    const { contacts, conversations } = connect();

    expect(await conversations.tags.attach('v1', { tagId: 'g1' })).toEqual({ id: 'x1' });
    expect(await contacts.tags.attach('c1', { tagId: 'g1' })).toEqual({ id: 'x1' });
    server.answer({ status: 204 });
    expect(await conversations.tags.detach('v1', { tagId: 'g1' })).toBeUndefined();
    expect(await contacts.tags.detach('c1', { tagId: 'g1' })).toBeUndefined();
    server.answer(
      { json: { id: 'v1', tags: { type: 'tag.list', tags: [{ id: 'g1', name: 'billing' }] } } },
      { json: { type: 'list', data: [{ id: 'g2' }] } },
      { json: { id: 'v2' } },
    );
    expect(await conversations.tags.list('v1')).toEqual({ data: [{ id: 'g1', name: 'billing' }], total: 1 });
    expect(await contacts.tags.list('c1')).toEqual({ data: [{ id: 'g2' }], total: 1 });
    expect(await conversations.tags.list('v2')).toEqual({ data: [], total: 0 });

    expect(sent()).toEqual([
      ['POST /conversations/v1/tags', { id: 'g1', admin_id: 'admin_7' }],
      ['POST /contacts/c1/tags', { id: 'g1', admin_id: 'admin_7' }],
      ['DELETE /conversations/v1/tags/g1', { admin_id: 'admin_7' }],
      ['DELETE /contacts/c1/tags/g1'],
      ['GET /conversations/v1'],
      ['GET /contacts/c1/tags'],
      ['GET /conversations/v2'],
    ]);
  });

  test('companies are read, updated and listed for a contact', async () => {
    const company = {
      id: 'o1',
      name: 'Engines',
      plan: { name: 'Gold' },
      monthly_spend: 900,
      custom_attributes: { health: 'red' },
    };
    server.answer({ json: company }, { json: company }, { json: { data: [company], total_count: 1 } });
    const { companies } = connect();

    expect(await companies.get('o1')).toEqual(company);
    expect(await companies.update('o1', { monthly_spend: 950, custom_attributes: { health: 'green' } })).toEqual(
      company,
    );
    expect(await companies.listForContact('c1')).toEqual({ data: [company], total: 1 });
    expect(sent()).toEqual([
      ['GET /companies/o1'],
      ['PUT /companies/o1', { monthly_spend: 950, custom_attributes: { health: 'green' } }],
      ['GET /contacts/c1/companies'],
    ]);
  });

  test('admins and teams are listed', async () => {
    server.answer(
      { json: { type: 'admin.list', admins: [{ id: 'admin_7', name: 'Voice' }] } },
      { json: { id: 'admin_7', email: 'voice@example.com' } },
      { json: [{ id: 't1', name: 'Billing' }] },
    );
    const { admins, teams } = connect();

    expect(await admins.list()).toEqual({ data: [{ id: 'admin_7', name: 'Voice' }], total: 1 });
    expect(await admins.me()).toEqual({ id: 'admin_7', email: 'voice@example.com' });
    expect(await teams.list()).toEqual({ data: [{ id: 't1', name: 'Billing' }], total: 1 });
    expect(sent()).toEqual([['GET /admins'], ['GET /me'], ['GET /teams']]);
  });
});

describe('what the customer sees', () => {
  const smuggled = {
    body: 'Internal.',
    message_type: 'comment',
    type: 'admin',
    admin_id: 'other',
    conversationId: 'other',
    toJSON: () => ({ message_type: 'comment' }),
  };

  test('cannot be decided by the argument of a JavaScript caller', async () => {
    const { conversations } = connect();

    await conversations.addNote('v1', smuggled);
    await conversations.reply('v1', { ...smuggled, message_type: 'note' } as { body: string });
    await conversations.assignToTeam('v1', { ...smuggled, teamId: 't1' });
    await conversations.close('v1', smuggled as ByAdmin);
    await conversations.create({ ...smuggled, contactId: 'c1', from: { type: 'admin' } } as {
      contactId: string;
      body: string;
    });
    await conversations.tags.attach('v1', { ...smuggled, tagId: 'g1' });

    expect(sent()).toEqual([
      ['POST /conversations/v1/parts', { message_type: 'note', body: 'Internal.', admin_id: 'admin_7' }],
      [
        'POST /conversations/v1/reply',
        { message_type: 'comment', type: 'admin', admin_id: 'admin_7', body: 'Internal.' },
      ],
      [
        'POST /conversations/v1/parts',
        { message_type: 'assignment', type: 'team', admin_id: 'admin_7', assignee_id: 't1' },
      ],
      [
        'POST /conversations/v1/parts',
        { message_type: 'close', body: 'Internal.', type: 'admin', admin_id: 'admin_7' },
      ],
      ['POST /conversations', { from: { type: 'contact', id: 'c1' }, body: 'Internal.' }],
      ['POST /conversations/v1/tags', { id: 'g1', admin_id: 'admin_7' }],
    ]);
  });

  test('cannot be decided by a field that changes while it is read', async () => {
    let reads = 0;
    const shifting = {
      get body() {
        reads += 1;
        return reads === 1 ? 'Internal.' : { message_type: 'comment' };
      },
    };
    await connect().conversations.addNote('v1', shifting as { body: string });
    expect(sent()).toEqual([
      ['POST /conversations/v1/parts', { message_type: 'note', body: 'Internal.', admin_id: 'admin_7' }],
    ]);
  });

  test('only reply sends it, whatever is written in a note', async () => {
    const { conversations } = connect();
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), async (id, body) => {
        const before = server.requests.length;
        const error = await conversations.addNote(id, { body }).catch((error: unknown) => error);
        const request = server.requests.at(-1);
        if (error instanceof InvalidArgumentError) return server.requests.length === before;
        expect(request?.line).toBe(`POST /conversations/${encodeURIComponent(id)}/parts`);
        expect(request?.body).toEqual({ message_type: 'note', body, admin_id: 'admin_7' });
        return true;
      }),
      { numRuns: 100 },
    );
  });
});

test('a conversation is closed without a word, or with words for the customer', async () => {
  const { conversations } = connect();

  await conversations.close('v1');
  await conversations.close('v1', { body: 'Bye.', adminId: 'admin_8' });

  expect(sent()).toEqual([
    ['POST /conversations/v1/parts', { message_type: 'close', type: 'admin', admin_id: 'admin_7' }],
    ['POST /conversations/v1/parts', { message_type: 'close', type: 'admin', admin_id: 'admin_8', body: 'Bye.' }],
  ]);
  expect(await refusedArgument(() => conversations.close('v1', { body: ' ' }))).toEqual({
    field: 'body',
    problem: 'must not be empty',
  });
});

test('a date of an attribute is a text on the wire, as the interface document has it', async () => {
  server.answer({ json: { id: 'c1', custom_attributes: { last_call_date: '2026-11-22' } } });
  const { contacts } = createMessagingClient({ ...options(), customAttributes: callAttributes });

  const { custom_attributes } = await contacts.update('c1', { custom_attributes: { last_call_date: '2026-11-22' } });

  expect(custom_attributes).toEqual({ last_call_date: '2026-11-22' });
  expect(sent()).toEqual([['PUT /contacts/c1', { custom_attributes: { last_call_date: '2026-11-22' } }]]);
  expect([contacts.declaresAttribute('last_call_date'), contacts.declaresAttribute('plan')]).toEqual([true, false]);
});

test('a look-up counts a contact whose record does not show the number it was found by', async () => {
  server.answer({ json: { data: [{ id: 'c1' }] } });
  expect(await connect().contacts.findByPhone('+14155550100')).toMatchObject({ contact: { id: 'c1' }, count: 1 });
});

describe('without an admin nothing is sent', () => {
  test.each<[string, (client: MessagingClient, by: ByAdmin) => Promise<unknown>]>([
    ['reply', ({ conversations }, by) => conversations.reply('v1', { body: 'Hello', ...by })],
    ['addNote', ({ conversations }, by) => conversations.addNote('v1', { body: 'Hello', ...by })],
    ['assignToTeam', ({ conversations }, by) => conversations.assignToTeam('v1', { teamId: 't1', ...by })],
    ['close', ({ conversations }, by) => conversations.close('v1', by)],
    ['tags.attach', ({ conversations }, by) => conversations.tags.attach('v1', { tagId: 'g1', ...by })],
    ['tags.detach', ({ conversations }, by) => conversations.tags.detach('v1', { tagId: 'g1', ...by })],
  ])('by %s, unless it names one', async (_name, act) => {
    expect(await refusedArgument(() => act(withoutAdmin(), {}))).toEqual({
      field: 'adminId',
      problem: 'must be given, here or in the options of the client',
    });
    expect((await refusedArgument(() => act(connect(), { adminId: '' }))).field).toBe('adminId');
    expect((await refusedArgument(() => act(connect(), { adminId: null } as unknown as ByAdmin))).field).toBe(
      'adminId',
    );
    expect(sent()).toEqual([]);

    await act(withoutAdmin(), { adminId: 'admin_9' });
    expect(sent()).toEqual([[expect.any(String), expect.objectContaining({ admin_id: 'admin_9' })]]);
  });
});

describe('nothing is sent', () => {
  test.each([
    ['phone', '+0123', 'must be a phone number in E.164 format, such as +14155550100'],
    ['email', 'ada', 'must be an e-mail address'],
    ['name', 7, 'must be a string'],
    ['custom_attributes', [], 'must be a record'],
  ])('for a contact whose %s is %j', async (field, value, problem) => {
    const { contacts } = connect();
    expect(await refusedArgument(() => contacts.create({ [field]: value }))).toEqual({ field, problem });
    expect(await refusedArgument(() => contacts.update('c1', { [field]: value }))).toEqual({ field, problem });
    expect(sent()).toEqual([]);
  });

  test('for a contact without a field, or with a known one of another type', async () => {
    const { contacts } = connect();
    expect(await refusedArgument(() => contacts.create({}))).toEqual({
      field: 'fields',
      problem: 'must have at least one field',
    });
    expect(await refusedArgument(() => contacts.update('c1', { phone: '4155550100' }))).toEqual({
      field: 'phone',
      problem: 'must be a phone number in E.164 format, such as +14155550100',
    });
    expect(sent()).toEqual([]);
  });

  test('for a look-up by something else than a number or an address', async () => {
    const { contacts } = connect();
    expect((await refusedArgument(() => contacts.findByPhone('4155550100'))).field).toBe('phone');
    expect((await refusedArgument(() => contacts.findByPhone(undefined as unknown as string))).field).toBe('phone');
    expect((await refusedArgument(() => contacts.findByEmail('*'))).field).toBe('email');
    expect((await refusedArgument(() => contacts.search({ field: 'phone', operator: '', value: '' }))).field).toBe(
      'operator',
    );
    expect(sent()).toEqual([]);
  });

  test('for an empty text', async () => {
    const { conversations } = connect();
    expect(await refusedArgument(() => conversations.reply('v1', { body: ' ' }))).toEqual({
      field: 'body',
      problem: 'must not be empty',
    });
    expect((await refusedArgument(() => conversations.addNote('v1', { body: '' }))).field).toBe('body');
    expect((await refusedArgument(() => conversations.create({ contactId: 'c1', body: '' }))).field).toBe('body');
    expect((await refusedArgument(() => conversations.create({ contactId: '', body: 'x' }))).field).toBe('contactId');
    expect((await refusedArgument(() => conversations.assignToTeam('v1', { teamId: '' }))).field).toBe('teamId');
    expect(sent()).toEqual([]);
  });

  test.each<[string, (client: MessagingClient, id: string) => Promise<unknown>]>([
    ['contacts.get', ({ contacts }, id) => contacts.get(id)],
    ['contacts.tags.attach (tag)', ({ contacts }, id) => contacts.tags.attach('c1', { tagId: id })],
    ['conversations.get', ({ conversations }, id) => conversations.get(id)],
    ['conversations.reply', ({ conversations }, id) => conversations.reply(id, { body: 'x' })],
    ['companies.get', ({ companies }, id) => companies.get(id)],
  ])('by %s for an id that cannot be one', async (_name, act) => {
    for (const id of ['', ' ', '.', '..', '\ud800', 7 as unknown as string, undefined as unknown as string])
      expect((await refusedArgument(() => act(connect(), id))).problem).toMatch(/^must /);
    expect(sent()).toEqual([]);
  });
});

describe('options that cannot work are refused at once', () => {
  test.each([
    ['platform', undefined, 'platform must be the name of the platform in its version header, such as Acme'],
    ['version', undefined, 'version must be a version such as 2.11: it is always pinned'],
    ['adminId', '', 'adminId must not be empty'],
  ])('%s %j', (name, value, message) => {
    expect(() => connect({ [name]: value })).toThrow(message);
  });
});

describe('custom attributes that were declared', () => {
  const declare = (given: Partial<MessagingOptions> = {}) =>
    createMessagingClient({
      ...options(given),
      customAttributes: { ...callAttributes, plan: ['free', 'pro'], seats: 'integer' },
      companyAttributes: { health: 'text' },
    });

  test('are sent', async () => {
    const custom_attributes = {
      last_call_date: '2026-11-21',
      call_outcome_category: 'resolved',
      escalation_flag: false,
      satisfaction_signal: 'content',
      plan: 'pro',
      seats: null,
    } as const;
    await declare().contacts.update('c1', { custom_attributes });
    expect(sent()).toEqual([['PUT /contacts/c1', { custom_attributes }]]);
  });

  test.each([
    ['colour', 'red', 'is not a declared custom attribute'],
    ['constructor', 'x', 'is not a declared custom attribute'],
    ['last_call_date', '21.11.2026', 'must be a date, YYYY-MM-DD'],
  ])('are refused when %s is %j', async (name, value, problem) => {
    const attributes = { custom_attributes: { [name]: value } };
    const { contacts } = declare();

    expect(await refusedArgument(() => contacts.create({ email: 'ada@example.com', ...attributes }))).toEqual({
      field: `custom_attributes.${name}`,
      problem,
    });
    expect(await refusedArgument(() => contacts.update('c1', attributes))).toEqual({
      field: `custom_attributes.${name}`,
      problem,
    });
    expect(sent()).toEqual([]);
  });

  test('have their own list for companies', async () => {
    const { companies } = declare();
    await companies.update('o1', { custom_attributes: { health: 'green' } });
    expect(
      await refusedArgument(() => companies.update('o1', { custom_attributes: { plan: 'pro' } as object })),
    ).toEqual({
      field: 'custom_attributes.plan',
      problem: 'is not a declared custom attribute',
    });
    expect(sent()).toHaveLength(1);
  });

  test('are left out of a record when they are something else, undeclared ones are kept', async () => {
    const events: IntegrationEvent[] = [];
    server.answer({ json: { id: 'c1', custom_attributes: { plan: 'gold', seats: 3, colour: ['red'] } } });

    const contact = await declare({ onEvent: (event) => events.push(event) }).contacts.get('c1');

    expect(contact).toEqual({ id: 'c1', custom_attributes: { seats: 3, colour: ['red'] } });
    expect(events.filter(({ type }) => type === 'schema-drift')).toEqual([
      expect.objectContaining({ operation: 'messaging.contacts.get', fields: ['custom_attributes.plan'] }),
    ]);
  });
});

test('attributes that a schema refuses as a whole are left out of a record as a whole', async () => {
  const events: IntegrationEvent[] = [];
  server.answer({ json: { id: 'c1', custom_attributes: { plan: 'gold' } } });
  const { contacts } = createMessagingClient({
    ...options({ onEvent: (event) => events.push(event) }),
    customAttributes: z.strictObject({}),
  });

  expect(await contacts.get('c1')).toEqual({ id: 'c1' });
  expect(events.filter(({ type }) => type === 'schema-drift')).toEqual([
    expect.objectContaining({ fields: ['custom_attributes'] }),
  ]);
});

test('undeclared attributes must be such that a platform can hold them', async () => {
  const update = (custom_attributes: object) => () =>
    connect().contacts.update('c1', { custom_attributes: custom_attributes as Record<string, unknown> });

  expect(await refusedArgument(update({ a: { b: 1 } }))).toEqual({
    field: 'custom_attributes.a',
    problem: 'must be a text, a number, true, false or null',
  });
  expect((await refusedArgument(update({ a: Number.NaN }))).field).toBe('custom_attributes.a');
  await update({ a: 1, b: undefined })();
  expect(sent()).toEqual([['PUT /contacts/c1', { custom_attributes: { a: 1 } }]]);
});

describe('answers are read leniently', () => {
  test('an empty phone is nothing unusual, a field of another type is left out and told', async () => {
    const events: IntegrationEvent[] = [];
    server.answer({ json: { id: 'c1', phone: null, email: 12, name: 'Ada', extra: { kept: true } } });

    const contact = await connect({ onEvent: (event) => events.push(event) }).contacts.get('c1');

    expect(contact).toEqual({ id: 'c1', phone: null, name: 'Ada', extra: { kept: true } });
    expect(events.filter(({ type }) => type === 'schema-drift')).toEqual([
      expect.objectContaining({ operation: 'messaging.contacts.get', fields: ['email'] }),
    ]);
  });

  test('notes and parts of a conversation are read from a plain list and from envelopes', async () => {
    const note = { id: 'p1', part_type: 'note', body: 'Upset' };
    const comment = { id: 'p2', part_type: 'comment', body: 'Hello' };
    server.answer(
      {
        json: {
          id: 'v1',
          parts: [
            { message_type: 'note', body: 'Upset' },
            { message_type: 'comment', body: 'Hello' },
          ],
        },
      },
      { json: { id: 'v1', conversation_parts: { conversation_parts: [note, comment] } } },
      { json: { id: 'v1', notes: [{ body: 'Upset' }] } },
    );
    const { conversations } = connect();

    expect((await conversations.get('v1'))?.notes).toEqual([{ message_type: 'note', body: 'Upset' }]);
    expect(await conversations.get('v1')).toMatchObject({ parts: [note, comment], notes: [note] });
    expect((await conversations.get('v1'))?.notes).toEqual([{ body: 'Upset' }]);
  });

  test('notes and tags of a contact are read from a plain list and from envelopes', async () => {
    const lists = { notes: [{ id: 'n1', body: 'VIP' }], tags: [{ id: 'g1' }] };
    server.answer(
      { json: { id: 'c1', ...lists } },
      { json: { id: 'c1', notes: { data: lists.notes }, tags: { tags: lists.tags } } },
    );
    const { contacts } = connect();

    expect(await contacts.get('c1')).toEqual({ id: 'c1', ...lists });
    expect(await contacts.get('c1')).toEqual({ id: 'c1', ...lists });
  });

  test('a contact may say null for no tags', async () => {
    const events: IntegrationEvent[] = [];
    server.answer({ json: { id: 'c1', tags: null } });

    expect(await connect({ onEvent: (event) => events.push(event) }).contacts.get('c1')).toEqual({
      id: 'c1',
      tags: null,
    });
    expect(events.filter(({ type }) => type === 'schema-drift')).toEqual([]);
  });

  test.each([
    ['no id', { name: 'Ada' }],
    ['null', 'null'],
    ['a list', []],
  ])('an answer with %s is unexpected', async (_name, json) => {
    server.answer({ json });
    await expect(connect().contacts.get('c1')).rejects.toMatchObject({ code: 'unexpected_response' });
  });
});

describe('with an API that knows no idempotency keys', () => {
  const search = (field: string, value: string) => [
    'POST /contacts/search',
    { query: { field, operator: '=', value } },
  ];

  test.each([
    ['external_id', { external_id: 'crm-1', email: 'ada@example.com', phone: '+14155550100' }, 'crm-1'],
    ['email', { email: 'ada@example.com', phone: '+14155550100' }, 'ada@example.com'],
    ['phone', { phone: '+14155550100' }, '+14155550100'],
  ])('a contact is looked for by %s before it is sent again', async (field, fields, value) => {
    server.answer({ status: 503 }, { json: [{ id: 'c1', ...fields }] });

    expect(await connect({ idempotency: 'none' }).contacts.create(fields)).toEqual({ id: 'c1', ...fields });
    expect(sent()).toEqual([['POST /contacts', fields], search(field, value)]);
  });

  test('a contact that is not there is sent again', async () => {
    const fields = { phone: '+14155550100' };
    server.answer({ status: 503 }, { json: [] }, { json: { id: 'c1' } });

    expect(await connect({ idempotency: 'none' }).contacts.create(fields)).toEqual({ id: 'c1' });
    expect(sent()).toEqual([['POST /contacts', fields], search('phone', '+14155550100'), ['POST /contacts', fields]]);
  });

  test('a search is a read: it has no key and is always sent again', async () => {
    server.answer({ status: 503 }, { json: [] });
    await connect({ idempotency: 'none' }).contacts.findByPhone('+14155550100');
    await connect().contacts.findByPhone('+14155550100');

    expect(sent()).toEqual(Array(3).fill(search('phone', '+14155550100')));
    expect(server.requests.at(-1)?.headers['idempotency-key']).toBeUndefined();
  });

  test.each([{ idempotency: 'none' } as const, {}, { idempotency: undefined as never }])(
    'a message to the customer is never sent a second time: %j',
    async (options) => {
      server.answer({ status: 503 });
      const { conversations } = connect(options);

      await expect(conversations.reply('v1', { body: 'Hello' })).rejects.toMatchObject({
        outcome: 'unknown',
        attempts: 1,
      });
      expect(sent()).toHaveLength(1);
    },
  );
});

test('writes are repeated under one idempotency key', async () => {
  server.answer({ status: 503 }, { json: { id: 'v1' } });

  await connect({ idempotency: 'key' }).conversations.reply('v1', { body: 'Hello' });

  const keys = server.requests.slice(sentBefore).map(({ headers }) => headers['idempotency-key']);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
});

// 200 requests on real sockets take their time on a busy machine.
test('no id changes the route', { timeout: 30_000 }, async () => {
  const { contacts, conversations } = connect();
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (id) => {
      const before = server.requests.length;
      const error = await contacts.get(id).catch((error: unknown) => error);
      if (error instanceof InvalidArgumentError) return server.requests.length === before;
      await conversations.tags.detach(id, { tagId: id });
      const segment = encodeURIComponent(id);
      expect(server.requests.slice(-2).map(({ line }) => line)).toEqual([
        `GET /contacts/${segment}`,
        `DELETE /conversations/${segment}/tags/${segment}`,
      ]);
      return true;
    }),
    { numRuns: 100 },
  );
});

test('1000 requests a minute are sent unless another limit is given', async () => {
  const answerAtOnce: Transport = async () => ({ status: 200, headers: new Map(), text: '{"id":"c1"}' });
  await using standard = connect({ transport: answerAtOnce });
  await using wider = connect({ transport: answerAtOnce, rateLimit: { limit: 1001, perMs: 60_000 } });

  for (const client of [standard, wider]) for (let sent = 0; sent < 1000; sent += 1) await client.contacts.get('c1');

  await expect(standard.contacts.get('c1')).rejects.toMatchObject({ code: 'rate_limited', outcome: 'not_sent' });
  expect(await wider.contacts.get('c1')).toEqual({ id: 'c1' });
});

test('an endpoint that the client lacks can be asked', async () => {
  server.answer({ json: { data: [] } });
  await connect().request({
    operation: 'messaging.segments.list',
    method: 'GET',
    path: 'segments',
    returns: (json) => json,
  });
  expect(sent()).toEqual([['GET /segments']]);
});

describe('an API that does the work and then answers 503', () => {
  const failing = () => server.answer({ status: 503, json: {} });

  test.each<[string, (client: MessagingClient) => Promise<unknown>]>([
    ['a reply', ({ conversations }) => conversations.reply('9', { body: 'Hello' })],
    ['a note', ({ conversations }) => conversations.addNote('9', { body: 'Called' })],
    [
      'a request of your own',
      (client) => client.request({ operation: 'x.send', method: 'POST', path: 'x', returns: () => 1 }),
    ],
  ])('gets %s once', async (_what, write) => {
    failing();
    const client = connect();

    await expect(write(client)).rejects.toMatchObject({ reason: 'server_error', outcome: 'unknown', attempts: 1 });

    expect(sent()).toHaveLength(1);
  });

  test('gets it again, with one key, when it is said to know keys', async () => {
    failing();

    await expect(connect({ idempotency: 'key' }).conversations.reply('9', { body: 'Hello' })).rejects.toMatchObject({
      attempts: 3,
    });

    const keys = server.requests.slice(sentBefore).map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
  });

  test('gets a reply again that it refused with 429, since nothing was done', async () => {
    server.answer({ status: 429, json: {} });

    await expect(connect({ rateLimit: false }).conversations.reply('9', { body: 'Hello' })).rejects.toMatchObject({
      attempts: 3,
    });
  });
});
