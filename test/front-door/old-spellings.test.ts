import { expect, test } from 'vitest';
import { apiKey } from '../../src/auth/index.ts';
import { createBillingClient } from '../../src/billing/index.ts';
import { InvalidArgumentError } from '../../src/core/errors.ts';
import { createIntegration } from '../../src/integration.ts';
import { startPhoneCall } from '../../src/phone-call/start-phone-call.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory/index.ts';
import { billingTools, createToolbox, defineTool } from '../../src/tools/index.ts';
import * as z from '../../src/core/schema.ts';

const connection = { baseUrl: 'https://billing.example', authenticate: apiKey('X-Api-Key', () => 'key') };
const store = createMemoryIdempotencyStore();
const payments = { card: () => 'pm_1', below: 500 };
const client = createBillingClient({ ...connection, payments: { below: 500 } });
const call = { callId: 'CA1', phone: '+14155550100' };
const refund = defineTool({
  name: 'refund_order',
  description: 'Gives money back.',
  parameters: z.object({ amount: z.number() }),
  effect: 'payment',
  run: () => ({ success: true }),
});

// As JavaScript writes them: types refuse each.
const integrationOf = (options: object) => () => createIntegration({ billing: connection, ...options });
const callOf = (options: object) => () =>
  createIntegration({ billing: connection, payments }).startPhoneCall({ ...call, ...options });

const problemOf = (make: () => unknown): string | undefined => {
  try {
    make();
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error.message;
    throw error;
  }
  return undefined;
};

const none = 'is not an option: did you mean';

test.each<[old: string, make: () => unknown, problem: string]>([
  [
    'billing.maximumPayment',
    integrationOf({ billing: { ...connection, maximumPayment: 500 } }),
    `billing.maximumPayment ${none} payments.below?`,
  ],
  [
    'maximumPayment of a client',
    () => createBillingClient({ ...connection, maximumPayment: 500 } as never),
    `billing.maximumPayment ${none} payments.below?`,
  ],
  [
    'tools.limits.paymentTotal',
    integrationOf({ payments, phoneCalls: { tools: { limits: { paymentTotal: 500 } } } }),
    `phoneCalls.tools.limits.paymentTotal ${none} payments.perCall?`,
  ],
  [
    'payments.bind.payment_method_id',
    integrationOf({ payments: { below: 500, payment_method_id: 'pm_1' } }),
    `payments.payment_method_id ${none} payments.card?`,
  ],
  [
    'payments.bind',
    integrationOf({ payments: { below: 500, bind: { customer_id: 'from-lookup' } } }),
    `payments.bind ${none} payments.card, and customerId of startPhoneCall?`,
  ],
  [
    'payments.bind.customer_id',
    integrationOf({ payments: { below: 500, customer_id: 'cus_1' } }),
    `payments.customer_id ${none} customerId of startPhoneCall?`,
  ],
  [
    'tools.billing.payments',
    integrationOf({ phoneCalls: { tools: { billing: { payments: { confirm: 'two-step' } } } } }),
    `phoneCalls.tools.billing.payments ${none} payments of createIntegration: { card, below }?`,
  ],
  [
    'tools.billing.payments of a phone call',
    callOf({ tools: { billing: { payments: { confirm: 'two-step' } } } }),
    `tools.billing.payments ${none} payments of createIntegration: { card, below }?`,
  ],
  [
    'chargeOnceWithinMs',
    integrationOf({ payments: { ...payments, chargeOnceWithinMs: 3_600_000 } }),
    `payments.chargeOnceWithinMs ${none} payments.onceWithinMs?`,
  ],
  [
    "requires: 'no'",
    integrationOf({ payments: { ...payments, requires: 'no' } }),
    "payments.requires must be 'caller-id' or 'strong'",
  ],
  [
    'tools.billing.verify',
    integrationOf({ payments, phoneCalls: { tools: { billing: { verify: 'never' } } } }),
    `phoneCalls.tools.billing.verify ${none} nothing: a payment is always looked up first?`,
  ],
  [
    'tools.store',
    integrationOf({ phoneCalls: { tools: { store } } }),
    `phoneCalls.tools.store ${none} store of createIntegration?`,
  ],
  [
    'phoneCallStore',
    integrationOf({ phoneCalls: { tools: { phoneCallStore: store } } }),
    `phoneCalls.tools.phoneCallStore ${none} store of createIntegration?`,
  ],
  [
    'phoneCallStore of a toolbox',
    () => createToolbox({ tools: [], phoneCallStore: store } as never),
    `phoneCallStore ${none} store?`,
  ],
  [
    'phoneCallStore of billing tools',
    () => billingTools({ billing: client, phoneCallStore: store } as never),
    `phoneCallStore ${none} store?`,
  ],
  [
    'confirmation.secret',
    integrationOf({ phoneCalls: { tools: { confirmation: { secret: () => 'x'.repeat(32) } } } }),
    `phoneCalls.tools.confirmation ${none} store of createIntegration, which keeps the secret?`,
  ],
  [
    'tools.onError',
    integrationOf({ phoneCalls: { tools: { onError: () => {} } } }),
    `phoneCalls.tools.onError ${none} onError of createIntegration?`,
  ],
  [
    'phoneCalls.finishLater',
    integrationOf({ phoneCalls: { finishLater: { send: async () => {} } } }),
    `phoneCalls.finishLater ${none} finishLater of createIntegration?`,
  ],
  [
    'own payment tools without payments',
    integrationOf({ phoneCalls: { tools: { own: [refund] } } }),
    'phoneCalls.tools.own has refund_order, which moves money: give createIntegration payments: { below }',
  ],
  [
    'own payment tools of a phone call without payments',
    () => createIntegration({ billing: connection }).startPhoneCall({ ...call, tools: { own: [refund] } }),
    'tools.own has refund_order, which moves money: give createIntegration payments: { below }',
  ],
  [
    'own payment tools without a client',
    () => startPhoneCall({}, { ...call, tools: { own: [refund] } }),
    'tools.own has refund_order, which moves money: give createIntegration payments: { below }',
  ],
])('%s is refused with the new name', (_old, make, problem) => {
  expect(problemOf(make)).toContain(problem);
});

test('what is left out now has a default', () => {
  const integration = createIntegration({ billing: connection, payments });

  expect(integration.startPhoneCall({ callId: 'CA1', phone: 'tel:+1 (415) 555-0100' })).toMatchObject({
    direction: 'Inbound',
    caller: { phone: '+14155550100', verified: 'caller-id' },
  });
});
