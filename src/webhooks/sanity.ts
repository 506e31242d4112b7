import { parseTimestamp } from '../core/timestamp.ts';

/** Conditions on the payload of one event beyond its schema. Paths are dotted; lists on the way are walked. */
export interface EventChecks {
  /**
   * Times that must not lie in the future.
   * @defaultValue every `created_at`, `updated_at`, `occurred_at`, `confirmed_at`, `sent_at` and `timestamp`
   */
  readonly timestamps?: readonly string[] | undefined;
  /** Numbers that must not be negative. @defaultValue every `amount` and what ends with `_amount` */
  readonly amounts?: readonly string[] | undefined;
  /** Ids that must refer to real records, and of what kind: asked of `recordExists`. @defaultValue none */
  readonly records?: Readonly<Record<string, string>> | undefined;
}

/** Returns the first field that can't be true; `undefined` when there is none. */
export const implausibleField = (
  payload: unknown,
  checks: EventChecks,
  { now, toleranceMs }: { readonly now: number; readonly toleranceMs: number },
): string | undefined => {
  const inFuture = (value: unknown) => (parseTimestamp(value) ?? 0) > now + toleranceMs;
  const negative = (value: unknown) => Number(value) < 0;
  return (
    find(payload, checks.timestamps ?? isUsualTimestamp, inFuture) ??
    find(payload, checks.amounts ?? isUsualAmount, negative)
  );
};

const isUsualTimestamp = (name: string): boolean =>
  ['created_at', 'updated_at', 'occurred_at', 'confirmed_at', 'sent_at', 'timestamp'].includes(name);

const isUsualAmount = (name: string): boolean => name === 'amount' || name.endsWith('_amount');

const find = (
  payload: unknown,
  where: readonly string[] | ((name: string) => boolean),
  isWrong: (value: unknown) => boolean,
): string | undefined =>
  typeof where === 'function'
    ? findByName(payload, where, isWrong)
    : where.find((path) => valuesAt(payload, path).some(isWrong));

/** Bodies are at most so deep as the parser lets them be. */
const findByName = (
  value: unknown,
  matches: (name: string) => boolean,
  isWrong: (value: unknown) => boolean,
  path: readonly string[] = [],
): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (matches(name) && isWrong(inner)) return [...path, name].join('.');
    const found = findByName(inner, matches, isWrong, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The values at a path; each item of a list on the way is looked into. */
export const valuesAt = (payload: unknown, path: string): readonly unknown[] =>
  path.split('.').reduce<readonly unknown[]>(
    (values, name) =>
      values.flatMap((value) => {
        if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return [];
        const inner: unknown = (value as Readonly<Record<string, unknown>>)[name];
        return Array.isArray(inner) ? inner : [inner];
      }),
    [payload],
  );
