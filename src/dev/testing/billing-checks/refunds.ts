import { randomUUID } from 'node:crypto';
import { deepEqual, equal, ok } from 'node:assert/strict';
import { partsOf } from '../../../billing/billing-from.ts';
import { sumOf } from '../../../billing/amount.ts';
import {
  type BillingClient,
  createBillingClient,
  type MadePayment,
  type PaymentTerms,
  type Refund,
} from '../../../billing/index.ts';
import { refundedOf } from '../../../billing/made-payments.ts';
import { connectionOf, withConnection } from '../../../billing/own/connection-of.ts';
import { endInWord, endOfPayment } from '../../../billing/payment-outcome.ts';
import { ClientError, IntegrationError, InvalidArgumentError } from '../../../core/errors.ts';
import type { ConnectionOptions } from '../../../http/operation.ts';
import type { Check, ChecksOf } from '../check.ts';
import type { BillingCheckOptions } from './options.ts';
import { loseFirstAnswer } from './payments.ts';

/** The checks of refunds. Without `refunds` they do nothing, and their names say so. */
export const refundChecks = (client: BillingClient, options: BillingCheckOptions): readonly Check[] => {
  const { billing, refunds } = options;
  const isOwn = 'own' in billing;
  const canRefund = refunds !== undefined && (!isOwn || partsOf(billing).functions.refund !== undefined);
  return Object.entries(checks).map(([name, run]) => {
    if (!canRefund) return { name: `${name} (skipped: ${isOwn ? noFunction : noOption})`, run: async () => {} };
    if (name === pendingCheck && refunds.makeNextPending === undefined)
      return { name: `${name} (skipped: give refunds.makeNextPending)`, run: async () => {} };
    return { name, run: () => run(payFor(client, options)) };
  });
};

const noOption = 'give refunds';
const noFunction = 'give refunds, and listPayments and refund of billingFrom';

/** A payment to give back, and the ways to do so. */
interface UnderCheck {
  /** Pays a new invoice. */
  readonly pay: () => Promise<PaidInvoice>;
  readonly options: BillingCheckOptions;
  readonly endOf: (refund: Refund) => 'completed' | 'pending' | 'refused' | 'unknown';
}

interface PaidInvoice {
  readonly payment: MadePayment;
  /** A part that can be given back twice, and the rest. */
  readonly part: number;
  readonly rest: number;
  /** Gives back with a client of its own, as another process would. */
  readonly refund: (amount: number, idempotencyKey: string, more?: Partial<ConnectionOptions>) => Promise<Refund>;
  /** The same, if it may be refused. */
  readonly tryRefund: (amount: number, idempotencyKey: string) => Promise<Refund | 'refused'>;
  /** The sum that was given back so far. */
  readonly givenBack: () => Promise<number>;
}

const payFor = (client: BillingClient, options: BillingCheckOptions): UnderCheck => {
  const { billing, customer, openInvoice, paymentMethodId, refunds } = options;
  const { statuses } = client.paymentTerms();
  const below = Number.MAX_VALUE;

  const pay = async (): Promise<PaidInvoice> => {
    const { id: invoice_id, amount } = await openInvoice();
    const of = { customer_id: customer.id, invoice_id };
    const paying = { ...of, amount, payment_method_id: paymentMethodId };
    await client.payments.create(paying, { idempotencyKey: randomUUID() });
    const find = async (): Promise<MadePayment> => {
      const { data } = await client.payments.list(of);
      const payment = data.find((one) => endOfPayment(one, statuses) === 'completed');
      ok(payment, `payments.list must have the payment of ${invoice_id}, as completed`);
      return payment;
    };
    const payment = await find();
    const part = partOf(amount, client.paymentTerms());
    equal(payment.amount, amount, 'payments.list must have the amount that was paid');
    const refund: PaidInvoice['refund'] = async (sum, idempotencyKey, more = {}) => {
      await using other = createBillingClient({
        ...withConnection(billing, { circuit: false, ...more }),
        payments: { below, refund: { below } },
      });
      return await other.payments.refund({ ...of, payment_id: payment.id, amount: sum }, { idempotencyKey });
    };
    return {
      payment,
      part,
      rest: sumOf([amount, -part]),
      refund,
      tryRefund: (sum, idempotencyKey) => refund(sum, idempotencyKey).catch(refusal),
      givenBack: async () => {
        if (refunds?.refundedOf) return refunds.refundedOf(payment.id);
        const sum = refundedOf(await find(), statuses);
        ok(sum !== undefined, 'payments.list must say amount_refunded of a payment, or its refunds');
        return sum;
      },
    };
  };

  return {
    pay,
    options,
    endOf: (refund) => {
      const end = endOfPayment(refund, statuses);
      // A word that isn't known says nothing about the money.
      const isKnown = statuses?.pending?.includes(refund.status) || endInWord(refund.status) === 'pending';
      return end === 'pending' && !isKnown ? 'unknown' : end;
    },
  };
};

const pendingCheck = 'says that a refund is pending, and counts it';

const checks: ChecksOf<UnderCheck> = {
  'gives a payment back': async ({ pay, endOf }) => {
    const { payment, refund, givenBack } = await pay();
    const made = await refund(payment.amount, randomUUID());
    isMade(made, endOf);
    equal(await givenBack(), payment.amount, mustCount);
  },
  'gives a part of a payment back, and then the rest': async ({ pay, endOf }) => {
    const { payment, part, rest, refund, givenBack } = await pay();
    isMade(await refund(part, randomUUID()), endOf);
    equal(await givenBack(), part, mustCount);
    isMade(await refund(rest, randomUUID()), endOf);
    equal(await givenBack(), payment.amount, mustCount);
  },
  'never gives back more than was paid': async ({ pay }) => {
    const { payment, part, refund, tryRefund, givenBack } = await pay();
    await refund(payment.amount, randomUUID());
    equal(await tryRefund(part, randomUUID()), 'refused', 'Of what was given back, nothing must be left');
    equal(await givenBack(), payment.amount, mustCount);
  },
  'never gives back more than was paid, if two ask at the same moment': async ({ pay }) => {
    const { payment, tryRefund, givenBack } = await pay();
    const ends = await Promise.all([1, 2, 3].map(() => tryRefund(payment.amount, randomUUID())));
    const made = ends.filter((end) => end !== 'refused');
    equal(made.length, 1, 'One of them must be made, and the others refused');
    equal(await givenBack(), payment.amount, 'Money must have been given back exactly once');
  },
  'gives a payment back once that is asked for again under its key': async ({ pay }) => {
    const { part, refund, givenBack } = await pay();
    const idempotencyKey = randomUUID();
    const first = await refund(part, idempotencyKey);
    const second = await refund(part, idempotencyKey);
    deepEqual(refundIn(second), refundIn(first), 'The repeated request must be answered with the first refund');
    equal(await givenBack(), part, 'Money must have been given back exactly once');
  },
  'gives a payment back once whose answer is lost on the way': async ({ pay, options, endOf }) => {
    const { part, refund, givenBack } = await pay();
    const { middleware } = connectionOf(options.billing);
    const idempotencyKey = randomUUID();
    const perAttempt = [...(middleware?.perAttempt ?? []), loseFirstAnswer(isWrite)];
    const first = await refund(part, idempotencyKey, { middleware: { ...middleware, perAttempt } }).catch(unknownEnd);
    // Its end may stay unknown: then its key finds it.
    const known = first === 'unknown' ? await refund(part, idempotencyKey) : first;
    isMade(known, endOf);
    equal(await givenBack(), part, 'Money must have been given back exactly once');
  },
  'gives no other amount back under a key that was used': async ({ pay }) => {
    const { part, rest, refund, tryRefund, givenBack } = await pay();
    const idempotencyKey = randomUUID();
    const first = await refund(part, idempotencyKey);
    const other = await tryRefund(rest, idempotencyKey).catch(unknownEnd);
    ok(typeof other === 'string' || other.id === first.id, 'It must be refused, or answered with the first refund');
    equal(await givenBack(), part, 'Money must have been given back exactly once');
  },
  [pendingCheck]: async ({ pay, options, endOf }) => {
    const { part, refund, givenBack } = await pay();
    await options.refunds?.makeNextPending?.();
    const { status } = await refund(part, randomUUID()).then((made) => ({ ...made, status: wordOf(made, endOf) }));
    equal(status, 'pending', 'A refund that is not done must have a status that means pending: see paymentStatuses');
    equal(await givenBack(), part, 'A pending refund must count as given back');
  },
};

const mustCount = 'payments.list must count what was given back';

const wordOf = (made: Refund, endOf: UnderCheck['endOf']): string => {
  const end = endOf(made);
  return end === 'unknown' ? `"${made.status}", which may mean anything` : end;
};

const isMade = (made: Refund, endOf: UnderCheck['endOf']): void => {
  const end = wordOf(made, endOf);
  ok(end === 'completed' || end === 'pending', `The refund must be made: its status means ${end}`);
};

/** A third of an amount, in units that the currency has. */
const partOf = (amount: number, { minorUnits }: Pick<PaymentTerms, 'minorUnits'>): number => {
  const scale = 10 ** minorUnits;
  return Math.max(1, Math.floor((amount * scale) / 3)) / scale;
};

const refundIn = ({ id, amount }: Refund) => ({ id, amount });

/** The client refuses what it reads to be too much, and the API the rest. */
const refusal = (error: unknown): 'refused' => {
  if (error instanceof ClientError || error instanceof InvalidArgumentError) return 'refused';
  throw error;
};

const unknownEnd = (error: unknown): 'unknown' => {
  if (error instanceof IntegrationError && error.outcome === 'unknown') return 'unknown';
  throw error;
};

const isWrite = ({ method }: { readonly method: string }): boolean => method !== 'GET' && method !== 'HEAD';
