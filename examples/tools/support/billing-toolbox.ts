/** What the examples of tools have in common: a billing API on this machine, and the tools over it. */
import { apiKey } from 'voice-agent-integrations/auth';
import { createBillingClient } from 'voice-agent-integrations/billing';
import { createFakePlatform, testCredentials } from 'voice-agent-integrations/testing';
import { billingTools, createToolbox } from 'voice-agent-integrations/tools';

/** Ann Lee has one open invoice, and a card on file. */
export const startBilling = async () => {
  const platform = createFakePlatform();
  const { billing: baseUrl } = await platform.listen();
  const { id: customer_id } = platform.billing.addCustomer({ name: 'Ann Lee', phone: '+14155550100' });
  platform.billing.addInvoice({ id: 'inv_1', customer_id, amount: 120.5, due_date: '2026-11-30' });
  const billing = createBillingClient({
    baseUrl,
    authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
    version: { path: 'v1' },
    payments: { below: 5000 },
  });
  return {
    billing,
    customerId: customer_id,
    platform,
    /** How many payments the billing API has really made. */
    countPayments: () => platform.effects('billing.payments.create'),
    [Symbol.asyncDispose]: () => platform.close(),
  };
};

/** The tools over {@link startBilling}; no model ever sees the customer's id or the card. */
export const startBillingToolbox = async () => {
  const { billing, ...rest } = await startBilling();
  const toolbox = createToolbox({
    tools: billingTools({ billing, payments: { card: () => 'pm_card_on_file', confirm: false } }),
  });
  return { toolbox, ...rest };
};
