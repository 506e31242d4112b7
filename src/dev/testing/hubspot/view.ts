import type { HubSpotStore } from './store.ts';

/** A record of the fake account, for a test to look at. */
export interface FakeHubSpotRecord {
  readonly id: string;
  /** HubSpot's own names. */
  readonly properties: Readonly<Record<string, string | null>>;
  /** The ids of other records, by their object. */
  readonly associations: Readonly<Record<string, readonly string[]>>;
}

/** A fake account of HubSpot: what it holds, in HubSpot's own names. */
export interface FakeHubSpot {
  /** The records of an object, such as `contacts`, `notes` or `owners`. A copy of this moment. */
  records(type: string): readonly FakeHubSpotRecord[];
  /** Puts a record there, without any check. It's one that searches know. */
  add(type: string, properties: Readonly<Record<string, string | null>>): FakeHubSpotRecord;
  /** Associates two records. */
  associate(
    from: { readonly type: string; readonly id: string },
    to: { readonly type: string; readonly id: string },
  ): void;
}

export const hubspotView = (store: HubSpotStore): FakeHubSpot => {
  const copy = ({ id, properties, associations }: ReturnType<HubSpotStore['add']>): FakeHubSpotRecord => ({
    id,
    properties: { ...properties },
    associations: Object.fromEntries([...associations].map(([type, ids]) => [type, [...ids]])),
  });
  return {
    records: (type) => [...store.recordsOf(type).values()].map(copy),
    add: (type, properties) => {
      const record = store.add(type, properties);
      store.index(record.id);
      return copy(record);
    },
    associate: store.associate,
  };
};
