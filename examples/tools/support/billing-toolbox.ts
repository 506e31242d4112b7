/** What the examples of tools have in common: a billing API on this machine, and the tools over it. */
import { createIntegration } from 'voice-agent-integrations';
import { apiKey } from 'voice-agent-integrations/auth';
import { createBillingClient } from 'voice-agent-integrations/billing';
import { createFakePlatform, testCredentials } from 'voice-agent-integrations/testing';
import { billingTools, createToolbox } from 'voice-agent-integrations/tools';

const phone = '+14155550100';

/** Ann Lee has one open invoice, and a card on file. */
const startApi = async () => {
  const platform = createFakePlatform();
  const { billing } = await platform.listen();
  const { id: customerId } = platform.billing.addCustomer({ name: 'Ann Lee', phone });
  platform.billing.addInvoice({ id: 'inv_1', customer_id: customerId, amount: 120.5, due_date: '2026-11-30' });
  return {
    options: { baseUrl: `${billing}/v1`, authenticate: apiKey('X-Api-Key', () => testCredentials.billing) },
    customerId,
    platform,
    /** How many payments the billing API has really made. */
    countPayments: () => platform.effects('billing.payments.create'),
    [Symbol.asyncDispose]: () => platform.close(),
  };
};

/** The model asks her before it pays, and sees neither her id nor the card. */
export const startBillingCalls = async () => {
  const { options, ...rest } = await startApi();
  const integration = createIntegration({
    billing: options,
    payments: { card: () => 'pm_card_on_file', below: 5000 },
  });
  return { calls: integration.liveCalls(), ...rest };
};

/** A phone call with her. */
export const startBillingCall = async () => {
  const { calls, ...rest } = await startBillingCalls();
  return { phoneCall: calls.of({ callId: 'CA1', phone }).phoneCall, ...rest };
};

/** A client of the API alone. */
export const startBilling = async () => {
  const { options, ...rest } = await startApi();
  return { billing: createBillingClient({ ...options, payments: { below: 5000 } }), ...rest };
};

/** The tools over {@link startBilling}, for targets whose caller isn't heard here. */
export const startBillingToolbox = async () => {
  const { billing, ...rest } = await startBilling();
  const toolbox = createToolbox({
    tools: billingTools({ billing, payments: { card: () => 'pm_card_on_file', confirm: false } }),
  });
  return { toolbox, ...rest };
};
