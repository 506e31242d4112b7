/** A billing API of your own: three functions, and every guard of `create_payment`. `npm run example own-billing` */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createApiClient, createIntegration } from 'voice-agent-integrations';
import { apiKey, fromEnv } from 'voice-agent-integrations/auth';
import { billingFrom } from 'voice-agent-integrations/billing';
import * as z from 'zod';

// Plays the billing API: names of its own, cents, and a key in a header. It charges, and the answer is lost.
const charges = new Map<string, object>();
const bills = [{ bill_no: 'B-7', cents_open: 12050, due_on: '2026-11-18' }];
const serve = async (request: IncomingMessage, response: ServerResponse) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://ledger');
  const say = (answer: object) => response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  if (pathname === '/accounts') {
    const account = { acct_no: 'A-1', display_name: 'Ada', msisdn: '+14155550100', card: 'card_1' };
    return say({ accounts: searchParams.get('msisdn') === account.msisdn ? [account] : [] });
  }
  if (pathname === '/accounts/A-1/bills') return say({ bills });
  const key = String(request.headers['x-request-key']);
  console.log('The ledger is asked to charge', await json(request), charges.has(key) ? 'again' : '');
  const before = charges.get(key);
  if (before) return say(before);
  charges.set(key, { state: 'paid', receipt: `R-${charges.size + 1}` });
  return request.socket.destroy();
};
const server = createServer((request, response) => void serve(request, response));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
Object.assign(process.env, { LEDGER_URL: `http://127.0.0.1:${port}`, LEDGER_KEY: 'ledger-key' });

const account = z.object({ acct_no: z.string(), display_name: z.string(), msisdn: z.string(), card: z.string() });
const bill = z.object({ bill_no: z.string(), cents_open: z.int(), due_on: z.iso.date() });

const ledger = createApiClient({
  name: 'ledger',
  baseUrl: fromEnv('LEDGER_URL'),
  authenticate: apiKey('X-Key', fromEnv('LEDGER_KEY')),
  idempotency: { header: 'X-Request-Key' },
  endpoints: {
    accounts: {
      method: 'GET',
      path: '/accounts',
      query: z.object({ msisdn: z.string() }),
      returns: z.object({ accounts: z.array(account) }),
    },
    bills: { method: 'GET', path: '/accounts/{id}/bills?state=due', returns: z.object({ bills: z.array(bill) }) },
    charge: {
      method: 'POST',
      path: '/charges',
      body: z.object({ bill: z.string(), cents: z.int(), card: z.string() }),
      returns: z.object({ state: z.enum(['paid', 'refused', 'pending']), receipt: z.string().nullish() }),
      effect: 'payment',
    },
  },
});

const billing = billingFrom(ledger, {
  currency: 'EUR',
  findByPhone: async (phone, api) => {
    const { accounts } = await api.accounts({ msisdn: phone });
    return accounts.map((one) => ({ id: one.acct_no, name: one.display_name, phone: one.msisdn, card: one.card }));
  },
  listOpen: async (customerId, api) => {
    const open = await api.bills({ id: customerId });
    return open.bills.map((one) => ({ id: one.bill_no, amount: one.cents_open / 100, due_date: one.due_on }));
  },
  pay: async ({ invoice_id, minor_amount, payment_method_id }, api) => {
    const body = { bill: invoice_id, cents: minor_amount, card: payment_method_id };
    const { state, receipt } = await api.charge({ body }); // `api` brings the idempotency key and the deadline
    if (state === 'paid') return { status: 'completed', confirmation_number: receipt };
    return { status: state === 'pending' ? 'pending' : 'declined' };
  },
});

await using integration = createIntegration({
  billing,
  payments: { card: ({ card }) => card, below: 500 }, // the model never sees the card
  store: 'memory',
});

const phoneCall = integration.startPhoneCall({ callId: 'CA1', phone: '+1 415 555 0100' });
const payment = { invoice_id: 'B-7', amount: 120.5 };

const { tools } = phoneCall.turn({ heard: 'What do I owe?' });
console.log((await tools.run('lookup_customer_invoices', {})).text);
const asked = await tools.run('create_payment', payment);
console.log('The agent asks', asked.text);

const { confirmation_token } = z.object({ confirmation_token: z.string() }).parse(asked.value);
const answered = phoneCall.turn({ heard: 'Yes, please.' });
console.log((await answered.tools.run('create_payment', { ...payment, confirmation_token })).text);
console.log('Charged:', charges.size);
server.close();
