import { StoreError } from '../errors.ts';
import { settleWithin } from '../timers.ts';

/**
 * What a server answers, or `StoreError` when it fails or takes longer than `ms`. Drivers keep commands while a
 * connection is down, some forever, so the server may still do what was asked after this has rejected.
 */
export const answeredWithin = <T>(
  answer: Promise<T>,
  { server, ms }: { readonly server: string; readonly ms: number },
): Promise<T> =>
  settleWithin(
    answer.catch((cause: unknown) => {
      throw new StoreError(`${server} could not do what it was asked for`, { cause });
    }),
    { deadline: ms, late: () => new StoreError(`${server} did not answer within ${ms} ms`) },
  );
