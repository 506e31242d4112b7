import { IntegrationError } from '../../core/errors.ts';
import { settleWithin } from '../../core/timers.ts';
import type { RequestOptions } from '../../http/operation.ts';
import type { OwnParts } from '../billing-from.ts';
import { bindApi } from './bound-api.ts';
import { limitsOf, moreForPending } from './limits.ts';
import { leftByCaller, type OwnFunction, ownThrow, tooLate } from './own-failure.ts';

/** Runs a function that reads, within the limits of its call, and reads what it returns. */
export const readWith = async <Result>(
  own: OwnFunction,
  { api, options }: OwnParts,
  {
    call = {},
    ask,
    read,
  }: {
    readonly call: RequestOptions | undefined;
    readonly ask: (api: OwnParts['api']) => Promise<unknown>;
    readonly read: (returned: unknown) => Result;
  },
): Promise<Result> => {
  const { deadline, signal, rest } = limitsOf(own, call, options);
  const bound = bindApi(api, { call: rest, deadline, signal });
  // It may also throw before it returns a promise, and what it returns may throw when it's read.
  const work = async () => read(await ask(bound.api));
  try {
    return await settleWithin(work, {
      signal,
      deadline,
      moreMs: moreForPending(bound.calls),
      late: () => tooLate(own, deadline),
    });
  } catch (error) {
    if (signal?.aborted && error === signal.reason) throw leftByCaller(own);
    throw error instanceof IntegrationError ? error : ownThrow(own, error);
  }
};
