import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import {
  type BillingConnection,
  billingFrom,
  createBillingClient,
  type OwnBilling,
  type OwnPaymentOrder,
} from '../../src/billing/index.ts';
import type { Credential } from '../../src/http/credential.ts';
import { createApiClient, createIntegration } from '../../src/index.ts';

declare const authenticate: Credential;
const api = createApiClient({
  name: 'ledger',
  baseUrl: 'https://ledger.example',
  authenticate,
  endpoints: {
    bills: { method: 'GET', path: '/accounts/{id}/bills', returns: z.array(z.object({ no: z.string() })) },
    charge: { method: 'POST', path: '/charges', body: z.object({ cents: z.int() }), effect: 'payment' },
  },
});
const functions = { currency: 'EUR', findByPhone: async () => [], listOpen: async () => [] };

test('each function gets the client, typed', () => {
  const billing = billingFrom(api, {
    currency: 'EUR',
    findByEmail: async (email, bound) => {
      expectTypeOf(email).toEqualTypeOf<string>();
      expectTypeOf(bound).toEqualTypeOf<typeof api>();
      return [{ id: 'A-1', card: 'card_1' }];
    },
    listOpen: async (customerId, bound) => {
      const bills = await bound.bills({ id: customerId });
      expectTypeOf(bills).toEqualTypeOf<{ no: string }[]>();
      return { data: bills.map(({ no }) => ({ id: no, amount: 5 })), total: 9 };
    },
    pay: async (order, bound) => {
      expectTypeOf(order).toEqualTypeOf<OwnPaymentOrder>();
      await bound.charge({ body: { cents: order.minor_amount } });
      return order.amount > 5 ? { status: 'declined', error_message: null } : { status: 'pending' };
    },
  });

  expectTypeOf(billing).toExtend<OwnBilling<{ id: string; card: string }>>();
});

test('each search may find other fields of a customer', () => {
  const billing = billingFrom(api, {
    ...functions,
    findByPhone: async (phone) => [{ id: 'A-1', phone, card: 'card_1' }],
    findByEmail: async (email) => [{ id: 'A-1', email, card: 'card_1' }],
    findById: async (id) => (id === 'A-1' ? { id, card: 'card_1' } : undefined),
  });

  createIntegration({ billing, payments: { below: 5, card: ({ card }) => card } });
  // @ts-expect-error misspelt
  createIntegration({ billing, payments: { below: 5, card: ({ crad }) => crad } });
});

test('what has a slip does not compile', () => {
  // @ts-expect-error misspelt
  billingFrom(api, { ...functions, findByPhones: async () => [] });
  // @ts-expect-error no currency
  billingFrom(api, { findByPhone: functions.findByPhone, listOpen: functions.listOpen });
  // @ts-expect-error a unit of its own
  billingFrom(api, { ...functions, unit: 'cents' });
  // @ts-expect-error an amount as a text
  billingFrom(api, { ...functions, listOpen: async () => [{ id: 'B-1', amount: '5' }] });
  // @ts-expect-error a customer without an id
  billingFrom(api, { ...functions, findByPhone: async () => [{ name: 'Ada' }] });
  // @ts-expect-error another status
  billingFrom(api, { ...functions, pay: async () => ({ status: 'paid' }) });
  // @ts-expect-error no promise
  billingFrom(api, { ...functions, listOpen: () => [] });
  // @ts-expect-error another client
  billingFrom({ charge: async () => ({}) }, functions);
});

test('it takes the place of the options, and has none of its own', () => {
  const own = { ...billingFrom(api, functions), payments: { below: 5 } };

  createBillingClient(own);
  createIntegration({ billing: own });
  expectTypeOf<BillingConnection>().not.toHaveProperty('own');
});
