/** An answer of a realtime model, with the tool calls in it and what they owe. */
import type { RealtimeCall } from './realtime-events.ts';

/** An answer that the model gives, and then the work that it asked for. */
export interface Answer {
  readonly id: string;
  /** The time at which a part of it came last. */
  lastEventAt: number;
  /** The model doesn't give it any more, though its end hasn't come. */
  isOver: boolean;
  isFiller: boolean;
  /** The number of the caller's utterances when it began. */
  readonly turn: number;
  /** The results that it answers. */
  readonly takes: Map<string, Owed>;
  /** Ends its look-ups. */
  readonly reads: AbortController;
  readonly calls: Map<string, RealtimeCall>;
  /** Waits no longer for its end. */
  cancelWatch: () => void;
  running: number;
  /** The second sentences of slow tools, 4 seconds after their first words. */
  readonly laterWords: Map<string, string>;
  /** The model itself said something before its calls, such as "let me see". */
  hasSpoken: boolean;
  /** The words to say as soon as it's silent. */
  filler: string | undefined;
  cancelFiller: (() => void) | undefined;
}

/** A result that no answer has taken up. */
export interface Owed {
  readonly answer: Answer;
  /** The API has it, so that an answer that begins now takes it up. */
  readonly isConfirmed: boolean;
}

/** `turn`: how often the caller had spoken when it began. */
export const createAnswer = (id: string, turn: number, isFiller: boolean): Answer => ({
  id,
  lastEventAt: performance.now(),
  isOver: false,
  isFiller,
  turn,
  takes: new Map(),
  reads: new AbortController(),
  calls: new Map(),
  cancelWatch: () => {},
  running: 0,
  laterWords: new Map(),
  hasSpoken: false,
  filler: undefined,
  cancelFiller: undefined,
});
