import type { Clock } from '../clock.ts';
import { StoreError } from '../errors.ts';

/**
 * What a server answers, or `StoreError` when it fails or takes longer than `ms`. Drivers keep commands while a
 * connection is away, some for ever; what was asked may still be done after this has rejected.
 */
export const answeredWithin = <T>(
  answer: Promise<T>,
  { server, ms, clock }: { readonly server: string; readonly ms: number; readonly clock: Clock },
): Promise<T> =>
  new Promise((resolve, reject) => {
    const cancel = clock.setTimer(() => reject(new StoreError(`${server} did not answer within ${ms} ms`)), ms);
    answer.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (cause: unknown) => {
        cancel();
        reject(new StoreError(`${server} could not do what it was asked for`, { cause }));
      },
    );
  });
