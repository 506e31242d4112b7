import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { BillingClient } from '../../src/billing/index.ts';
import type { CrmClient } from '../../src/crm/index.ts';
import { ClientError, RetriesExhaustedError } from '../../src/core/errors.ts';
import type { MessagingClient } from '../../src/messaging/index.ts';
import { startPhoneCall } from '../../src/phone-call/start-phone-call.ts';
import {
  type CallSteps,
  type Calendar,
  billingTools,
  callTools,
  createToolbox,
  defineTool,
} from '../../src/tools/index.ts';
import { compact } from '../../src/tools/compact.ts';
import { paymentIntent, tryKey } from '../../src/tools/payments/payment-tries.ts';
import { connectPlatform } from '../support/connected-platform.ts';

const paymentTerms = () => ({
  baseUrl: 'https://billing.test',
  below: 5000,
  minorUnits: 2,
  currency: undefined,
  unit: 'major' as const,
  statuses: undefined,
  canPay: true,
  knowsKeys: true,
});

const fromModel = { card: 'from-model', confirm: false } as const;

/** Clients that write down what they are asked, and answer with more than a model may see. */
const createRecorder = () => {
  const asked: string[] = [];
  const denied = { ssn: 'DENIED', url: 'DENIED', internal_id: 'DENIED', email: 'DENIED', phone: 'DENIED' };
  const answer =
    <Result>(operation: string, result: Result) =>
    async (): Promise<Result> => {
      asked.push(operation);
      return result;
    };
  const list = (data: readonly object[]) => ({ data, total: data.length });
  const billing = {
    customers: { find: answer('search', { id: 'cus_1', name: 'Jane', ...denied }) },
    invoices: { listOpen: answer('listOpen', list([{ id: 'inv_1', amount: 50, due_date: '2026-01-01', ...denied }])) },
    payments: { create: answer('pay', { status: 'completed', confirmation_number: 'C1', ...denied }) },
    paymentTerms,
  } as unknown as BillingClient;
  const conversations = {
    listForContact: answer('list', list([{ id: 'DENIED', state: 'open', ...denied }])),
    get: answer('get', { id: 'DENIED', state: 'open', source: { body: 'Hello.' }, ...denied }),
    addNote: answer('note', { id: 'c1', ...denied }),
    reply: answer('reply', { id: 'c1', ...denied }),
  };
  const messaging = {
    conversations,
    articles: { search: answer('articles', list([{ id: 'DENIED', title: 'Help', body: 'Help.', ...denied }])) },
    tickets: { create: answer('ticket', { id: 'DENIED', ticket_id: '7', ...denied }) },
    teams: { listMembers: answer('members', list([{ id: 'DENIED', name: 'DENIED' }])) },
  } as unknown as MessagingClient;
  const crm = {
    contacts: { search: answer('contacts', list([{ Id: 'DENIED', ...denied }])) },
    cases: {
      search: answer('cases', list([{ Id: 'DENIED', CaseNumber: '1', Subject: 'Sound', ...denied }])),
      get: answer('case', { Id: 'DENIED', CaseNumber: '1', Subject: 'Sound', ContactId: 'DENIED', ...denied }),
    },
  } as unknown as CrmClient;
  const slot = { start: new Date('2030-01-07T09:00Z'), end: new Date('2030-01-07T09:30Z') };
  const calendar: Calendar = {
    timeZone: 'Etc/UTC',
    freeSlots: answer('slots', [slot]),
    find: answer('booked', undefined),
    book: answer('book', { id: 'DENIED', ...slot }),
  };
  const contact = { id: 'DENIED', name: 'Jane', custom_attributes: denied, ...denied };
  const steps = {
    identifyCaller: answer('identify', { contact, created: false, ambiguous: false, count: 1, matchedBy: 'phone' }),
    callerContext: answer('context', {
      contact,
      company: { id: 'DENIED', name: 'Acme', ...denied },
      accountManager: { adminId: 'DENIED' },
      customAttributes: { contact: denied, company: denied },
      steps: [],
    }),
    qualifyLead: answer('qualify', {
      outcome: 'lead_created',
      leadId: 'DENIED',
      complete: true,
      steps: [],
      related: {},
    }),
    logCall: answer('log', { taskId: 'DENIED', task: 'created' }),
    routeConversation: answer('route', { id: 'DENIED', ...denied }),
  } as unknown as CallSteps;
  const errors: unknown[] = [];
  const toolbox = createToolbox({
    tools: [
      ...billingTools({ billing, lookup: 'anyone', payments: fromModel }),
      ...callTools({
        phoneCall: () => steps,
        messaging,
        crm,
        teams: { Billing: 'DENIED' },
        ticketTypeId: 'DENIED',
        caseStatus: true,
        transfer: { moveCall: answer('transfer', true), whenUnavailable: 'Later.' },
        calendar,
        lookup: 'anyone',
      }),
    ],
    context: {
      caller: { phone: '+14155550100', contactId: 'DENIED', verified: 'strong' },
      conversationIds: ['c1'],
    },
    onError: (error) => errors.push(error),
  });
  return { toolbox, asked, errors };
};

const { toolbox, asked, errors } = createRecorder();
const names = toolbox.tools().map(({ name }) => name);

/** Anything that JSON can say, often under the names of real arguments. */
const argumentNames = [
  'phone',
  'email',
  'customer_id',
  'invoice_id',
  'amount',
  'payment_method_id',
  'text',
  'team',
  'outcome',
  'words',
  'title',
  'description',
  'summary',
  'from',
  'start',
  'case_number',
  '__proto__',
];
const anyArguments = fc.oneof(
  fc.json(),
  fc.jsonValue(),
  fc.string(),
  fc.dictionary(
    fc.constantFrom(...argumentNames),
    fc.oneof(fc.jsonValue(), fc.string(), fc.double(), fc.constant('+14155550100')),
  ),
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true }),
);

const isOneLine = (text: string) => !/[\n\r\u2028\u2029]/.test(text);

describe('whatever a model writes', () => {
  let calls = 0;

  test('nothing throws, the answer is one line of JSON within its budget, and nothing is sent for what is invalid', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names, 'nothing'), anyArguments, async (name, args) => {
        asked.length = 0;
        calls += 1;
        const { status, text, value } = await toolbox.run(name, args, { callId: `CA${calls}` });

        expect(text.length).toBeLessThanOrEqual(600);
        expect(isOneLine(text)).toBe(true);
        expect(JSON.parse(text)).toEqual(value);
        expect(text).not.toContain('DENIED');
        expect(errors).toEqual([]);
        expect(['done', 'refused']).toContain(status);
        expect(asked.length > 0).toBe(status === 'done');
      }),
      { numRuns: 2_000 },
    );
  });

  test('no tool calls its own code broken, with real clients behind it', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const customer = platform.billing.addCustomer({ name: 'Jane', phone: '+14155550100' });
    platform.billing.addInvoice({ id: 'inv_1', customer_id: customer.id, amount: 4_000 });
    platform.messaging.addContact({ name: 'Jane', phone: '+14155550100' });
    const defects: unknown[] = [];
    let calls = 0;
    const likely = fc.record(
      {
        phone: fc.constantFrom('+14155550100', '', ' ', null, '4155550100'),
        email: fc.oneof(fc.emailAddress(), fc.constantFrom('', 'x')),
        customer_id: fc.constantFrom(customer.id, '', '..', 'x'),
        invoice_id: fc.constantFrom('inv_1', ' ', 'x'),
        amount: fc.oneof(fc.double(), fc.integer({ min: 1, max: 20 }), fc.constant('5')),
        payment_method_id: fc.constantFrom('pm_1', '\ud800'),
        text: fc.oneof(fc.string({ unit: 'binary', maxLength: 1_200 }), fc.constantFrom(' ', '\n', '\u200b')),
        team: fc.constantFrom('Billing', 'x'),
        conversation_id: fc.oneof(fc.string(), fc.constant('')),
        last_name: fc.string({ unit: 'binary', maxLength: 300 }),
        company: fc.string(),
        employees: fc.oneof(fc.integer(), fc.double()),
        expected_close: fc.constantFrom('2026-12-31', '2026-02-30', ''),
        score: fc.double(),
        outcome: fc.oneof(fc.string(), fc.constant(' ')),
        summary: fc.string({ unit: 'binary' }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), likely, fc.boolean(), async (name, args, asText) => {
        calls += 1;
        const { tools } = startPhoneCall(clients, {
          callId: `CA${calls}`,
          direction: 'Inbound',
          phone: '+14155550100',
          tools: {
            call: { teams: { Billing: 'team_1' } },
          },
          payments: fromModel,
          onError: (error) => isOfTheModel(error) || defects.push(error),
        });
        const { text, value } = await tools.run(name, asText ? JSON.stringify(args) : args);

        expect(text).not.toContain('internal_error');
        expect(text.length).toBeLessThanOrEqual(600);
        expect(isOneLine(text)).toBe(true);
        expect(JSON.parse(text)).toEqual(value);
        expect(defects).toEqual([]);
      }),
      { numRuns: 250 },
    );
  }, 60_000);

  test('no argument changes the route of a request', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const contact = platform.messaging.addContact({ phone: '+14155550100' });
    const { id } = platform.messaging.addConversation({ contact_id: contact.id });
    const toolbox = createToolbox({
      tools: [
        ...billingTools({ billing: clients.billing, lookup: 'anyone', payments: fromModel }),
        ...callTools({
          phoneCall: () => ({}) as CallSteps,
          messaging: clients.messaging,
          only: ['add_note', 'reply_to_customer'],
        }),
      ],
      limits: { toolCalls: Number.POSITIVE_INFINITY, writes: Number.POSITIVE_INFINITY },
      context: { callId: 'CA1', caller: { verified: 'strong' }, conversationIds: [id] },
    });
    const customer = platform.billing.addCustomer({ email: 'jane@example.com' });
    const { id: invoice_id } = platform.billing.addInvoice({ customer_id: customer.id, amount: 5_000 });
    await toolbox.run('lookup_customer_invoices', { email: 'jane@example.com' });
    const hostile = fc.oneof(
      fc.constantFrom(
        '../admin',
        '/etc',
        'a?b=c',
        'a#b',
        '%2e%2e',
        'https://evil.example',
        'a&status=paid',
        'x\r\nHost: evil',
      ),
      fc.string({ minLength: 1 }),
    );
    await fc.assert(
      fc.asyncProperty(hostile, hostile, fc.integer({ min: 1, max: 4_999 }), async (one, other, amount) => {
        await toolbox.run('create_payment', { customer_id: one, invoice_id: other, amount, payment_method_id: one });
        await toolbox.run('create_payment', { invoice_id, amount, payment_method_id: one });
        await toolbox.run('lookup_customer_invoices', { email: `${encodeURIComponent(one).slice(0, 40)}@example.com` });
        await toolbox.run('add_note', { text: one, conversation_id: other });
        await toolbox.run('reply_to_customer', { text: other });
      }),
      { numRuns: 40 },
    );

    // A blank id is no id: the note goes to the conversation of the call.
    await toolbox.run('add_note', { text: 'Call back.', conversation_id: ' ' });

    const routes = new Set(platform.requests.map(({ method, path }) => `${method} ${path.split('?')[0]}`));
    const inCall = [`POST /conversations/${id}/parts`, `POST /conversations/${id}/reply`];
    expect([...routes].toSorted()).toEqual(
      ['GET /v1/customers/search', 'GET /v1/invoices', ...inCall, 'POST /v1/payments'].toSorted(),
    );
  });
});

describe('whatever a tool gives', () => {
  test('or throws, the answer is one line of JSON within its budget', async () => {
    const given = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(
        given,
        fc.boolean(),
        fc.constantFrom('read', 'write', 'payment'),
        async (result, fails, effect) => {
          const tool = defineTool({
            name: 'own',
            description: 'A tool of its own.',
            parameters: z.object({}),
            effect,
            run: () => {
              if (fails) throw result;
              return result;
            },
          });
          const { text, value } = await createToolbox({ tools: [tool] }).run('own', {}, { callId: 'CA1' });

          expect(text.length).toBeLessThanOrEqual(600);
          expect(isOneLine(text)).toBe(true);
          expect(JSON.parse(text)).toEqual(value);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('the result is one line of valid JSON within its budget', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withSet: true }),
        fc.integer({ min: 40, max: 2_000 }),
        (value, maxChars) => {
          const { text, value: data } = compact(value, { maxChars });

          expect(text.length).toBeLessThanOrEqual(Math.min(maxChars, 1200));
          expect(isOneLine(text)).toBe(true);
          expect(JSON.parse(text)).toEqual(data);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('no text in it can hide or turn what follows', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(compact({ text }).text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });
});

describe('whatever is paid, one after the other or at the same time', () => {
  const ends = {
    completed: async () => ({ status: 'completed' }),
    declined: async () => ({ status: 'declined', error_message: 'No' }),
    rejected: () => Promise.reject(new ClientError('x', { status: 422, outcome: 'rejected' })),
    unknown: () => Promise.reject(new RetriesExhaustedError('x', { reason: 'timeout', outcome: 'unknown' })),
  };
  type End = keyof typeof ends;

  test('no more than what is outstanding is paid, or may be', async () => {
    const payment = fc.record({
      amount: fc.constantFrom(10, 25, 40, 50, 60, 100, 101),
      end: fc.constantFrom<End>('completed', 'declined', 'rejected', 'unknown'),
      waits: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(payment, { maxLength: 12 }), async (payments) => {
        /** By key, the most that can have come of it. */
        const moved = new Map<string, number>();
        let next: End = 'completed';
        const create: BillingClient['payments']['create'] = async ({ amount }, call) => {
          const end = next;
          if (end === 'completed' || end === 'unknown') moved.set(call?.idempotencyKey ?? '', amount);
          if (end === 'declined') moved.delete(call?.idempotencyKey ?? '');
          return ends[end]();
        };
        const billing = {
          customers: { find: async () => ({ id: 'cus_1' }) },
          invoices: { listOpen: async () => ({ data: [{ id: 'inv_1', amount: 100 }], total: 1 }) },
          payments: { create },
          paymentTerms,
        } as unknown as BillingClient;
        const toolbox = createToolbox({
          tools: billingTools({ billing, payments: fromModel }),
          context: { callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } },
        });
        await toolbox.run('lookup_customer_invoices', {});

        const results = [];
        for (const { amount, end, waits } of payments) {
          next = end;
          const args = { customer_id: 'cus_1', invoice_id: 'inv_1', amount, payment_method_id: 'pm_1' };
          const result = toolbox.run('create_payment', args);
          results.push(result);
          if (waits) await result;
        }
        await Promise.all(results);

        expect([...moved.values()].reduce((sum, amount) => sum + amount, 0)).toBeLessThanOrEqual(100);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the key of a payment', () => {
  const args = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
  );
  const facts = fc.record({
    tenant: fc.option(fc.string(), { nil: undefined }),
    tool: fc.constantFrom('pay', 'create_payment'),
    what: args,
    by: fc.constantFrom('pm_1', 'pm_2'),
    intent: fc.option(fc.string(), { nil: undefined }),
  });

  test('does not depend on the order of the arguments', () => {
    fc.assert(
      fc.property(facts, (one) => {
        const reversed = { ...one, what: Object.fromEntries(Object.entries(one.what).toReversed()) };

        expect(paymentIntent(reversed)).toBe(paymentIntent(one));
      }),
    );
  });

  test('is another one for other facts, phone calls and tries', () => {
    const canonical = (value: object) =>
      JSON.stringify(Object.entries(value).toSorted(([a], [b]) => a.localeCompare(b)));
    fc.assert(
      fc.property(facts, facts, (one, other) => {
        const isSame =
          canonical(one.what) === canonical(other.what) &&
          one.tenant === other.tenant &&
          one.tool === other.tool &&
          one.intent === other.intent;

        expect(paymentIntent(one) === paymentIntent(other)).toBe(isSame);
      }),
    );
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.integer({ min: 1 }),
        fc.integer({ min: 1 }),
        (call, otherCall, ordinal, otherOrdinal) => {
          const isSame = call === otherCall && ordinal === otherOrdinal;

          expect(tryKey('i', 'pm_1', call, ordinal) === tryKey('i', 'pm_1', otherCall, otherOrdinal)).toBe(isSame);
        },
      ),
    );
  });
});

/** An id that the API doesn't know, and a tool that the phone call doesn't have. */
const isOfTheModel = (error: unknown) =>
  error instanceof ClientError || (error instanceof Error && error.message.startsWith('the model asked for'));
