import type { Lane } from '../ports/rate-limiter.ts';

/** Who waits in each lane, in the order of arrival. */
export type LaneQueues<Waiter> = Readonly<Record<Lane, Set<Waiter>>>;

export const createLaneQueues = <Waiter>(): LaneQueues<Waiter> => ({ live: new Set(), background: new Set() });

/** Everybody who waits, live before background; who leaves meanwhile is not met any more. */
export function* inOrder<Waiter>(queues: LaneQueues<Waiter>): Generator<Waiter> {
  yield* queues.live;
  yield* queues.background;
}
