import { Refused } from '../refused.ts';
import type { FormValue } from './form.ts';

type Params = Readonly<Record<string, FormValue>>;

/** The parameters of every list. */
export const paging = ['limit', 'starting_after', 'ending_before', 'expand'];

/** A parameter that is a text where it's given. Throws `Refused` for an object or a list. */
export const textIn = (params: Params, name: string): string | undefined => {
  const value = params[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new Refused(400, '', `Invalid string: ${name}`, { field: name });
};

export const booleanIn = (params: Params, name: string): boolean | undefined => {
  const value = textIn(params, name);
  if (value === undefined || value === 'true' || value === 'false')
    return value === undefined ? value : value === 'true';
  throw new Refused(400, '', `Invalid boolean: ${value}`, { field: name });
};

export const missing = (what: string, id: string, field: string, status = 404) =>
  new Refused(status, 'resource_missing', `No such ${what}: '${id}'`, { field });

export const limitOf = ({ limit = '10' }: Params): number => {
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 1 || count > 100)
    throw new Refused(400, 'parameter_invalid_integer', 'Invalid integer: limit must be from 1 to 100', {
      field: 'limit',
    });
  return count;
};

/** From behind `starting_after`; an object without it begins at the start. */
export const page = (url: string, objects: readonly object[], params: Params, pageSize: number): object => {
  const after = textIn(params, 'starting_after');
  const idOf = (one: object) => (one as { readonly id?: string }).id;
  const begin = after === undefined ? 0 : objects.findIndex((one) => idOf(one) === after) + 1;
  if (after !== undefined && begin === 0) throw missing('object', after, 'starting_after', 400);
  const data = objects.slice(begin, begin + Math.min(limitOf(params), pageSize));
  return { object: 'list', url, data, has_more: begin + data.length < objects.length };
};
