import { StoreError } from '../core/errors.ts';
import { settleWithin } from '../core/timers.ts';

/**
 * Resolves to the answer of a server. Rejects with `StoreError` when it fails or takes longer than `ms`. Drivers keep
 * commands while a connection is down, some forever, so the server may still do its work after this has rejected.
 */
export const answeredWithin = <T>(
  answer: Promise<T>,
  { server, ms }: { readonly server: string; readonly ms: number },
): Promise<T> =>
  settleWithin(
    answer.catch((cause: unknown) => {
      if (cause instanceof StoreError) throw cause;
      const code = codeOf(cause);
      throw new StoreError(`${server} could not do what it was asked for${code && ` (${code})`}`, { cause });
    }),
    { deadline: ms, late: () => new StoreError(`${server} did not answer within ${ms} ms`) },
  );

/** `ECONNREFUSED`; PostgreSQL's `28P01`; the word that an error of Redis begins with, such as `WRONGPASS`. */
const codeOf = (cause: unknown): string => {
  const { code, message }: { readonly code?: unknown; readonly message?: unknown } = Object(cause);
  if (typeof code === 'string' && /^[A-Z\d_]{3,40}$/.test(code)) return code;
  const [word = ''] = /^[A-Z]{3,30}(?=[ :,])/.exec(String(message)) ?? [];
  return word;
};
