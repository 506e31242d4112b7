/** The records that a client made and that a search may not know yet. */
export interface RecentRecords<Kept extends { readonly id: string }> {
  remember(record: Kept): void;
  /** Takes over what became of a record that is remembered. */
  refresh(record: Kept): void;
  /** It can't be found any more. */
  forget(id: string): void;
  all(): readonly Kept[];
}

/** More records than one process makes within the delay of a search; the oldest are forgotten first. */
const defaultLimit = 1_000;

/** Remembers each record for `forMs`, and none at all with 0. Needs no timer: what is old is dropped when it is seen. */
export const createRecentRecords = <Kept extends { readonly id: string }>({
  forMs,
  limit = defaultLimit,
}: {
  readonly forMs: number;
  readonly limit?: number;
}): RecentRecords<Kept> => {
  if (!(forMs > 0)) return withoutMemory;
  const kept = new Map<string, { readonly record: Kept; readonly until: number }>();

  const dropOld = () => {
    // In the order in which they were made: after the first one that is not old there is none.
    for (const [id, { until }] of kept) {
      if (until > performance.now() && kept.size <= limit) return;
      kept.delete(id);
    }
  };

  return {
    remember: (record) => {
      kept.delete(record.id);
      kept.set(record.id, { record, until: performance.now() + forMs });
      dropOld();
    },
    refresh: (record) => {
      const before = kept.get(record.id);
      if (before) kept.set(record.id, { ...before, record });
    },
    forget: (id) => void kept.delete(id),
    all: () => {
      dropOld();
      return [...kept.values()].map(({ record }) => record);
    },
  };
};

const withoutMemory: RecentRecords<never> = {
  remember: () => {},
  refresh: () => {},
  forget: () => {},
  all: () => [],
};
