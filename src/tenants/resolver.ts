import type { Clock } from '../clock.ts';
import { TenantUnavailableError } from '../errors.ts';

/** Asks the application for the options of a tenant. */
export interface Resolver<Options> {
  /** Throws `TenantUnavailableError`, for a while also without asking again. */
  resolve(tenantId: string): Promise<Options>;
  /** Something that came of the options failed: for a while nobody is asked. Gives the error to throw. */
  failed(tenantId: string, error: unknown): TenantUnavailableError;
  /** The next one asks, whatever failed before. */
  forget(tenantId: string): void;
}

/** Bounds how long the application may take, and remembers for a moment that it failed. */
export const createResolver = <Options extends object>({
  resolve,
  timeoutMs,
  cooldownMs,
  maximumFailures,
  clock,
  onLate,
}: {
  readonly resolve: (
    tenantId: string,
    about: { readonly signal: AbortSignal },
  ) => Options | undefined | Promise<Options | undefined>;
  readonly timeoutMs: number;
  readonly cooldownMs: number;
  /** How many failures are remembered. */
  readonly maximumFailures: number;
  readonly clock: Clock;
  /** Options that came when nobody waited for them any more. */
  readonly onLate: (options: Options, tenantId: string) => Promise<void>;
}): Resolver<Options> => {
  /** The oldest first. */
  const failures = new Map<string, { readonly error: TenantUnavailableError; readonly until: number }>();

  const remember = (tenantId: string, error: TenantUnavailableError): TenantUnavailableError => {
    failures.delete(tenantId);
    const [oldest] = failures.keys();
    if (oldest !== undefined && failures.size >= maximumFailures) failures.delete(oldest);
    failures.set(tenantId, { error, until: clock.now() + cooldownMs });
    return error;
  };

  const failed: Resolver<Options>['failed'] = (tenantId, original) =>
    remember(
      tenantId,
      new TenantUnavailableError('the options of the tenant could not be had, or cannot work', {
        reason: 'resolve_failed',
        tenant: tenantId,
        retryAfterMs: cooldownMs,
        original,
      }),
    );

  const ask = async (tenantId: string): Promise<Options | undefined> => {
    const controller = new AbortController();
    let isOver = false;
    const answer = Promise.resolve().then(() => resolve(tenantId, { signal: controller.signal }));
    void answer.then((options) => {
      if (isOver && options) return onLate(options, tenantId);
    }, ignore);
    let cancel = () => {};
    const tooLate = new Promise<never>((_resolve, reject) => {
      cancel = clock.setTimer(() => {
        isOver = true;
        const error = new Error(`resolve took longer than ${timeoutMs} ms`);
        controller.abort(error);
        reject(error);
      }, timeoutMs);
    });
    try {
      return await Promise.race([answer, tooLate]);
    } finally {
      cancel();
    }
  };

  return {
    resolve: async (tenantId) => {
      const failure = failures.get(tenantId);
      if (failure && failure.until > clock.now()) throw again(failure.error, failure.until - clock.now());
      failures.delete(tenantId);
      const options = await ask(tenantId).catch((error: unknown) => {
        throw failed(tenantId, error);
      });
      if (options) return options;
      const message = 'there is no such tenant: resolve gave no options for it';
      const fields = { reason: 'unknown', tenant: tenantId, retryAfterMs: cooldownMs } as const;
      throw remember(tenantId, new TenantUnavailableError(message, fields));
    },
    failed,
    forget: (tenantId) => void failures.delete(tenantId),
  };
};

/** An error of its own for each caller, with the time that is left. */
const again = ({ message, reason, tenant, original }: TenantUnavailableError, leftMs: number) =>
  new TenantUnavailableError(message, { reason, tenant, original, retryAfterMs: Math.ceil(leftMs) });

const ignore = () => undefined;
