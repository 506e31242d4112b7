import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { billingFrom, type Customer } from '../../src/billing/index.ts';
import { cardOnFile, stripe, type StripeCustomer } from '../../src/billing/stripe/index.ts';
import type { Credential } from '../../src/http/credential.ts';
import {
  createApiClient,
  createIntegration,
  createTenants,
  type Integration,
  type LiveCallsOptions,
  mayCall,
  type PhoneCallOptions,
} from '../../src/index.ts';
import { createScriptedModel } from '../../src/dev/testing/index.ts';
import type { MessageQueue } from '../../src/outbox/index.ts';
import { billingTools, createToolbox, type IdempotencyStore, toolFrom } from '../../src/tools/index.ts';

declare const authenticate: Credential;
declare const integration: Integration;
declare const weather: { description: string; inputSchema: z.ZodObject; execute: (args: object) => string };
declare const store: IdempotencyStore;
declare const queue: MessageQueue;
const billing = { baseUrl: 'https://billing.example', authenticate };
const ledger = createApiClient({
  name: 'ledger',
  baseUrl: 'https://ledger.example',
  authenticate,
  endpoints: { accounts: { method: 'GET', path: '/accounts', returns: z.array(z.object({ no: z.string() })) } },
});
const own = billingFrom(ledger, {
  currency: 'EUR',
  findByPhone: async (phone) => [{ id: 'A-1', phone, card: 'card_1' as string | null }],
  listOpen: async () => [],
});

test('card gets the customer that billing finds', () => {
  createIntegration({
    billing: own,
    payments: {
      card: (customer) => {
        expectTypeOf(customer.card).toEqualTypeOf<string | null>();
        return customer['card'];
      },
      below: 500,
    },
  });
  createIntegration({
    billing: stripe({ currency: 'EUR', key: () => 'sk' }),
    payments: {
      card: (customer) => {
        expectTypeOf(customer).toEqualTypeOf<StripeCustomer>();
        return cardOnFile(customer);
      },
      below: 500,
    },
  });
  createIntegration({
    billing: stripe({ currency: 'EUR', key: () => 'sk' }),
    payments: { card: cardOnFile, below: 5 },
  });
  createIntegration({
    billing,
    payments: {
      card: (customer) => {
        expectTypeOf(customer).toEqualTypeOf<Customer>();
        return customer['default_payment_method'];
      },
      below: 500,
      perCall: 800,
    },
  });
  createIntegration({ billing, payments: { card: async () => null, below: 5 }, store: 'memory' });
  createIntegration({ billing, payments: { card: 'from-model', below: 5 }, store });
});

test('what is no card does not compile', () => {
  // @ts-expect-error a customer
  createIntegration({ billing, payments: { card: (customer) => customer, below: 5 } });
  // @ts-expect-error a number
  createIntegration({ billing, payments: { card: () => 42, below: 5 } });
  // @ts-expect-error a misspelt field
  createIntegration({ billing, payments: { card: (customer) => customer['default_payment_methd'], below: 5 } });
  // @ts-expect-error a misspelt field of an own customer
  createIntegration({ billing: own, payments: { card: (customer) => customer.crad, below: 5 } });
  // @ts-expect-error a fixed text
  createIntegration({ billing, payments: { card: 'pm_1', below: 5 } });
});

test('what has a slip does not compile', () => {
  // @ts-expect-error no limit
  createIntegration({ billing, payments: { card: cardOnFile } });
  // @ts-expect-error a wrong word
  createIntegration({ billing, payments: { below: 5, confirm: 'two_step' } });
  // @ts-expect-error a wrong word
  createIntegration({ billing, payments: { below: 5, requires: 'no' } });
  // @ts-expect-error payments inside billing
  createIntegration({ billing: { ...billing, payments: { below: 5 } } });
  // @ts-expect-error a number as store
  createIntegration({ billing, store: 5 });
  // @ts-expect-error a misspelt option
  createIntegration({ billing, paymnts: { below: 5 } });
  // @ts-expect-error a misspelt rule
  createIntegration({ billing, payments: { below: 5, percall: 5 } });
  // @ts-expect-error queue and send
  createIntegration({ billing, finishLater: { queue, send: async () => {} } });
  const { liveCalls, startPhoneCall } = createIntegration({ billing });
  // @ts-expect-error a misspelt option
  liveCalls({ quietMS: 5 });
  // @ts-expect-error a misspelt option
  const call: PhoneCallOptions = { callId: 'CA1', customerID: 'cus_1' };
  const phoneCall = startPhoneCall(call);
  // @ts-expect-error words are a text
  phoneCall.turn({ heard: true });
  // @ts-expect-error a misspelt option
  phoneCall.turn({ heared: 'yes' });
  // @ts-expect-error a misspelt word
  const live: LiveCallsOptions = { atClose: 'leaves' };
  void live;
});

test('a misspelt option of each new interface does not compile', async () => {
  const functions = { currency: 'EUR', listOpen: async () => [], findByEmail: async () => [] };
  // @ts-expect-error BillingFunctions
  billingFrom(ledger, { ...functions, findByFone: async () => [] });
  // @ts-expect-error FinishLater
  createIntegration({ billing, finishLater: { queue, works: false } });
  // @ts-expect-error the options of check
  await integration.check({ deadlineMS: 5 });
  const call = integration.liveCalls().of({ callId: 'CA1' });
  // @ts-expect-error FinishWords
  await call.end({ outcom: 'resolved' });
  // @ts-expect-error the options of an end
  await call.end({}, { afterMS: 5 });
  // @ts-expect-error PaymentsOfCall
  integration.startPhoneCall({ callId: 'CA1', payments: { bellow: 5 } });
  // @ts-expect-error StripeOptions
  stripe({ currency: 'EUR', keys: () => 'sk' });
  // @ts-expect-error ToolboxOptions
  createToolbox({ tools: [], stores: 'memory' });
  // @ts-expect-error BillingToolsOptions
  billingTools({ billing: integration.billing, payment: { below: 5 } });
  // @ts-expect-error ExistingToolOptions
  toolFrom(weather, { name: 'weather', effect: 'read', keys: 'key' });
  // @ts-expect-error TenantsOptions
  createTenants({ resolve: () => undefined, stores: 'memory' });
  // @ts-expect-error ScriptedCall
  createScriptedModel([{ call: 'create_payment', confirm: true }]);
});

test('what a record shows of opt-outs is typed', async () => {
  const asked = await mayCall(integration, { phone: '+14155550100' });
  if (!asked.mayCall) expectTypeOf(asked.reason).toEqualTypeOf<'opted_out' | 'ambiguous' | 'not_shown'>();
  expectTypeOf(asked.optOuts[0]?.channel).toEqualTypeOf<'call' | 'email' | undefined>();
});
