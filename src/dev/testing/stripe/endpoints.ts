import { Refused } from '../refused.ts';
import { type BillingStore, type FakeInvoice, type FakePayment, type FakeRefund, leftOf } from '../store/billing.ts';
import type { StripeCall, StripeEndpoint } from './endpoint.ts';
import {
  customerObject,
  intentObject,
  invoiceObject,
  invoicePaymentObjects,
  refundObject,
  unitsIn,
} from './objects.ts';
import { booleanIn, limitOf, missing, page, paging, textIn } from './params.ts';
import { isTestMethod } from './test-methods.ts';

const customerParts = ['default_source', 'invoice_settings.default_payment_method', 'sources', 'subscriptions', 'tax'];
const invoiceParts = [
  'customer',
  'default_payment_method',
  'default_source',
  'discounts',
  'payments',
  'lines.data.price',
];
const ofEach = (parts: readonly string[]) => parts.map((part) => `data.${part}`);

/** The endpoints that the fake account has. Source: docs.stripe.com/api. */
export const stripeEndpoints = ({
  searchDelayMs,
  pageSize,
}: {
  readonly searchDelayMs: number;
  readonly pageSize: number;
}): readonly StripeEndpoint[] => [
  {
    operation: 'billing.customers.find',
    method: 'GET',
    path: /^\/v1\/customers\/search$/,
    takes: ['query', 'limit', 'page', 'expand'],
    expands: ofEach(customerParts),
    required: 'query',
    answer: ({ store, params }) => {
      const isMeant = matcherOf(textIn(params, 'query') ?? '');
      const found = [...store.customers.values()].filter(
        (customer) => isMeant(customer) && addedAt(store, customer.id) + searchDelayMs <= Date.now(),
      );
      const data = found.slice(0, limitOf(params)).map((one) => customerObject(one, addedAt(store, one.id)));
      return {
        object: 'search_result',
        url: '/v1/customers/search',
        data,
        has_more: data.length < found.length,
        next_page: null,
      };
    },
  },
  {
    operation: 'billing.customers.find',
    method: 'GET',
    path: /^\/v1\/customers$/,
    takes: [...paging, 'created', 'email', 'test_clock'],
    expands: ofEach(customerParts),
    answer: ({ store, params }) => {
      const email = textIn(params, 'email');
      const found = [...store.customers.values()].filter((one) => email === undefined || one.email === email);
      const objects = found.map((one) => customerObject(one, addedAt(store, one.id)));
      return page('/v1/customers', objects, params, pageSize);
    },
  },
  {
    operation: 'billing.customers.get',
    method: 'GET',
    path: /^\/v1\/customers\/([^/]+)$/,
    takes: ['expand'],
    expands: customerParts,
    answer: ({ store, id }) => {
      const customer = store.customers.get(id);
      if (!customer) throw missing('customer', id, 'id');
      return customerObject(customer, addedAt(store, id));
    },
  },
  {
    operation: 'billing.invoices.listOpen',
    method: 'GET',
    path: /^\/v1\/invoices$/,
    takes: [
      ...paging,
      'collection_method',
      'created',
      'customer',
      'customer_account',
      'due_date',
      'status',
      'subscription',
    ],
    expands: ofEach(invoiceParts),
    answer: ({ store, params }) => {
      const [customer, status] = [textIn(params, 'customer'), textIn(params, 'status')];
      if (customer !== undefined && !store.customers.has(customer))
        throw missing('customer', customer, 'customer', 400);
      if (status !== undefined && !['draft', 'open', 'paid', 'uncollectible', 'void'].includes(status))
        throw new Refused(400, '', 'Invalid status: must be one of draft, open, paid, uncollectible, or void', {
          field: 'status',
        });
      const found = [...store.invoices.values()].filter(
        (one) =>
          (customer === undefined || one.customer_id === customer) && (status === undefined || one.status === status),
      );
      return page('/v1/invoices', found.map(invoiceObject), params, pageSize);
    },
  },
  {
    operation: 'billing.invoices.get',
    method: 'GET',
    path: /^\/v1\/invoices\/([^/]+)$/,
    takes: ['expand'],
    expands: invoiceParts,
    answer: ({ store, id }) => invoiceObject(invoiceIn(store, id)),
  },
  {
    operation: 'billing.payments.create',
    method: 'POST',
    path: /^\/v1\/invoices\/([^/]+)\/pay$/,
    takes: ['expand', 'forgive', 'mandate', 'off_session', 'paid_out_of_band', 'payment_method', 'source'],
    expands: invoiceParts,
    answer: ({ store, id, params, idempotencyKey }) => {
      const invoice = invoiceIn(store, id);
      if (invoice.status === 'paid') throw new Refused(400, '', 'Invoice is already paid');
      if (invoice.status !== 'open')
        throw new Refused(400, '', `You cannot pay an invoice with status ${invoice.status}`);
      if (isProcessing(store, id))
        throw new Refused(400, 'payment_intent_unexpected_state', 'A payment of this invoice is still processing.');
      const isOffSession = booleanIn(params, 'off_session') ?? true;
      const method = methodFor(store, invoice, textIn(params, 'payment_method'));
      assertCountable(invoice);
      const payment = store.pay({
        customer_id: invoice.customer_id,
        invoice_id: id,
        amount: leftOf(invoice),
        payment_method_id: method,
        idempotency_key: idempotencyKey,
      });
      if (payment.status === 'failed') throw declined(store, payment, isOffSession);
      return invoiceObject(invoice);
    },
  },
  ...invoicePaymentEndpoints(pageSize),
  ...refundEndpoints(pageSize),
  ...newCardEndpoints,
];

/** Test methods are attached to every customer; of all others, each has one at most. */
const methodFor = (store: BillingStore, { customer_id }: FakeInvoice, given: string | undefined): string => {
  const own = store.customers.get(customer_id)?.default_payment_method;
  const method = given ?? own ?? 'pm_card_visa';
  if (method === own || isTestMethod(method) || store.attached.get(method) === customer_id) return method;
  if (![...store.customers.values()].some((one) => one.default_payment_method === method))
    throw missing('PaymentMethod', method, 'payment_method', 400);
  const problem = `The customer does not have a payment method with the ID ${method}. `;
  throw new Refused(400, 'resource_missing', `${problem}The payment method must be attached to the customer.`, {
    field: 'payment_method',
  });
};

/** There are no hundredths of these currencies, though amounts count them. Source: docs.stripe.com/currencies. */
const assertCountable = ({ amount, currency = 'EUR' }: FakeInvoice): void => {
  if (/^(?:ISK|UGX)$/i.test(currency) && !Number.isInteger(amount))
    throw new Refused(400, 'invalid_charge_amount', `Amounts in ${currency} must be evenly divisible by 100.`, {
      field: 'amount',
    });
};

const addedAt = (store: BillingStore, customerId: string): number => store.addedAt.get(customerId) ?? 0;

const invoiceIn = (store: BillingStore, id: string): FakeInvoice => {
  const invoice = store.invoices.get(id);
  if (!invoice) throw missing('invoice', id, 'invoice');
  return invoice;
};

/** These are codes of their own; every other decline is `card_declined`. */
const ownCodes = new Set(['expired_card', 'incorrect_cvc', 'incorrect_number', 'processing_error']);

const forDevelopers =
  'Payment for this invoice requires additional user action before it can be completed successfully. Payment can be ' +
  'completed using the PaymentIntent associated with the invoice. For more details see: ' +
  'https://stripe.com/docs/billing/invoices/overview#requires-action';

const declined = (store: BillingStore, payment: FakePayment, isOffSession: boolean): Refused => {
  const word = store.statusWord(payment);
  const decline_code = word === 'failed' ? 'generic_decline' : word;
  const needsAction = decline_code === 'authentication_required' && !isOffSession;
  const code = needsAction
    ? 'invoice_payment_intent_requires_action'
    : ownCodes.has(decline_code)
      ? decline_code
      : 'card_declined';
  const message = needsAction ? forDevelopers : (payment.error_message ?? 'Your card was declined.');
  const intent = { id: `pi_${payment.id}`, object: 'payment_intent', status: 'requires_payment_method' };
  return new Refused(402, code, message, {
    headers: { 'stripe-should-retry': 'false' },
    more: { type: 'card_error', decline_code: needsAction ? undefined : decline_code, payment_intent: intent },
  });
};

/** The moment at which an invoice was paid, in milliseconds since 1970. */
const paidAt = (store: BillingStore, { id }: FakeInvoice): number => {
  const payment = [...store.payments.values()].findLast(({ invoice_id }) => invoice_id === id);
  return Date.parse(store.paidAt.get(payment?.id ?? '') ?? new Date().toISOString());
};

const isProcessing = (store: BillingStore, invoiceId: string): boolean =>
  [...store.payments.values()].some(({ invoice_id, status }) => invoice_id === invoiceId && status === 'pending');

const intentIn = (store: BillingStore, id: string): object | undefined => {
  const [, invoiceId = '', index] = /^pi_(.+)_(\d+)$/.exec(id) ?? [];
  const invoice = store.invoices.get(invoiceId);
  return invoice && intentObject(invoice, Number(index), isProcessing(store, invoiceId));
};

/** The payment with its PaymentIntent, if that was to be expanded. */
const withIntent = (
  store: BillingStore,
  { id }: FakeInvoice,
  payment: object,
  { expand = [] }: StripeCall['params'],
): object => {
  if (!Object.values(expand).includes('data.payment.payment_intent')) return payment;
  const { payment: of }: { payment?: { payment_intent?: string } } = payment;
  return { ...payment, payment: { ...of, payment_intent: intentIn(store, of?.payment_intent ?? id) } };
};

/** Refunds of payments, whole or in parts. Source: docs.stripe.com/api/refunds, 2026-11-27. */
const refundEndpoints = (pageSize: number): readonly StripeEndpoint[] => [
  {
    operation: 'billing.payments.list',
    method: 'GET',
    path: /^\/v1\/refunds$/,
    takes: [...paging, 'charge', 'created', 'payment_intent'],
    expands: ofEach(['balance_transaction', 'charge', 'payment_intent']),
    answer: ({ store, params }) => {
      const meant = refundedIntent(params);
      if (meant !== undefined && !intentIn(store, meant)) throw missing('payment_intent', meant, 'payment_intent', 400);
      const found = [...store.refunds.values()].filter((one) => meant === undefined || one.payment_id === meant);
      const objects = found.toReversed().map((one) => refundIn(store, one));
      return page('/v1/refunds', objects, params, pageSize);
    },
  },
  {
    operation: 'billing.payments.refund',
    method: 'POST',
    path: /^\/v1\/refunds$/,
    takes: [
      'amount',
      'charge',
      'currency',
      'customer',
      'expand',
      'instructions_email',
      'metadata',
      'origin',
      'payment_intent',
      'reason',
      'refund_application_fee',
      'reverse_transfer',
    ],
    expands: ['balance_transaction', 'charge', 'payment_intent'],
    answer: ({ store, params }) => {
      const id = refundedIntent(params);
      const reason = textIn(params, 'reason');
      if (id === undefined)
        throw new Refused(
          400,
          'parameter_missing',
          'One of the following params should be provided: payment_intent or charge.',
        );
      const { status }: { status?: string } = intentIn(store, id) ?? {};
      const [, invoiceId = '', index] = /^pi_(.+)_(\d+)$/.exec(id) ?? [];
      const invoice = store.invoices.get(invoiceId);
      if (!invoice || status === undefined) throw missing('payment_intent', id, 'payment_intent', 400);
      if (status !== 'succeeded')
        throw new Refused(400, '', `This PaymentIntent (${id}) does not have a successful charge to refund.`);
      if (reason !== undefined && !['duplicate', 'fraudulent', 'requested_by_customer'].includes(reason))
        throw new Refused(400, '', 'Invalid reason: must be one of duplicate, fraudulent, or requested_by_customer', {
          field: 'reason',
        });
      const paid = index === '0' ? leftOf(invoice) : (invoice.attached?.[Number(index) - 1]?.amount ?? 0);
      const left = Math.round(paid * unitsIn(invoice.currency ?? 'EUR')) - refundedUnits(store, id, invoice.currency);
      const amount = params['amount'] === undefined ? left : Number(textIn(params, 'amount'));
      if (!Number.isInteger(amount) || amount < 1)
        throw new Refused(400, 'parameter_invalid_integer', 'Invalid positive integer', { field: 'amount' });
      if (left === 0)
        throw new Refused(400, 'charge_already_refunded', `Charge ch_${invoiceId}_${index} has already been refunded.`);
      if (amount > left)
        throw new Refused(400, '', `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`, {
          field: 'amount',
        });
      const { reference }: { readonly reference?: string } = Object(params['metadata']);
      const refund = store.refund({
        payment_id: id,
        invoice_id: invoiceId,
        amount: amount / unitsIn(invoice.currency ?? 'EUR'),
        idempotency_key: reference ?? '',
        reason,
      });
      return refundIn(store, refund);
    },
  },
];

/** The PaymentIntent that a request about refunds names. */
const refundedIntent = (params: StripeCall['params']): string | undefined =>
  textIn(params, 'payment_intent') ?? textIn(params, 'charge')?.replace(/^ch_/, 'pi_');

const refundIn = (store: BillingStore, refund: FakeRefund): object =>
  refundObject(refund, store.invoices.get(refund.invoice_id)?.currency, store.paidAt.get(refund.id));

const refundedUnits = (store: BillingStore, paymentId: string, currency = 'EUR'): number =>
  Math.round((store.refundedOf(paymentId) / 100) * unitsIn(currency));

/** Ways to a new card. Sources: docs.stripe.com/api/payment_methods/attach, docs.stripe.com/api/checkout/sessions, 2026-11-27. */
const newCardEndpoints: readonly StripeEndpoint[] = [
  {
    operation: 'billing.paymentMethods.attach',
    method: 'POST',
    path: /^\/v1\/payment_methods\/([^/]+)\/attach$/,
    takes: ['customer', 'customer_account', 'expand'],
    expands: ['customer'],
    required: 'customer',
    answer: ({ store, id, params }) => {
      const customer = textIn(params, 'customer') ?? '';
      if (!id.startsWith('pm_')) throw missing('PaymentMethod', id, 'payment_method');
      if (!store.customers.has(customer)) throw missing('customer', customer, 'customer', 400);
      const owner = store.attached.get(id);
      if (owner !== undefined && owner !== customer)
        throw new Refused(400, '', 'The payment method you provided has already been attached to a customer.');
      store.attached.set(id, customer);
      return { id, object: 'payment_method', type: 'card', customer, livemode: false };
    },
  },
  {
    operation: 'billing.checkout.create',
    method: 'POST',
    path: /^\/v1\/checkout\/sessions$/,
    takes: ['mode', 'currency', 'customer', 'payment_method_types', 'success_url', 'cancel_url', 'metadata', 'expand'],
    expands: ['customer', 'setup_intent'],
    required: 'mode',
    answer: ({ store, params }) => {
      const customer = textIn(params, 'customer');
      if (textIn(params, 'mode') !== 'setup') throw new Refused(400, '', 'Only setup is here', { field: 'mode' });
      if (customer !== undefined && !store.customers.has(customer))
        throw missing('customer', customer, 'customer', 400);
      if (textIn(params, 'currency') === undefined && params['payment_method_types'] === undefined)
        throw new Refused(400, 'parameter_missing', 'Missing required param: currency.', { field: 'currency' });
      const id = `cs_test_${customer ?? 'guest'}`;
      return {
        id,
        object: 'checkout.session',
        mode: 'setup',
        status: 'open',
        customer: customer ?? null,
        setup_intent: `seti_${customer ?? 'guest'}`,
        url: `https://checkout.stripe.com/c/pay/${id}`,
      };
    },
  },
];

/** The payments of an invoice, of which it may have several. Source: docs.stripe.com/api/invoice-payment, 2026-11-27. */
const invoicePaymentEndpoints = (pageSize: number): readonly StripeEndpoint[] => [
  {
    operation: 'billing.invoices.get',
    method: 'GET',
    path: /^\/v1\/invoice_payments$/,
    takes: [...paging, 'created', 'invoice', 'payment', 'status'],
    expands: ['data.invoice', 'data.payment.payment_intent'],
    answer: ({ store, params }) => {
      const [id, status] = [textIn(params, 'invoice'), textIn(params, 'status')];
      if (status !== undefined && !['open', 'paid', 'canceled'].includes(status))
        throw new Refused(400, '', 'Invalid status: must be one of open, paid, or canceled', { field: 'status' });
      if (id !== undefined && !store.invoices.has(id)) throw missing('invoice', id, 'invoice', 400);
      const found = [...store.invoices.values()]
        .filter((one) => id === undefined || one.id === id)
        .flatMap((one) =>
          invoicePaymentObjects(one, paidAt(store, one)).map((each) => withIntent(store, one, each, params)),
        )
        .filter((one) => status === undefined || Object(one).status === status);
      return page('/v1/invoice_payments', found, params, pageSize);
    },
  },
  {
    operation: 'billing.invoices.get',
    method: 'GET',
    path: /^\/v1\/payment_intents\/([^/]+)$/,
    takes: ['expand', 'client_secret'],
    expands: ['customer', 'latest_charge', 'payment_method'],
    answer: ({ store, id }) => {
      const intent = intentIn(store, id);
      if (!intent) throw missing('payment_intent', id, 'intent');
      return intent;
    },
  },
];

/** The fields of a customer that can be searched here. */
interface SearchedCustomer {
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
}

/**
 * Reads a query of Stripe's search language, `email:'ada@example.com' OR phone:'+14155550100'`, and says which customers
 * it matches. Throws `Refused` for what is no such query.
 */
export const matcherOf = (query: string): ((customer: SearchedCustomer) => boolean) => {
  const clauses: Clause[] = [];
  const joints = new Set<string>();
  let rest = query.trim();
  while (rest !== '') {
    const found = clause.exec(rest);
    if (!found) throw unreadable();
    const [whole, negated, field = '', operator = '', single, double] = found;
    if (!isField(field)) throw refusal(`Field \`${field}\` is an unsupported search field for resource \`customers\`.`);
    const value = (single ?? double ?? '').replaceAll(/\\(.)/g, '$1').toLowerCase();
    if (operator === '~' && value.length < 3) throw refusal('A substring must have at least 3 characters.');
    clauses.push({ isNegated: negated === '-', field, operator, value });
    rest = rest.slice(whole.length);
    const joint = /^\s+(?:(AND|OR)\s+)?(?=\S)/i.exec(rest);
    if (rest.trim() !== '' && !joint) throw unreadable();
    if (joint) joints.add(joint[1]?.toUpperCase() ?? 'AND');
    rest = rest.slice(joint?.[0].length ?? rest.length);
  }
  if (clauses.length === 0) throw unreadable();
  if (clauses.length > 10) throw refusal('A query can have at most 10 clauses.');
  if (joints.size > 1) throw refusal('AND and OR cannot be combined in one query.');
  const isMet = (customer: SearchedCustomer) => (one: Clause) => matches(customer, one) !== one.isNegated;
  return (customer) => (joints.has('OR') ? clauses.some(isMet(customer)) : clauses.every(isMet(customer)));
};

interface Clause {
  readonly isNegated: boolean;
  readonly field: keyof SearchedCustomer;
  readonly operator: string;
  readonly value: string;
}

const clause = /^(-?)(\w+)(:|~)(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/su;

const isField = (name: string): name is keyof SearchedCustomer => ['name', 'email', 'phone'].includes(name);

const matches = (customer: SearchedCustomer, { field, operator, value }: Clause): boolean => {
  const own = customer[field]?.toLowerCase() ?? '';
  return operator === '~' ? own.includes(value) : own === value;
};

const refusal = (message: string) => new Refused(400, '', message, { field: 'query' });

const unreadable = () =>
  refusal('We were unable to parse your search query. Try using the format `metadata["key"]:"value"`.');
