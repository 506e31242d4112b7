import type { Fault } from '../../testing/index.ts';
import { wrongUsage } from '../command-error.ts';
import { withoutUndefined } from '../../../core/without-undefined.ts';

/** The faults of one `--fault`. */
export interface TargetFaults {
  /** An operation or an API; whether there is one is the platform's to say. */
  readonly target: string;
  readonly faults: readonly Fault[];
}

/** The notation of faults, for the help. */
export const faultWords =
  'ok, 503, 429:2 (Retry-After 2 s), reset, reset-after, stall, stall-body, truncate, drop (done, but no answer), slow:800 (ms)';

/**
 * Reads `billing.payments.create=503x2,drop,ok`: what the coming requests meet, one after the other. `x2` is twice,
 * `xall` from then on. Throws `CommandError`.
 */
export const readFault = (text: string): TargetFaults => {
  const [target, list, ...more] = text.split('=');
  if (!target || !list || more.length > 0)
    throw wrongUsage(`--fault ${text} cannot be read`, 'it is written OPERATION=FAULT,FAULT, such as billing=503x2,ok');
  return { target, faults: list.split(',').map(readOne) };
};

const readOne = (text: string): Fault => {
  const [, word = '', times] = /^(.+?)(?:x(\d+|all))?$/.exec(text) ?? [];
  const fault = faultOf(word);
  if (!fault)
    throw wrongUsage(`there is no fault "${text}"`, `it is one of ${faultWords}; behind it perhaps x2 or xall`);
  if (times === undefined) return fault;
  const often = times === 'all' ? Number.POSITIVE_INFINITY : Number(times);
  return fault === 'ok' ? { latencyMs: 0, times: often } : { ...fault, times: often };
};

const faultOf = (word: string): Fault | undefined => {
  if (Object.hasOwn(named, word)) return named[word];
  const [, slow] = /^slow:(\d{1,6})$/.exec(word) ?? [];
  if (slow !== undefined) return { latencyMs: Number(slow) };
  const [, status, retryAfter] = /^(\d{3})(?::(\d{1,5}))?$/.exec(word) ?? [];
  if (status === undefined || Number(status) < 200 || Number(status) > 599) return undefined;
  return withoutUndefined({
    status: Number(status),
    retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
  });
};

const named: Readonly<Record<string, Fault>> = {
  ok: 'ok',
  reset: { reset: 'before-headers' },
  'reset-after': { reset: 'after-headers' },
  stall: { stall: 'headers' },
  'stall-body': { stall: 'body' },
  truncate: { truncate: true },
  drop: { executeThenDrop: true },
};
