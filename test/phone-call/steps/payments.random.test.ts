import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { apiKey } from '../../../src/auth/index.ts';
import { createBillingClient } from '../../../src/billing/index.ts';
import { type PaymentResult, takePayment } from '../../../src/phone-call/steps/take-payment.ts';
import { IntegrationError } from '../../../src/core/errors.ts';
import { createApiClient, createIntegration } from '../../../src/index.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory-idempotency-store.ts';
import { billingTools, createToolbox, defineTool, refused, toolFrom } from '../../../src/tools/index.ts';
import fc from '../../support/fast-check.ts';
import { ownPay } from '../../support/own-pay.ts';
import { paying } from '../../support/paying.ts';

/** What the bank does with a request, and what it answers whatever it did. */
interface Step {
  readonly does: 'charge' | 'decline' | 'nothing' | 'later';
  readonly says: Answer;
}

type Answer = 'the record' | 'pending' | 'in progress' | 'another payment' | 'a reset' | number;

const refusals = [400, 401, 402, 403, 404, 405, 409, 410, 412, 413, 415, 422, 423, 425, 428, 429, 451];
const failures = [204, 302, 304, 408, 500, 502, 503];

const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom('charge', 'decline', 'nothing', 'later'),
  says: fc.oneof(
    fc.constantFrom<Answer>('the record', 'pending', 'in progress', 'another payment', 'a reset'),
    fc.constantFrom(...refusals),
    fc.constantFrom(...failures),
  ),
});

/** A card that a bank works on: what it did under each key. */
interface Account {
  readonly steps: Iterator<Step>;
  /** It charges once per key; otherwise once per request. */
  readonly knowsKeys: boolean;
  readonly byKey: Map<string, 'completed' | 'declined' | 'in progress'>;
  charges: number;
}

const settle = (account: Account) => {
  for (const [key, state] of account.byKey) {
    if (state !== 'in progress') continue;
    account.byKey.set(key, 'completed');
    account.charges += 1;
  }
};

/** Does what the step says, unless the key has been worked on. Never says "no" to a payment that it begins. */
const work = (account: Account, key: string, { does, says }: Step): { says: Answer; record: string } => {
  const before = account.byKey.get(key);
  if (before === undefined && does !== 'nothing') {
    account.byKey.set(key, does === 'charge' ? 'completed' : does === 'decline' ? 'declined' : 'in progress');
    if (does === 'charge') account.charges += 1;
  }
  const state = account.byKey.get(key);
  const isBegun = before === undefined && state !== undefined;
  const isLie = isBegun && typeof says === 'number' && refusals.includes(says);
  if (before === 'in progress') settle(account);
  return { says: isLie ? 'a reset' : says, record: state === undefined || state === 'in progress' ? 'pending' : state };
};

const accounts = new Map<string, Account>();
let requests = 0;

const bank = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method === 'GET') {
    const open = [...accounts.keys()].map((id) => ({ id, amount: 20 }));
    response.setHeader('content-type', 'application/json');
    return void response.end(JSON.stringify(request.url?.includes('/customers') ? { id: 'c' } : open));
  }
  requests += 1;
  const { invoice_id = '', amount = 0 } = JSON.parse(await text(request)) as { invoice_id?: string; amount?: number };
  const account = accounts.get(invoice_id);
  if (!account) return void response.writeHead(500).end();
  const key = account.knowsKeys ? String(request.headers['idempotency-key']) : `${requests}`;
  const next = account.steps.next();
  const { says, record } = work(account, key, next.done ? { does: 'charge', says: 'the record' } : next.value);
  const answer = (status: number, body: object) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
      .end([204, 304].includes(status) ? undefined : JSON.stringify(body));
  if (says === 'a reset') return void request.socket.destroy();
  if (says === 'in progress') return answer(409, { error: 'A request with this key is in progress' });
  if (says === 'pending') return answer(202, { status: 'processing' });
  if (says === 'another payment') return answer(200, { status: 'completed', amount: `${amount + 1}.00` });
  if (says === 'the record')
    return answer(200, { status: record, confirmation_number: 'C', invoice_id, amount: `${amount}.00` });
  return answer(says, { status: 'declined', error_message: 'No', error: 'no' });
};

const caller = { phone: '+14155550100', verified: 'strong' } as const;

type Told = 'paid' | 'not charged' | 'unknown';

/** Each way to pay, asked again with the same arguments; `process` is one of two that share a store. */
const waysOf = (origin: string) => {
  const connection = {
    baseUrl: origin,
    authenticate: apiKey('X-Key', () => 'k'),
    version: { path: 'v1' },
    circuit: false as const,
    retryBudget: false as const,
    backoff: { minimumMs: 0, maximumMs: 0 },
  };
  const store = createMemoryIdempotencyStore();
  const record = z.looseObject({ status: z.string() });
  const body = z.object({ invoice_id: z.string(), amount: z.number() });
  const outcome = ({ status }: { status: string }) =>
    status === 'completed' ? ('done' as const) : status === 'declined' ? ('refused' as const) : ('unknown' as const);
  const description = 'Pays.';
  const pay = { method: 'POST', path: '/pay', body, returns: record, effect: 'payment' } as const;

  const createProcess = () => {
    const billing = createBillingClient({ ...connection, payments: { below: 5_000 }, minimumBudgetMs: 0 });
    const keyed = createApiClient({ ...connection, name: 'keyed', idempotency: 'key', endpoints: { pay } });
    const keyless = createApiClient({ ...connection, name: 'keyless', idempotency: 'none', endpoints: { pay } });
    const toolbox = paying(
      createToolbox({
        store,
        onError: () => {},
        tools: [
          ...billingTools({ billing, store, payments: { card: () => 'p', confirm: false } }),
          toolFrom(keyed.pay, { description, outcome, confirm: false }),
          toolFrom(keyless.pay, { description, outcome, confirm: false }),
          defineTool({
            name: 'own_pay',
            description,
            parameters: body,
            effect: 'payment',
            confirm: false,
            outcome,
            run: async (args) => {
              const response = await fetch(`${origin}/v1/own`, { method: 'POST', body: JSON.stringify(args) });
              if ([400, 422].includes(response.status)) return refused({ error: 'no' });
              if (response.status !== 200) throw new Error('no answer');
              return record.parse(await response.json());
            },
          }),
        ],
      }),
    );
    const { startPhoneCall } = createIntegration({
      billing: { ...connection, minimumBudgetMs: 0 },
      payments: { below: 5_000, confirm: false },
      store,
      onError: () => {},
    });
    const own = ownPay(keyed, {
      keyless,
      open: () => [...accounts.keys()].map((id) => ({ id, amount: 20 })),
      charge: async (args) => {
        const response = await fetch(`${origin}/v1/own`, { method: 'POST', body: JSON.stringify(args) });
        return record.parse(await response.json());
      },
    });
    const startOwn = (name: keyof typeof own) =>
      createIntegration({
        billing: own[name],
        payments: { below: 5_000, confirm: false, card: () => 'p' },
        store,
        onError: () => {},
      }).startPhoneCall;
    const owns = {
      keyed: startOwn('keyed'),
      keyless: startOwn('keyless'),
      swallows: startOwn('swallows'),
      bypasses: startOwn('bypasses'),
    };
    return { billing, keyed, toolbox, startPhoneCall, owns };
  };
  const processes = [createProcess(), createProcess()] as const;
  const [{ billing, keyed }] = processes;

  const byStatus = (call: Promise<{ status: string }>): Promise<Told> =>
    call.then(
      ({ status }) => (status === 'completed' ? 'paid' : status === 'declined' ? 'not charged' : 'unknown'),
      ofError,
    );
  const ofResult = (result: PaymentResult): Told =>
    result.success ? 'paid' : result.outcome === 'unknown' ? 'unknown' : 'not charged';
  const ofError = (error: unknown): Told => {
    if (!(error instanceof IntegrationError)) throw error;
    return error.outcome === 'unknown' ? 'unknown' : 'not charged';
  };
  const tool =
    (name: string) =>
    async (id: string, process: number): Promise<Told> => {
      const { toolbox } = processes[process] ?? processes[0];
      const { status } = await toolbox.run(name, { invoice_id: id, amount: 20 }, { callId: `CA${id}`, caller });
      return status === 'done' ? 'paid' : status === 'unknown' ? 'unknown' : 'not charged';
    };

  const ways: Readonly<Record<string, (id: string, process: number) => Promise<Told>>> = {
    'the client': (id) =>
      byStatus(
        billing.payments.create(
          { customer_id: 'c', invoice_id: id, amount: 20, payment_method_id: 'p' },
          { idempotencyKey: id },
        ),
      ),
    'the step': (id) =>
      takePayment({ billing }, { callId: id, customerId: 'c', invoiceId: id, amount: 20, paymentMethodId: 'p' }).then(
        ofResult,
        ofError,
      ),
    'the step of a phone call': (id, process) => {
      const { startPhoneCall } = processes[process] ?? processes[0];
      const phoneCall = startPhoneCall({ callId: id, direction: 'inbound' });
      return phoneCall
        .takePayment({ customerId: 'c', invoiceId: id, amount: 20, paymentMethodId: 'p' })
        .then(ofResult, ofError);
    },
    'the tool': tool('create_payment'),
    ...Object.fromEntries(
      (['keyed', 'keyless', 'swallows', 'bypasses'] as const).flatMap((name) => {
        const ring = (id: string, process: number) =>
          (processes[process] ?? processes[0]).owns[name]({ callId: `CA${id}`, phone: caller.phone });
        const payment = (id: string) => ({ customerId: 'c', invoiceId: id, amount: 20, paymentMethodId: 'p' });
        return [
          [
            `the step of functions: ${name}`,
            (id: string, process: number) => ring(id, process).takePayment(payment(id)).then(ofResult, ofError),
          ],
          [
            `the tool of functions: ${name}`,
            async (id: string, process: number): Promise<Told> => {
              const { status } = await paying(ring(id, process).tools).run('create_payment', {
                invoice_id: id,
                amount: 20,
              });
              return status === 'done' ? 'paid' : status === 'unknown' ? 'unknown' : 'not charged';
            },
          ],
        ];
      }),
    ),
    'an own API': (id) => byStatus(keyed.pay({ body: { invoice_id: id, amount: 20 } }, { idempotencyKey: id })),
    'a tool of an own API': tool('keyed_pay'),
    'a tool of an own API without keys': tool('keyless_pay'),
    'an own tool': tool('own_pay'),
  };
  return ways;
};

/** What is said and isn't so. */
const falseWords: Readonly<Record<Told, (bank: { isPaid: boolean; charges: number; wasPaid: boolean }) => boolean>> = {
  paid: ({ isPaid }) => !isPaid,
  'not charged': ({ charges, wasPaid }) => charges > 0 || wasPaid,
  unknown: () => false,
};

/** The client and own APIs give whatever the API says of another payment; their caller has to look at it. */
const looksAtAmounts = ['the step', 'the step of a phone call', 'the tool'];
const withoutKeys = [
  'a tool of an own API without keys',
  'an own tool',
  'the step of functions: keyless',
  'the tool of functions: keyless',
  'the step of functions: bypasses',
  'the tool of functions: bypasses',
];

const payments = Number(process.env.RANDOM_PAYMENTS ?? 250);

test(
  'payments at random: none is made twice, and nothing false is said of one',
  async () => {
    const server = createServer((request, response) => void bank(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const ways = waysOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const counted: Record<string, number> = { paid: 0, 'not charged': 0, unknown: 0 };
    let made = 0;

    const course = fc.record({
      way: fc.constantFrom(...Object.keys(ways)),
      steps: fc.array(step, { maxLength: 14 }),
      askedIn: fc.array(fc.nat(1), { minLength: 2, maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(course, async ({ way, steps, askedIn }) => {
        made += 1;
        const id = `i${made}`;
        const own = steps.filter(({ says }) => says !== 'another payment' || looksAtAmounts.includes(way));
        const account: Account = {
          steps: own.values(),
          knowsKeys: !withoutKeys.includes(way),
          byKey: new Map(),
          charges: 0,
        };
        accounts.set(id, account);
        let wasPaid = false;
        for (const process of askedIn) {
          const told = await ways[way]?.(id, process);
          counted[told ?? ''] = (counted[told ?? ''] ?? 0) + 1;
          const isPaid = account.charges === 1;
          if (told === 'not charged') settle(account);
          expect(falseWords[told ?? 'unknown']({ isPaid, charges: account.charges, wasPaid })).toBe(false);
          wasPaid ||= told === 'paid';
        }
        settle(account);
        expect(account.charges).toBeLessThanOrEqual(1);
        accounts.delete(id);
      }),
      { numRuns: payments, seed: Number(process.env.FAST_CHECK_SEED ?? 2026) },
    );
    server.closeAllConnections();
    server.close();
    expect(Object.values(counted).every((times) => times > 0)).toBe(true);
    if (process.env.RANDOM_PAYMENTS)
      process.stdout.write(`${payments} payments, ${requests} requests: ${JSON.stringify(counted)}\n`);
  },
  300_000 + payments * 500,
);
