import type { Fault } from './faults.ts';

/** What is wrong with a fault that no type has checked: a misspelled one would let a test pass that shows nothing. */
export const faultProblem = (fault: Fault): string | undefined => {
  if (fault === 'ok') return undefined;
  if (typeof fault !== 'object' || fault === null) return `A fault is 'ok' or an object`;
  for (const [name, value] of Object.entries(fault)) {
    if (!Object.hasOwn(checks, name)) return `There is no fault ${name}`;
    if (value !== undefined && !checks[name]?.(value)) return `The fault ${name} cannot be ${String(value)}`;
  }
  return undefined;
};

const isTrue = (value: unknown) => value === true;
const isObject = (value: unknown) => typeof value === 'object' && value !== null;
const isOneOf =
  (...words: readonly unknown[]) =>
  (value: unknown) =>
    words.includes(value);

const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  latencyMs: (value) => typeof value === 'number' && value >= 0,
  times: (value) => value === Infinity || (Number.isInteger(value) && Number(value) > 0),
  status: (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599,
  body: () => true,
  headers: isObject,
  retryAfter: (value) => ['number', 'string'].includes(typeof value),
  executed: isOneOf(true, false),
  reset: isOneOf('before-headers', 'after-headers'),
  stall: isOneOf('headers', 'body'),
  truncate: isTrue,
  executeThenDrop: isTrue,
  unauthorizedUntilOtherCredential: isTrue,
};
