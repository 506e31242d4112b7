import type { ApiConnection } from '../../api/api-client.ts';
import { toOperation } from '../../api/entry.ts';
import type { BillingDialect, BillingMethods } from '../../billing/dialect.ts';
import { type BillingClient, type BillingFunctions, createBillingClient } from '../../billing/index.ts';
import { partsOf } from '../../billing/billing-from.ts';
import { connectionOf, reconnect, withConnection } from '../../billing/own/connection-of.ts';
import type { BillingCheckOptions } from './billing-checks/options.ts';
import type { Check } from './check.ts';
import { paymentChecks } from './billing-checks/payments.ts';
import { refundChecks } from './billing-checks/refunds.ts';
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { ClientError } from '../../core/errors.ts';
import type { Credential } from '../../http/credential.ts';

export type { BillingCheckOptions } from './billing-checks/options.ts';

/**
 * Checks that a billing API of your own keeps the contract that the billing client relies on. Above all, money moves once
 * per idempotency key: if a request is repeated, sent twice at once, or its answer is lost. Each check is a name and a
 * function that rejects with node's `AssertionError`, or with the client's error when a call fails. Any test runner runs
 * them, in any order. With `refunds`, they check that money is given back once too, and never more than was paid. They
 * take real payments: for test environments only.
 * Throws `InvalidArgumentError` for options that cannot work.
 *
 * @example
 * const customer = { id: 'cus_1', phone: '+14155550100' };
 * const checks = checksOfBilling({ billing, customer, openInvoice, paymentMethodId: 'pm_1' });
 * for (const { name, run } of checks) test(name, run);
 */
export const checksOfBilling = (options: BillingCheckOptions): readonly Check[] => {
  // A check that fails must not make the next one fail.
  const { billing } = options;
  const client = createBillingClient({
    ...withConnection(billing, { circuit: false }),
    payments: { below: Number.MAX_VALUE },
  });
  const asAnswered = createBillingClient(
    'own' in billing
      ? reconnect(billing, { circuit: false }, withoutDetails)
      : { ...billing, circuit: false, dialect: withFoundAsAnswered(billing.dialect) },
  );
  return [
    ...accessChecks(options),
    ...('own' in billing && !partsOf(billing).functions.findById ? [] : idChecks(client, options)),
    ...searchChecks(asAnswered, options),
    ...invoiceChecks(client, options),
    ...paymentChecks(client, options),
    ...refundChecks(client, options),
  ];
};

/** The client leaves out who shows another number, so it would hide a search that ignores its condition. */
const withFoundAsAnswered = (dialect: BillingDialect = {}): BillingDialect => ({
  ...dialect,
  methods: (context) => {
    const { http, entries } = context;
    const findCustomers: BillingMethods['findCustomers'] = (by, call) =>
      http.request(toOperation('billing.customers.find', entries.customers.find, [by]), call);
    return { findCustomers, ...dialect.methods?.(context) };
  },
});

/** The same for functions of your own: what shows no number isn't left out. */
const withoutDetails = ({ findByPhone, findByEmail, ...functions }: OwnFunctions): OwnFunctions => {
  const hide = (find: OwnFunctions['findByPhone']): OwnFunctions['findByPhone'] =>
    find && (async (by, api) => (await find(by, api)).map(({ id }) => ({ id })));
  return { ...functions, findByPhone: hide(findByPhone), findByEmail: hide(findByEmail) };
};

type OwnFunctions = BillingFunctions<ApiConnection>;

const accessChecks = ({ billing, customer }: BillingCheckOptions): readonly Check[] => [
  {
    name: 'refuses another credential with 401 or 403',
    run: async () => {
      const authenticate = forged(connectionOf(billing).authenticate);
      await using stranger = createBillingClient(withConnection(billing, { authenticate }));
      await rejects(
        'own' in billing ? stranger.invoices.listOpen(customer.id) : stranger.customers.get(customer.id),
        (error) => error instanceof ClientError && (error.status === 401 || error.status === 403),
        'A request with another credential must be refused with 401 or 403',
      );
    },
  },
];

/** The same headers with other values. */
const forged = (genuine: Credential): Credential => ({
  read: async (context) => {
    const { headers } = await genuine.read(context);
    return { headers: Object.fromEntries(Object.keys(headers).map((name) => [name, 'forged'])), secrets: [] };
  },
  renew: async () => undefined,
});

const idChecks = ({ customers }: BillingClient, { customer: { id } }: BillingCheckOptions): readonly Check[] => [
  {
    name: 'gives a customer by id',
    run: async () => equal((await customers.get(id))?.id, id),
  },
  {
    name: 'refuses the id of a customer that does not exist',
    run: async () => {
      // It need not be an id in the API's own form.
      const found = await customers.get('no-such-customer').catch((error: unknown) => {
        if (!(error instanceof ClientError) || [401, 403].includes(error.status)) throw error;
      });
      equal(
        found,
        undefined,
        'GET /customers/no-such-customer must be answered with 404, or another 4xx that refuses the id',
      );
    },
  },
];

const searchChecks = (
  { customers }: BillingClient,
  { customer: { id, phone, email } }: BillingCheckOptions,
): readonly Check[] => [
  ...(phone === undefined
    ? []
    : [
        {
          name: 'finds a customer by phone',
          run: async () => equal((await customers.find({ phone }))?.id, id, 'The phone must find the customer'),
        },
        {
          name: 'finds no one by an unknown phone',
          run: () => findsNoOne(customers.find({ phone: unknownPhone })),
        },
      ]),
  ...(email === undefined
    ? []
    : [
        {
          name: 'finds a customer by e-mail',
          run: async () => equal((await customers.find({ email }))?.id, id, 'The e-mail must find the customer'),
        },
        {
          name: 'finds no one by an unknown e-mail',
          run: () => findsNoOne(customers.find({ email: unknownEmail })),
        },
      ]),
];

// The numbering plan reserves this number for fiction, and RFC 2606 this domain for no one.
const unknownPhone = '+12025550199';
const unknownEmail = 'unknown@nowhere.invalid';

const findsNoOne = async (search: Promise<unknown>): Promise<void> =>
  equal(await search, undefined, 'A search that finds no one must be answered with 404, 204, null, {} or []');

const invoiceChecks = (
  { invoices }: BillingClient,
  { customer, openInvoice }: BillingCheckOptions,
): readonly Check[] => [
  {
    name: 'lists a new invoice as open, with its amount as a number',
    run: async () => {
      const { id, amount } = await openInvoice();
      const { data } = await invoices.listOpen(customer.id);
      equal(data.find((invoice) => invoice.id === id)?.amount, amount, `The open invoices must hold ${id}`);
    },
  },
  {
    name: 'lists open invoices of this customer only',
    run: async () => {
      await openInvoice();
      const { data } = await invoices.listOpen(customer.id);
      ok(data.length > 0, 'There must be an open invoice');
      const strange = data.filter(
        ({ customer_id, status }) => (customer_id ?? customer.id) !== customer.id || (status ?? 'open') !== 'open',
      );
      deepEqual(strange, [], 'Each must be open, and of the customer that was asked for');
    },
  },
];
