import type { Lane } from '../ports/rate-limiter.ts';

/** Gives out places under a limit, without waiting: it says yes, or when to ask again. */
export interface Places {
  ask(request: PlaceRequest): Promise<PlaceAnswer>;
}

export interface PlaceRequest {
  /** The tenant. */
  readonly key: string;
  readonly weight: number;
  readonly lane: Lane;
  /** How many places those want who stand before this one in the same process. */
  readonly ahead: number;
  /** How many places this process wants in this lane, this request included. */
  readonly wanted: number;
  /** With a longer wait than this it will not come back. */
  readonly maxWaitMs: number;
}

export type PlaceAnswer =
  | {
      readonly granted: true;
      /** Whoever it was for is gone, and has sent nothing. */
      readonly giveBack: () => void;
    }
  | {
      readonly granted: false;
      readonly waitMs: number;
      /** What stands in the way. */
      readonly by: 'app' | 'tenant' | 'pause';
    };
