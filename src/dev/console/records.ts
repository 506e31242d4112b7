import type { IntegrationEvent } from '../../observability/events.ts';

/** An event, in the order in which the console received it. */
export interface Recorded {
  readonly seq: number;
  readonly event: IntegrationEvent;
  /** The phone call of this event as it was then. */
  readonly phoneCall?: PhoneCallSummary | undefined;
}

/** One phone call in the list. */
export interface PhoneCallSummary {
  /** Within this console; the `callId` may hold anything. */
  readonly id: number;
  readonly callId: string;
  readonly tenant?: string | undefined;
  /** Milliseconds since 1970: when the first thing began, and when the last one ended. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly events: number;
  readonly tools: number;
  readonly requests: number;
  readonly retries: number;
  readonly failures: number;
}

/** The last phone calls, in memory. */
export interface Recorder {
  record(event: IntegrationEvent): void;
  /** 0 before the first event. */
  lastSeq(): number;
  /** The last active first. */
  phoneCalls(): readonly PhoneCallSummary[];
  /** The events in order; `undefined` for one that was forgotten. */
  phoneCall(id: number): { readonly summary: PhoneCallSummary; readonly events: readonly Recorded[] } | undefined;
  /** The last events that belong to no phone call. */
  others(): readonly Recorded[];
  /** The last changes of what is between the application and the APIs, the newest first. */
  changes(): readonly Recorded[];
  /** Returns the events after `seq`; `undefined` if some are forgotten. */
  since(seq: number): readonly Recorded[] | undefined;
  listen(listener: (recorded: Recorded) => void): () => void;
}
