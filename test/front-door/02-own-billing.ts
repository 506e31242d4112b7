// A billing API of your own: three functions over a typed client, with every guard of create_payment.
import { createApiClient, createIntegration } from 'voice-agent-integrations';
import { apiKey, fromEnv } from 'voice-agent-integrations/auth';
import { billingFrom } from 'voice-agent-integrations/billing';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';
import * as z from 'zod';

const account = z.object({
  acct_no: z.string(),
  display_name: z.string(),
  msisdn: z.string(),
  card: z.string().nullable(),
});
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

const integration = createIntegration({
  billing: billingFrom(ledger, {
    currency: 'EUR',
    findByPhone: async (phone, api) => {
      const { accounts } = await api.accounts({ msisdn: phone });
      return accounts.map((one) => ({ id: one.acct_no, name: one.display_name, phone: one.msisdn, card: one.card }));
    },
    listOpen: async (customerId, api) => {
      const { bills } = await api.bills({ id: customerId });
      return bills.map((one) => ({ id: one.bill_no, amount: one.cents_open / 100, due_date: one.due_on }));
    },
    pay: async ({ invoice_id, minor_amount, payment_method_id }, api) => {
      const body = { bill: invoice_id, cents: minor_amount, card: payment_method_id };
      const { state, receipt } = await api.charge({ body }); // `api` brings the idempotency key and the deadline
      if (state === 'paid') return { status: 'completed', confirmation_number: receipt };
      return state === 'pending' ? { status: 'pending' } : { status: 'declined' };
    },
  }),
  payments: { card: (customer) => customer['card'], below: 500 },
  store: sqlite({ file: 'payments.db' }).idempotencyStore(),
});

const { tools } = integration.startPhoneCall({ callId: 'CA1', phone: '+14155550100' });
console.log((await tools.run('lookup_customer_invoices', {})).text);
await integration.close();
