import type { Lane } from '../ports/rate-limiter.ts';

/** A caller that waits for places. */
export interface Waiter {
  readonly weight: number;
  readonly lane: Lane;
  readonly deadlineAt: number;
  readonly signal: AbortSignal;
  readonly onAbort: () => void;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Who waits in each lane, in the order of arrival. */
export type LaneQueues<W extends Waiter> = Readonly<Record<Lane, Set<W>>>;

export const createLaneQueues = <W extends Waiter>(): LaneQueues<W> => ({ live: new Set(), background: new Set() });

/** Everybody who waits, live before background; who leaves meanwhile is not met any more. */
export function* inOrder<W extends Waiter>(queues: LaneQueues<W>): Generator<W> {
  yield* queues.live;
  yield* queues.background;
}
