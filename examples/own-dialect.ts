/** A billing platform that isn't built in: a dialect says how it differs from the default API. `npm run example own-dialect` */
import { createIntegration, path } from 'voice-agent-integrations';
import { apiKey } from 'voice-agent-integrations/auth';
import type { BillingConnection } from 'voice-agent-integrations/billing';

interface Item {
  customer: unknown;
  invoice: { id: string; cents_due: number; due_on: string };
}
const itemsOf = (json: unknown): readonly Item[] => Object(json).items;

const toPayment = (json: unknown) => {
  const { error, payment } = Object(json);
  if (error) return { status: 'declined', error_message: error.message };
  return { status: payment.state === 'paid' ? 'completed' : 'pending', confirmation_number: payment.number };
};

const ledger = {
  baseUrl: 'https://ledger.example/api/v2',
  currency: 'EUR',
  idempotency: { header: 'X-Request-Key' },
  dialect: {
    endpoints: {
      customers: {
        get: { answer: (json) => Object(json).customer },
        find: {
          path: 'customers?limit=2', // two customers are an error, so don't ask for one
          query: ({ phone, email }) => ({ 'phone[is]': phone, 'email[is]': email }),
          answer: (json) => itemsOf(json).map(({ customer }) => customer),
        },
      },
      invoices: {
        listOpen: {
          path: 'invoices?customer[is]={customerId}&state=due&limit=100',
          answer: (json) =>
            itemsOf(json).map(({ invoice: { id, cents_due, due_on } }) => ({
              id,
              amount: cents_due / 100,
              due_date: due_on,
              status: 'open',
            })),
        },
      },
    },
    methods: ({ http, entries }) => ({
      pay: ({ invoice_id, amount, payment_method_id }, call) =>
        http.request(
          {
            operation: 'billing.payments.create',
            method: 'POST',
            path: path`invoices/${invoice_id}/collect`,
            sends: 'form',
            body: { cents: Math.round(amount * 100), source: payment_method_id },
            effect: 'payment',
            wholeDeadline: true,
            minimumBudgetMs: entries.payments.create.minimumBudgetMs,
            returns: toPayment,
          },
          call,
        ),
    }),
    http: { unwrap: (response) => (response.status === 402 ? { ...response, status: 200 } : response) },
  },
} satisfies Partial<BillingConnection>;

// Plays the platform: it charges, and the first answer is lost.
const payments = new Map<string, { state: string; number: string }>(); // by their key
const invoice = { id: 'inv_1', cents_due: 4990, due_on: '2026-11-18' };

const fakeLedger: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const { pathname, searchParams } = new URL(request.url);
  const phone = searchParams.get('phone[is]');
  if (request.headers.get('authorization') !== `Basic ${btoa('key_1:')}`) return Response.json({}, { status: 401 });
  if (pathname === '/api/v2/customers' && phone === '+14155550100')
    return Response.json({ items: [{ customer: { id: 'c_1', name: 'Ada' } }] });
  if (pathname === '/api/v2/invoices') return Response.json({ items: [{ invoice }] });
  const key = request.headers.get('x-request-key');
  if (pathname !== '/api/v2/invoices/inv_1/collect' || !key) return Response.json({}, { status: 404 });
  if ((await request.text()) !== 'cents=4990&source=pm_1')
    return Response.json({ error: { message: 'The card was declined.' } }, { status: 402 });
  const payment = payments.get(key);
  if (payment) return Response.json({ payment });
  payments.set(key, { state: 'paid', number: 'L-1' });
  throw new TypeError('fetch failed'); // charged, and the answer is lost
};

const { startPhoneCall } = createIntegration({
  billing: {
    ...ledger,
    authenticate: apiKey('Authorization', () => `Basic ${btoa('key_1:')}`), // use fromEnv, or your secret manager
    fetch: fakeLedger,
  },
  payments: { card: () => 'pm_1', below: 500, confirm: false }, // in production, let it ask the caller,
  store: 'memory', // and keep payments in a store that outlives the process
});
const { tools } = startPhoneCall({ callId: 'CA1', direction: 'inbound', phone: '+14155550100' });
console.log((await tools.run('lookup_customer_invoices', {})).text);
console.log((await tools.run('create_payment', { invoice_id: 'inv_1', amount: 10 })).text);
console.log((await tools.run('create_payment', { invoice_id: 'inv_1', amount: 49.9 })).text);
console.log('Charged:', payments.size);
