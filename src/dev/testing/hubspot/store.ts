import { Refused } from '../refused.ts';
import { type FakeHubSpotPipelines, usualPipelines } from './pipelines.ts';
import type { FakeHubSpotRule } from './rules.ts';
import type { RequestMeter } from '../pipeline.ts';
import { createRequestWindow } from '../request-window.ts';

/** A record as HubSpot keeps it: every property is a text. */
export interface HubSpotRecord {
  readonly id: string;
  readonly properties: Record<string, string | null>;
  /** The ids of other records, by their object. */
  readonly associations: Map<string, Set<string>>;
  readonly createdAt: number;
  updatedAt: number;
}

/** Everything that the fake account holds. */
export const createHubSpotStore = ({
  rules = [],
  pipelines = {},
}: {
  readonly rules?: readonly FakeHubSpotRule[] | undefined;
  readonly pipelines?: Partial<FakeHubSpotPipelines> | undefined;
} = {}) => {
  const objects = new Map<string, Map<string, HubSpotRecord>>();
  /** The records that searches know before their delay is over. */
  const indexed = new Set<string>();
  let lastId = 100;
  const recordsOf = (type: string): Map<string, HubSpotRecord> => {
    const records = objects.get(type) ?? new Map<string, HubSpotRecord>();
    objects.set(type, records);
    return records;
  };

  return {
    rules,
    pipelines: { ...usualPipelines, ...pipelines },
    recordsOf,
    index: (id: string): void => void indexed.add(id),
    isIndexed: (id: string): boolean => indexed.has(id),
    add: (type: string, properties: Readonly<Record<string, string | null>>): HubSpotRecord => {
      const id = String(++lastId);
      const now = Date.now();
      const record = { id, properties: { ...properties }, associations: new Map(), createdAt: now, updatedAt: now };
      recordsOf(type).set(id, record);
      return record;
    },
    /** Returns a record by its id, or by the value of a property. Throws `Refused` when there is none. */
    get: (type: string, id: string, idProperty?: string): HubSpotRecord => {
      const found = idProperty
        ? [...recordsOf(type).values()].find(
            ({ properties }) => properties[idProperty]?.toLowerCase() === id.toLowerCase(),
          )
        : recordsOf(type).get(id);
      if (!found) throw new Refused(404, 'OBJECT_NOT_FOUND', 'resource not found');
      return found;
    },
    associate: (
      from: { readonly type: string; readonly id: string },
      to: { readonly type: string; readonly id: string },
    ) => {
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const) {
        const associations = recordsOf(one.type).get(one.id)?.associations;
        const ids = associations?.get(other.type) ?? new Set<string>();
        associations?.set(other.type, ids.add(other.id));
      }
    },
  };
};

export type HubSpotStore = ReturnType<typeof createHubSpotStore>;

/** HubSpot's limits: of ten seconds, of a day, and of a second's searches, whose answers say nothing of them. */
export const createHubSpotMeter = (perTenSeconds: number, daily: number): RequestMeter => {
  const recent: number[] = [];
  const searches = perTenSeconds === Infinity ? undefined : createRequestWindow({ limit: 5, perMs: 1_000 });
  let today = 0;
  const enter = () => {
    while (recent[0] !== undefined && recent[0] <= Date.now() - 10_000) recent.shift();
  };
  const refuse = (message: string, policyName: string) =>
    new Refused(429, 'RATE_LIMITS', message, { more: { errorType: 'RATE_LIMIT', policyName } });
  return {
    count: (path) => {
      enter();
      if (today >= daily) throw refuse('You have reached your daily limit.', 'DAILY');
      if (recent.length >= perTenSeconds)
        throw refuse('You have reached your ten_secondly_rolling limit.', 'TEN_SECONDLY_ROLLING');
      if (searches && isSearch(path) && searches.take(performance.now()) > 0)
        throw refuse('You have reached your secondly limit.', 'SECONDLY');
      today += 1;
      recent.push(Date.now());
    },
    headers: (path) => {
      if (isSearch(path)) return {};
      enter();
      return {
        'x-hubspot-ratelimit-daily': String(daily),
        'x-hubspot-ratelimit-daily-remaining': String(daily - today),
        'x-hubspot-ratelimit-interval-milliseconds': '10000',
        'x-hubspot-ratelimit-max': String(perTenSeconds),
        'x-hubspot-ratelimit-remaining': String(perTenSeconds - recent.length),
      };
    },
  };
};

const isSearch = (path: string): boolean => path.endsWith('/search');
