import { expect, onTestFinished, test } from 'vitest';
import { bearer } from '../src/auth/index.ts';
import { stripe } from '../src/billing/stripe/index.ts';
import { salesforce } from '../src/crm/salesforce/index.ts';
import { createIntegration } from '../src/integration.ts';
import { intercom } from '../src/messaging/intercom/index.ts';
import { paymentPage } from '../src/tools/index.ts';
import { addSharedPhone, createFakePlatform, testCredentials } from '../src/dev/testing/index.ts';

const phone = '+14155550100';

/** Intercom, Salesforce and Stripe with their presets, two people who share a number, hidden fields and two currencies. */
const start = async (email?: string) => {
  const platform = createFakePlatform({
    messaging: { dialect: 'intercom', searchDelayMs: 0 },
    crm: { dialect: 'salesforce', hiddenFields: { Lead: ['MobilePhone'], Contact: ['HomePhone', 'OtherPhone'] } },
    billing: { dialect: 'stripe', searchDelayMs: 0 },
  });
  onTestFinished(() => platform.close());
  const urls = await platform.listen();
  const people = addSharedPhone(platform, phone);
  const [customer_id] = people.customers;
  platform.billing.addInvoice({ id: 'in_eur', customer_id, amount: 120.5, due_date: '2026-11-26' });
  platform.billing.addInvoice({ id: 'in_usd', customer_id, amount: 80, currency: 'USD' });
  const team = platform.messaging.addTeam({ name: 'Sales' });
  const type = platform.messaging.addTicketType({ name: 'Support' });
  const errors: unknown[] = [];
  const integration = createIntegration({
    messaging: {
      ...intercom(),
      baseUrl: urls.messaging,
      authenticate: bearer(() => testCredentials.messaging),
      adminId: 'admin_1',
    },
    crm: { ...salesforce(), baseUrl: urls.crm, authenticate: bearer(() => testCredentials.crm) },
    billing: {
      ...stripe({ currency: 'EUR' }),
      baseUrl: `${urls.billing}/v1`,
      authenticate: bearer(() => testCredentials.billing),
    },
    payments: { below: 5000, confirm: false, card: () => 'pm_card_visa' },
    timeZone: 'America/Los_Angeles',
    onError: (error) => errors.push(error),
    phoneCalls: {
      tools: {
        call: {
          teams: { sales: team.id },
          ticketTypeId: type.id,
          caseStatus: true,
          sendMessage: { templates: { payment_page: paymentPage(({ url }) => url) }, send: () => 'accepted' },
        },
      },
    },
  });
  onTestFinished(() => integration.close());
  const phoneCall = integration.startPhoneCall({ callId: 'CA1', direction: 'inbound', phone, email });
  return { platform, people, phoneCall, errors };
};

/** Every tool with all of its arguments, in the order of a phone call. */
const fullArguments: Readonly<Record<string, object>> = {
  identify_caller: { phone, email: 'ada@example.com' },
  get_caller_context: {},
  list_recent_conversations: {},
  search_help_center: { words: 'invoice' },
  lookup_customer_invoices: { phone: null, email: null },
  send_message: { template: 'payment_page', invoice_id: 'in_eur' },
  create_payment: { invoice_id: 'in_eur', amount: 120.5 },
  get_case_status: { case_number: '00001001' },
  add_note: { text: 'Rang twice.', conversation_id: null },
  create_ticket: { title: 'The door is stuck', description: 'Since Monday.' },
  qualify_lead: {
    first_name: 'Ada',
    last_name: 'Park',
    company: 'Park Ltd',
    email: 'ada@example.com',
    title: 'Director',
    employees: 50,
    use_case: 'A voice agent',
    expected_close: '2026-12-31',
    score: 80,
    summary: 'Wants to start in January.',
  },
  reply_to_customer: { text: 'We call you back.', conversation_id: null },
  route_to_team: { team: 'sales', conversation_id: null },
  log_call: { outcome: 'resolved', summary: 'Paid, and a ticket.' },
};

const runAll = async ({ phoneCall }: Awaited<ReturnType<typeof start>>) => {
  const results: Record<string, { readonly status: string; readonly value: Readonly<Record<string, unknown>> }> = {};
  for (const [name, args] of Object.entries(fullArguments)) {
    const { status, value } = await phoneCall.tools.run(name, args);
    results[name] = { status, value: Object(value) };
  }
  return results;
};

test('a caller whose e-mail is known gets through every tool with all of its arguments', async () => {
  const started = await start('ada@example.com');
  const names = started.phoneCall.tools.tools().map(({ name }) => name);

  expect(names.toSorted()).toEqual(Object.keys(fullArguments).toSorted());
  const results = await runAll(started);

  expect(Object.entries(results).filter(([, { value }]) => 'error' in value)).toEqual([]);
  expect(results['create_payment']?.value).toMatchObject({ success: true });
  expect(results['lookup_customer_invoices']?.value).toMatchObject({ customer_name: 'Ada', invoice_count: 2 });
  expect(started.platform.billing.payments).toMatchObject([{ invoice_id: 'in_eur', amount: 120.5 }]);
  expect(started.errors).toEqual([]);
});

test('of two who share a number, no tool takes one by chance', async () => {
  const started = await start();
  const results = await runAll(started);
  const problems = Object.entries(results).flatMap(([name, { value }]) =>
    'error' in value ? [[name, value['reason'] ?? value['error']]] : [],
  );

  expect(problems).toEqual([
    ['lookup_customer_invoices', 'several_customers_match'],
    ['send_message', 'several_customers_match'],
    // It wasn't looked up.
    ['create_payment', 'several_customers_match'],
  ]);
  expect(started.platform.billing.payments).toEqual([]);
  expect(started.errors).toEqual([]);
});
