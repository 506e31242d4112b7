import type { RequestOptions } from '../http/operation.ts';
import { isSamePhone } from '../phone/forms.ts';
import { createRecentRecords } from '../recent-records.ts';
import type { RecordClient } from './client.ts';
import type { SearchOf } from './queries.ts';
import type { AnyFields, AnyRecord } from './records.ts';

type People<Object extends 'Lead' | 'Contact'> = RecordClient<AnyFields, AnyRecord, SearchOf<Object>>;

/**
 * A search by phone finds the people whom this client made in the last `forMs`, too: the CRM's search may not know them
 * yet, but gives them by their ids.
 */
export const withRecentPeople = <Object extends 'Lead' | 'Contact'>(
  people: People<Object>,
  forMs: number,
): People<Object> => {
  const recent = createRecentRecords<{ readonly id: string; readonly phones: readonly string[] }>({ forMs });

  const recentOnes = async (by: SearchOf<Object>, known: readonly AnyRecord[], call: RequestOptions | undefined) => {
    const { phone = '', where } = by;
    const isConverted = 'isConverted' in by && by.isConverted === true;
    // Whether a further condition holds is the CRM's to say.
    if (phone === '' || where !== undefined) return [];
    const missing = recent
      .all()
      .filter(({ id, phones }) => phones.some((own) => isSamePhone(phone, own)) && !known.some(({ Id }) => Id === id));
    const found = await Promise.all(missing.map(({ id }) => people.get(id, call)));
    return found.flatMap((person) => (person && (person['IsConverted'] ?? false) === isConverted ? [person] : []));
  };

  return {
    ...people,
    create: async (fields, call) => {
      const made = await people.create(fields, call);
      const phones = [fields['Phone'], fields['MobilePhone']].filter((own) => typeof own === 'string');
      if (phones.length > 0) recent.remember({ id: made.id, phones });
      return made;
    },
    search: async (by, call) => {
      const found = await people.search(by, call);
      const { limit = 1 } = by;
      if (found.data.length >= limit) return found;
      const data = [...found.data, ...(await recentOnes(by, found.data, call))];
      return data.length === found.data.length ? found : { ...found, data: data.slice(0, limit), total: data.length };
    },
  };
};
