import { createRecentRecords } from '../api/recent-records.ts';
import { createUnclearWrites } from '../api/unclear-writes.ts';
import { AbortedError, UnexpectedResponseError } from '../core/errors.ts';
import { shareDeadline } from '../http/deadline.ts';
import type { RequestOptions } from '../http/operation.ts';
import { isSamePhone } from '../phone/forms.ts';
import { isSameEmail } from '../phone/same-person.ts';
import type { AnyFields, AnyRecord } from './object-table.ts';
import type { RecordClient } from './records.ts';
import { searchedFields, type SearchOf } from './search-query.ts';

type People<Object extends 'Lead' | 'Contact'> = RecordClient<AnyFields, AnyRecord, SearchOf<Object>>;

/**
 * Adds to a search by phone the people whom this client made in the last `forMs`. The CRM's search may not know them
 * yet, but returns them by their ids. One who can't be read is left out. All requests share the search's deadline.
 * `create` refuses a number whose person may have been made in that time: no search can tell. The CRM itself refuses an
 * address that it has.
 */
export const withRecentPeople = <Object extends 'Lead' | 'Contact'>(
  object: Object,
  people: People<Object>,
  { forMs, deadlineMs }: { readonly forMs: number; readonly deadlineMs: number | undefined },
): People<Object> => {
  const recent = createRecentRecords<{ readonly id: string; readonly phones: readonly unknown[] }>({ forMs });

  const recentOnes = async (by: SearchOf<Object>, known: readonly AnyRecord[], call: RequestOptions) => {
    const { phone = '', where, fields } = by;
    // Whether a further condition holds is the CRM's to say.
    if (phone === '' || where !== undefined) return [];
    const wantsConverted = 'isConverted' in by && by.isConverted === true;
    const options = { ...call, fields: [...searchedFields(object, fields), 'MobilePhone'] };
    const made = recent.all().filter(({ id, phones }) => isOneOf(phone, phones) && !known.some(({ Id }) => Id === id));
    const read = await Promise.all(made.map(({ id }) => people.get(id, options).catch(leaveOut)));
    // Two of them may have been merged since, and their numbers changed.
    const byId = new Map(read.flatMap((person) => (person ? [[person.Id, person] as const] : [])));
    for (const { Id } of known) byId.delete(Id);
    return [...byId.values()].filter(
      (person) => (person['IsConverted'] ?? false) === wantsConverted && isOneOf(phone, phonesOf(person)),
    );
  };

  const unclear = createUnclearWrites<AnyFields>({ forMs });

  return {
    ...people,
    create: async (fields, call) => {
      if (unclear.ended().some((other) => isSameNumber(other, fields)))
        throw new UnexpectedResponseError('this person may have been made a moment ago: a search shows it later', {
          operation: `crm.${object.toLowerCase()}s.create`,
        });
      const made = await unclear.run(fields, () => people.create(fields, call));
      recent.remember({ id: made.id, phones: phonesOf(fields) });
      return made;
    },
    search: async (by, call = {}) => {
      const shared = shareDeadline(call, { deadlineMs });
      const found = await people.search(by, shared);
      const { limit = 1 } = by;
      if (found.data.length >= limit) return found;
      const more = await recentOnes(by, found.data, shared);
      return { ...found, data: [...found.data, ...more].slice(0, limit), total: found.total + more.length };
    },
  };
};

const phonesOf = (person: AnyFields): readonly unknown[] => [person['Phone'], person['MobilePhone']];

const isSameNumber = (one: AnyFields, other: AnyFields): boolean =>
  phonesOf(other).some((phone) => typeof phone === 'string' && isOneOf(phone, phonesOf(one))) &&
  !hasSameEmail(one, other);

const hasSameEmail = ({ Email: one }: AnyFields, { Email: other }: AnyFields): boolean =>
  typeof one === 'string' && typeof other === 'string' && isSameEmail(one, other);

const isOneOf = (phone: string, phones: readonly unknown[]): boolean =>
  phones.some((own) => typeof own === 'string' && isSamePhone(phone, own));

/** The CRM's own answer is there: only a caller who gives up ends the search. */
const leaveOut = (error: unknown): undefined => {
  if (error instanceof AbortedError) throw error;
};
