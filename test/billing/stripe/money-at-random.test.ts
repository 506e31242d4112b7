import { afterEach, expect, test, vi } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { createBillingClient } from '../../../src/billing/index.ts';
import { stripe } from '../../../src/billing/stripe/index.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory-idempotency-store.ts';
import { createFakePlatform, type Fault, type FakePlatform, testCredentials } from '../../../src/dev/testing/index.ts';
import { billingTools, createToolbox, type ToolResult } from '../../../src/tools/index.ts';
import fc from '../../support/fast-check.ts';

const faults: readonly Fault[] = [
  { executeThenDrop: true },
  { reset: 'before-headers' },
  { truncate: true },
  { status: 500, executed: true },
  { status: 500 },
  { status: 500, executed: true, headers: { 'stripe-should-retry': 'false' } },
  { status: 409, retryAfter: 0 },
  { status: 429, retryAfter: 0 },
  { status: 402 },
  'ok',
];

const cards = [
  'pm_card_visa',
  'pm_card_chargeDeclined',
  'pm_card_authenticationRequired',
  'pm_usBankAccount_success',
] as const;

/** What is asked in one of three phone calls, which two processes answer. */
const request = fc.record({
  phoneCall: fc.nat(2),
  process: fc.nat(1),
  invoice: fc.constantFrom('in_1', 'in_2'),
  isWhole: fc.nat(5).map((number) => number > 0),
  card: fc.constantFrom(...cards),
  looksUp: fc.boolean(),
  waits: fc.boolean(),
  /** How the bank ends, before this is asked, what it still works on. */
  bankEnds: fc.constantFrom(undefined, undefined, undefined, 'completed', 'declined'),
  /** Stripe forgets its keys after 24 hours. */
  hoursLater: fc.constantFrom(0, 0, 0, 0, 1, 25),
});

const currencies = [
  { currency: 'EUR', whole: 120.5, part: 60 },
  { currency: 'JPY', whole: 1205, part: 600 },
] as const;

afterEach(() => void vi.useRealTimers());

test(
  'whatever happens, each invoice is paid at most once, and what a model reads of it is true',
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(request, { maxLength: 10 }),
        fc.array(fc.constantFrom(...faults), { maxLength: 12 }),
        fc.constantFrom(...currencies),
        async (requests, met, { currency, whole, part }) => {
          vi.useFakeTimers({ toFake: ['Date'] });
          const platform = createFakePlatform({ billing: { dialect: 'stripe', searchDelayMs: 0 } });
          platform.billing.addCustomer({ id: 'cus_1', phone: '+14155550100' });
          for (const id of ['in_1', 'in_2'])
            platform.billing.addInvoice({ id, customer_id: 'cus_1', amount: whole, currency });
          platform.fault('billing.payments.create', met);
          const store = createMemoryIdempotencyStore();
          const boxes = new Map<string, ReturnType<typeof createToolbox>>();
          let card: string = cards[0];
          const toolboxOf = (process: number, phoneCall: number) => {
            const name = `${process} ${phoneCall}`;
            const box =
              boxes.get(name) ?? start(platform, { callId: `CA${phoneCall}`, store, currency, card: () => card });
            boxes.set(name, box);
            return box;
          };

          const ends: { readonly invoice: string; readonly end: Promise<ToolResult> }[] = [];
          for (const one of requests) {
            if (one.hoursLater > 0) {
              await Promise.all(ends.map(({ end }) => end));
              vi.setSystemTime(Date.now() + one.hoursLater * 3_600_000);
            }
            const waiting = platform.billing.payments.filter(({ status }) => one.bankEnds && status === 'pending');
            for (const { id } of waiting) platform.billing.settlePayment(id, one.bankEnds ?? 'completed');
            const toolbox = toolboxOf(one.process, one.phoneCall);
            if (one.looksUp) await toolbox.run('lookup_customer_invoices', {});
            ({ card } = one);
            const end = toolbox.run('create_payment', { invoice_id: one.invoice, amount: one.isWhole ? whole : part });
            ends.push({ invoice: one.invoice, end });
            if (one.waits) await end;
          }

          for (const id of ['in_1', 'in_2']) {
            const results = await Promise.all(ends.filter(({ invoice }) => invoice === id).map(({ end }) => end));
            const moved = platform.billing.payments.filter(
              ({ invoice_id, status }) => invoice_id === id && status !== 'failed',
            );
            const isPaid = moved.some(({ status }) => status === 'completed');
            expect(moved.length).toBeLessThanOrEqual(1);
            // A success that a model reads is true. Where money may move, not every answer says that it doesn't.
            const saysPaid = results.some(({ status }) => status === 'done');
            const allSayNothingMoved = results.every(({ status }) => status === 'refused' || status === 'failed');
            expect([saysPaid && !isPaid, moved.length > 0 && allSayNothingMoved]).toEqual([false, false]);
          }
        },
      ),
      { numRuns: 60 },
    ),
  60_000,
);

const start = (
  platform: FakePlatform,
  {
    callId,
    store,
    currency,
    card,
  }: {
    callId: string;
    store: ReturnType<typeof createMemoryIdempotencyStore>;
    currency: string;
    card: () => string;
  },
) =>
  createToolbox({
    tools: billingTools({
      billing: createBillingClient({
        ...stripe({ currency }),
        authenticate: bearer(() => testCredentials.billing),
        payments: { below: 5000 },
        backoff: { minimumMs: 0, maximumMs: 0 },
        circuit: false,
        rateLimit: false,
        fetch: fetchFrom(platform),
      }),
      payments: { card, confirm: false },
    }),
    store,
    limits: { toolCalls: Number.POSITIVE_INFINITY, writes: Number.POSITIVE_INFINITY },
    context: { callId, caller: { phone: '+14155550100', verified: 'caller-id' } },
  });

/** The fake account without sockets. What never arrives whole is a network error. */
const fetchFrom =
  (platform: FakePlatform): typeof fetch =>
  async (input) => {
    const sent = new Request(input);
    const { pathname, search } = new URL(sent.url);
    const { status, headers, body, delivery } = platform.handle('billing', {
      method: sent.method,
      url: `${pathname}${search}`,
      headers: Object.fromEntries(sent.headers),
      body: await sent.text(),
    });
    if (delivery !== 'whole') throw new TypeError('fetch failed');
    return new Response(body, { status, headers });
  };
