import { randomUUID } from 'node:crypto';
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { type BillingClient, createBillingClient, type NewPayment, type Payment } from '../../../billing/index.ts';
import { isAnswerTo, paymentOutcome } from '../../../billing/payment-outcome.ts';
import { connectionOf, withConnection } from '../../../billing/own/connection-of.ts';
import { AttemptFailedError, ClientError, IntegrationError } from '../../../core/errors.ts';
import type { ConnectionOptions } from '../../../http/operation.ts';
import { networkError } from '../../../http/network-failure.ts';
import type { HttpRequest, Middleware } from '../../../http/request.ts';
import { sleep } from '../../../core/timers.ts';
import type { Check } from '../check.ts';
import type { BillingCheckOptions, OpenInvoice } from './options.ts';

export const paymentChecks = (client: BillingClient, options: BillingCheckOptions): readonly Check[] => {
  const { billing, customer, paymentMethodId, declinedPaymentMethodId, openInvoice, paymentsOf } = options;
  const { middleware } = connectionOf(billing);
  const { statuses } = client.paymentTerms();

  const paymentOf = ({ id, amount }: OpenInvoice): NewPayment => ({
    customer_id: customer.id,
    invoice_id: id,
    amount,
    payment_method_id: paymentMethodId,
  });
  const half = (amount: number) => {
    const scale = 10 ** client.paymentTerms().minorUnits;
    return Math.ceil((amount * scale) / 2) / scale;
  };
  /** Pays with a client of its own, as another process would: one client sends nothing twice under a key by itself. */
  const pay = async (payment: NewPayment, idempotencyKey: string, more: Partial<ConnectionOptions> = {}) => {
    await using other = createBillingClient({
      ...withConnection(billing, { circuit: false, ...more }),
      payments: { below: Number.MAX_VALUE },
    });
    return await other.payments.create(payment, { idempotencyKey });
  };
  const isOpen = async ({ id }: OpenInvoice) =>
    (await client.invoices.listOpen(customer.id)).data.some((invoice) => invoice.id === id);
  const wasTakenOnce = async (invoice: OpenInvoice) => {
    equal(await isOpen(invoice), false, 'An invoice that is paid must not be listed as open');
    if (paymentsOf) equal(await paymentsOf(invoice.id), 1, 'Money must have moved exactly once');
  };
  /** Asks again while the API says that it still works on the first request. */
  const whenDone = async (send: () => Promise<Payment>, tries = 20): Promise<Payment> => {
    try {
      return await send();
    } catch (error) {
      if (!saysInProgress(error) || tries === 0) throw error;
      await sleep(250, new AbortController().signal);
      return whenDone(send, tries - 1);
    }
  };
  /** After the whole, another amount may be refused for the invoice's sake alone: two parts, where the API takes parts. */
  const twoAmounts = async (): Promise<[number, number]> => {
    const invoice = await openInvoice();
    const part = half(invoice.amount);
    const paid = await pay({ ...paymentOf(invoice), amount: part }, randomUUID()).then(paidOf, refusal);
    return paid !== 'refused' && paid.status === 'completed' ? [part, half(part)] : [invoice.amount, part];
  };

  return [
    {
      name: 'takes a payment, confirms it and closes the invoice',
      run: async () => {
        const invoice = await openInvoice();
        const paid = await pay(paymentOf(invoice), randomUUID());
        isConfirmed(paid);
        ok(
          isAnswerTo(paymentOf(invoice), paid, client.paymentTerms()),
          'A payment must name no amount or invoice but its own, in the same unit',
        );
        await wasTakenOnce(invoice);
      },
    },
    {
      name: 'takes a payment once that is repeated under its key, and gives the first answer again',
      run: async () => {
        const invoice = await openInvoice();
        const idempotencyKey = randomUUID();
        const first = await pay(paymentOf(invoice), idempotencyKey);
        const second = await pay(paymentOf(invoice), idempotencyKey);
        isConfirmed(first);
        deepEqual(paidOf(second), paidOf(first), 'The repeated request must be answered as the first one was');
        await wasTakenOnce(invoice);
      },
    },
    {
      name: 'takes a payment once that is sent five times at the same moment',
      run: async () => {
        const invoice = await openInvoice();
        const idempotencyKey = randomUUID();
        const send = () => pay(paymentOf(invoice), idempotencyKey);
        const settled = await Promise.allSettled([send(), send(), send(), send(), send()]);
        // One that is still being worked on may be refused for now. Later, each gets the same answer.
        const confirmed = await send();
        isConfirmed(confirmed);
        for (const one of settled) {
          if (one.status === 'fulfilled') deepEqual(paidOf(one.value), paidOf(confirmed), 'All must get one answer');
        }
        await wasTakenOnce(invoice);
      },
    },
    {
      name: 'says that a payment is in progress to a repetition, and then how it ended',
      run: async () => {
        const invoice = await openInvoice();
        const idempotencyKey = randomUUID();
        const send = () => pay(paymentOf(invoice), idempotencyKey, { attempts: 1 });
        const { signal } = new AbortController();
        // How long the API works on a payment is not known here.
        const settled = await Promise.allSettled(
          [0, 0, 5, 25, 125].map((afterMs) => sleep(afterMs, signal).then(send)),
        );
        const ended = await whenDone(send);
        isConfirmed(ended);
        for (const one of settled) {
          if (one.status === 'rejected') equal(outcomeOf(one.reason), 'unknown', mustSayInProgress);
          else if (paymentOutcome(one.value, statuses) !== 'pending')
            deepEqual(paidOf(one.value), paidOf(ended), 'A repetition must be answered as the payment ended');
        }
        await wasTakenOnce(invoice);
      },
    },
    {
      name: 'takes a payment once whose answer is lost on the way',
      run: async () => {
        const invoice = await openInvoice();
        const perAttempt = [...(middleware?.perAttempt ?? []), loseFirstAnswer()];
        isConfirmed(await pay(paymentOf(invoice), randomUUID(), { middleware: { ...middleware, perAttempt } }));
        await wasTakenOnce(invoice);
      },
    },
    {
      name: 'takes a payment once whose caller hangs up while it is being worked on',
      run: async () => {
        const payAfterHangingUp = async (afterMs: number) => {
          const invoice = await openInvoice();
          const idempotencyKey = randomUUID();
          const perAttempt = [...(middleware?.perAttempt ?? []), hangUpFirst(afterMs)];
          const more = { middleware: { ...middleware, perAttempt } };
          isConfirmed(await whenDone(() => pay(paymentOf(invoice), idempotencyKey, more)));
          await wasTakenOnce(invoice);
        };
        // How long the API works on a payment is not known here.
        await Promise.all([5, 25, 125].map(payAfterHangingUp));
      },
    },
    {
      name: 'does not take another amount under a key that was used',
      run: async () => {
        const [amount, otherAmount] = await twoAmounts();
        const payment = { ...paymentOf(await openInvoice()), amount };
        const idempotencyKey = randomUUID();
        const first = paidOf(await pay(payment, idempotencyKey));
        const other = await pay({ ...payment, amount: otherAmount }, idempotencyKey).then(paidOf, refusal);
        if (other !== 'refused') deepEqual(other, first, 'It must be refused, or answered as the first one was');
        const again = await pay(payment, idempotencyKey).then(paidOf, refusal);
        deepEqual(
          again,
          first,
          'The first request must be answered as before, also after another amount was asked for',
        );
        if (paymentsOf) equal(await paymentsOf(payment.invoice_id), 1, 'Money must have moved exactly once');
      },
    },
    ...(declinedPaymentMethodId === undefined
      ? []
      : [
          {
            name: 'says that a payment was declined, and leaves the invoice open',
            run: async () => {
              const invoice = await openInvoice();
              const payment = { ...paymentOf(invoice), payment_method_id: declinedPaymentMethodId };
              const declined = await pay(payment, randomUUID());
              notEqual(declined.status, 'completed', 'A declined payment must have another status');
              // Functions of your own say it in one word, which is enough.
              ok('own' in billing || declined.error_message, 'A declined payment must have an error_message');
              equal(
                paymentOutcome(declined, statuses),
                'refused',
                `The status "${declined.status}" must mean that the payment was refused: see paymentStatuses`,
              );
              equal(await isOpen(invoice), true, 'The invoice of a declined payment must stay open');
              if (paymentsOf) equal(await paymentsOf(invoice.id), 0, 'No money must have moved');
            },
          },
        ]),
  ];
};

const isConfirmed = ({ status, confirmation_number }: Payment): void => {
  equal(status, 'completed', 'The status of the payment must be completed');
  ok(confirmation_number, 'A completed payment must have a confirmation_number');
};

const paidOf = ({ status, confirmation_number }: Payment) => ({ status, confirmation_number });

const mustSayInProgress =
  'While a payment is in progress, its repetition must be answered with 423, 425, or a 409 that says "in progress"';

const outcomeOf = (error: unknown): unknown => (error instanceof IntegrationError ? error.outcome : error);

/** Returns true if the last attempt was refused as in progress: the client may have asked again by itself. */
const saysInProgress = (error: unknown): boolean => {
  const last = error instanceof IntegrationError ? (error.cause ?? error) : undefined;
  const status = last instanceof ClientError || last instanceof AttemptFailedError ? last.status : undefined;
  return status === 409 || status === 423 || status === 425;
};

const refusal = (error: unknown): 'refused' => {
  if (error instanceof ClientError) return 'refused';
  throw error;
};

/** The connection of the first request is closed, whatever has become of it by then. */
const hangUpFirst = (afterMs: number): Middleware => {
  let hasHungUp = false;
  return async (request, next) => {
    if (hasHungUp) return next(request);
    hasHungUp = true;
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(afterMs)]);
    return next({ ...request, signal }).catch((error: unknown) => {
      if (request.signal.aborted) throw error;
      throw networkError(request, new Error('the caller hung up'));
    });
  };
};

/** The first of these requests arrives and is done, and its answer never comes back. */
export const loseFirstAnswer = (isMeant: (request: HttpRequest) => boolean = () => true): Middleware => {
  let isLost = false;
  return async (request, next) => {
    const answer = await next(request);
    if (isLost || !isMeant(request)) return answer;
    isLost = true;
    throw networkError(request, new Error('the answer was lost'));
  };
};
