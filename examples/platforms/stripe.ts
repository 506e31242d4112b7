/** A caller pays an invoice with Stripe, on a day when things go wrong there: `npm run example platforms/stripe`. */
import { createIntegration } from 'voice-agent-integrations';
import { cardOnFile, stripe } from 'voice-agent-integrations/billing/stripe';
import { assertOn, createFakePlatform, testCredentials } from 'voice-agent-integrations/testing';
import { paymentPage } from 'voice-agent-integrations/tools';

// With an account of your own, leave this and `baseUrl` out.
await using platform = createFakePlatform({ billing: { dialect: 'stripe', searchDelayMs: 0 } });
const { billing: url } = await platform.listen();
platform.billing.addCustomer({ id: 'cus_ada', name: 'Ada', phone: '(415) 555-0100' });
platform.billing.addInvoice({ id: 'in_1', customer_id: 'cus_ada', amount: 120.5 });

await using integration = createIntegration({
  billing: {
    ...stripe({ currency: 'EUR', key: () => testCredentials.billing }),
    baseUrl: `${url}/v1`,
  },
  payments: { card: cardOnFile, below: 2000 },
});

const phoneCall = integration.startPhoneCall({
  callId: 'CA1',
  phone: '+14155550100',
  tools: {
    call: {
      sendMessage: {
        templates: { payment_page: paymentPage(({ url }) => `you can pay here: ${url}`) },
        send: ({ to, text }) => {
          console.log(`to ${to}: ${text}`);
          return 'accepted'; // by your platform for messages
        },
      },
    },
  },
});

const run = async (name: string, args: object) => {
  const { text, value } = await phoneCall.tools.run(name, args);
  console.log(`${name}: ${text}`);
  return value;
};

/** The first call asks; the second one, after the caller's yes, charges. */
const pay = async (amount: number) => {
  const payment = { invoice_id: 'in_1', amount };
  const { confirmation_token }: { readonly confirmation_token?: string } = Object(await run('create_payment', payment));
  phoneCall.heard('Yes, please.');
  await run('create_payment', { ...payment, confirmation_token });
};

phoneCall.heard('Please pay my invoice.');
await run('lookup_customer_invoices', {});

console.log('half of it: refused, since Stripe charges an invoice whole');
await pay(60);

console.log('the card is declined');
platform.billing.nextPayment({ declined: 'Your card has insufficient funds.', status: 'insufficient_funds' });
await pay(120.5);

console.log('the caller would rather pay with a browser');
await run('send_message', { template: 'payment_page', invoice_id: 'in_1' });

console.log('the caller tries again; the answer of Stripe is lost once');
platform.fault('billing.payments.create', [{ executeThenDrop: true }]);
await pay(120.5);

const { amount } = assertOn(platform).paidOnce({ invoiceId: 'in_1' });
console.log(`paid once: ${amount}`);
