import type { DestinationMetrics } from './snapshot.ts';

/** An outbox, as metrics read it. */
export interface OutboxStatusSource {
  status(): Promise<DestinationCounts>;
}

/** What waits for each destination, by its name. */
export type DestinationCounts = Readonly<Record<string, Omit<DestinationMetrics, 'destination'>>>;

/** The destinations of several outboxes, such as one per tenant. Those with the same name are added up. */
export const sumDestinations = (statuses: readonly DestinationCounts[]): readonly DestinationMetrics[] => {
  const sums = new Map<string, DestinationMetrics>();
  for (const [destination, counts] of statuses.flatMap((status) => Object.entries(status))) {
    const before = sums.get(destination);
    sums.set(destination, { destination, ...(before ? sumOf(before, counts) : counts) });
  }
  return [...sums.values()];
};

type Counts = DestinationCounts[string];

const sumOf = (one: Counts, other: Counts): Counts => ({
  ready: one.ready + other.ready,
  delayed: one.delayed + other.delayed,
  leased: one.leased + other.leased,
  dead: one.dead + other.dead,
  oldestAgeMs: Math.max(one.oldestAgeMs, other.oldestAgeMs),
  oldestDeadAgeMs: Math.max(one.oldestDeadAgeMs, other.oldestDeadAgeMs),
  isDisabled: one.isDisabled || other.isDisabled,
});
