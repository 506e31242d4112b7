import type { EntryOverrides } from '../../api/entry.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import { fieldsOf, isJsonObject, objectsIn } from '../../stores/ports/json.ts';
import type { RecordEndpoints } from '../endpoints.ts';
import type { RowQuery } from '../where.ts';
import type { HubSpotPaths } from './versions.ts';

/** The object that an OwnerId names. */
export const owners = 'User';

const toUser = (json: unknown): unknown => {
  if (!isJsonObject(json)) return json;
  const { id, email, firstName, lastName, archived, ...more } = json;
  const names = [firstName, lastName].flatMap((name) => (typeof name === 'string' && name !== '' ? [name] : []));
  return {
    ...more,
    Id: id,
    Email: email,
    FirstName: firstName,
    LastName: lastName,
    Name: names.join(' ') || email,
    IsActive: archived !== true,
  };
};

/** Owners are read by their id or e-mail, or all of them: https://developers.hubspot.com/docs/api-reference/crm-owners-v3/guide. */
export const ownerEndpoints = ({ owners: path }: HubSpotPaths): EntryOverrides<RecordEndpoints> => ({
  get: { path: `${path}/{id}`, query: () => ({}), answer: toUser },
  search: {
    method: 'GET',
    path,
    query: ({ query, limit }) => ({ email: emailIn(query), limit: Math.min(limit, mostInPage) }),
    answer: (json) => ({ ...fieldsOf(json), results: objectsIn(fieldsOf(json)['results']).map(toUser) }),
  },
});

const mostInPage = 500;

const emailIn = ({ where }: RowQuery): string | undefined => {
  if (where === undefined || ('all' in where && where.all.length === 0)) return undefined;
  if ('operator' in where && where.field === 'Email' && where.operator === '=' && typeof where.value === 'string')
    return where.value;
  throw new InvalidArgumentError('where', 'must be Email = one address: HubSpot finds owners by nothing else');
};
