/** Schemas of fields that several resources have, and lists within records. */
import { itemsWithin } from '../core/envelope.ts';
import * as z from '../core/schema.ts';
import type { CustomAttributes } from './attributes.ts';

export const optionalText = z.lazily(() => z.nullish(z.string()));
export const optionalId = z.lazily(() => z.nullish(z.readId()));
export const optionalAmount = z.lazily(() => z.nullish(z.number()));
export const optionalTime = z.lazily(() => z.nullish(z.union([z.number(), z.string()])));

/** Attributes as they're read: their rules check each. */
export const readAttributes = z.lazily<CustomAttributes | undefined>(() => z.optional(z.anyObject()));
/** Attributes as they're written: their rules have checked each. */
export const writtenAttributes = z.lazily(() => z.optional(z.record(z.string(), z.unknown())));

/** Refuses an object without any field, as `name`. */
export const hasSomeField = (name: string) =>
  z.refine((fields) => Object.values(Object(fields)).some((value) => value !== undefined), {
    path: [name],
    message: 'must have at least one field',
  });

/**
 * Takes lists within a parsed record out of their envelopes. Changes the record itself: a copy of a long one costs as
 * much as its check.
 */
export const withLists = (
  json: unknown,
  lists: readonly (readonly [name: string, under: readonly string[]])[],
): unknown => {
  if (typeof json !== 'object' || json === null) return json;
  const record = json as Record<string, unknown>;
  for (const [name, under] of lists) {
    const items = itemsWithin(record[name], under);
    if (items) record[name] = items;
  }
  return record;
};
