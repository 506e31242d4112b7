import { IntegrationError } from '../../core/errors.ts';
import { nextTurn, settleWithin } from '../../core/timers.ts';
import type { RequestOptions, Settled } from '../../http/operation.ts';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import { type OwnParts, paymentsIn } from '../billing-from.ts';
import type { Payment } from '../payments.ts';
import { bindApi } from './bound-api.ts';
import { limitsOf, moreForPending } from './limits.ts';
import { leftByCaller, type OwnFunction, tooLate } from './own-failure.ts';
import { failureOf, paymentOf, type PayRun, unfinished } from './payment-end.ts';

/** A function of the application that moves money, and the key of what it does. */
export interface Payer {
  readonly own: OwnFunction;
  readonly key: string;
  readonly pay: (api: OwnParts['api']) => unknown;
}

/**
 * Has the application's function charge or give back, and reads from its requests how that ended. A payment that was sent goes on
 * when its caller has gone: `onSettled` gets its end.
 */
export const payWith = async (
  { api, options }: OwnParts,
  { payer, call }: { readonly payer: Payer; readonly call: RequestOptions },
): Promise<Payment> => {
  const { own, key } = payer;
  const { deadline, signal, rest } = limitsOf(own, call, options);
  const released = Promise.withResolvers<never>();
  let isReleased = false;
  const bound = bindApi(api, {
    call: rest,
    deadline,
    signal,
    key,
    minimumBudgetMs: Math.min(leastMs, (options.deadlineMs ?? 2 * leastMs) / 2),
    onReleased: (error) => {
      isReleased = true;
      released.reject(error);
    },
  });
  released.promise.catch(() => {});
  const [endpoint = ''] = paymentsIn(options.endpoints);
  const run: PayRun = { own, endpoint: `api.${endpoint}(…)`, calls: bound.calls, hasWaited: false };

  let end: Promise<Payment> | undefined;
  const start = () => {
    end = startPay(run, () => payer.pay(bound.api));
    return Promise.race([end, released.promise]);
  };
  const late = new Error('late');
  try {
    return await settleWithin(start, { signal, deadline, moreMs: moreForPending(bound.calls), late: () => late });
  } catch (error) {
    if (end === undefined) throw leftByCaller(own);
    // Requests that listen to the signal end first.
    if (signal?.aborted) await nextTurn();
    if (isReleased) reportLate(end, payer, call.onSettled);
    if (error === late) throw unfinished(run, (outcome) => tooLate(own, deadline, outcome));
    if (isReleased || (signal?.aborted && error === signal.reason))
      throw unfinished(run, (outcome) => leftByCaller(own, outcome));
    throw error;
  }
};

/** Runs `pay`, and notes whether it has waited for anything before it ends. */
const startPay = async (run: PayRun, pay: () => unknown): Promise<Payment> => {
  const read = (returned: unknown) => paymentOf(run, returned);
  const fail = (error: unknown) => {
    throw failureOf(run, error);
  };
  let returned: unknown;
  try {
    returned = pay();
  } catch (error) {
    return fail(error);
  }
  // Its handlers come before the microtask if it has ended already, and after it if it has waited.
  const end = Promise.resolve(returned).then(read, fail);
  queueMicrotask(() => {
    run.hasWaited = true;
  });
  return end;
};

/** A card takes a while. */
const leastMs = 3000;

const reportLate = (
  end: Promise<Payment>,
  { own: { operation }, key: idempotencyKey }: Payer,
  onSettled: RequestOptions['onSettled'],
): void => {
  const report = (settled: Settled) => ignoreErrors(() => onSettled?.(settled));
  void end.then(
    (result) => report({ operation, idempotencyKey, ok: true, result }),
    (error: unknown) => {
      // What `pay` throws has become an error of this package.
      if (error instanceof IntegrationError) report({ operation, idempotencyKey, ok: false, error });
    },
  );
};
