/** The words of the model while a tool is slow: a sentence, and a second one after 4 seconds. */
import { setTimer } from '../../core/timers.ts';
import type { Tool } from '../tool.ts';
import type { Answer } from './realtime-answer.ts';

export interface RealtimeFillers {
  /** The answers whose tools run. */
  readonly working: ReadonlySet<Answer>;
  readonly start: (answer: Answer, callId: string, tool: Partial<Tool> | undefined) => void;
  readonly end: (answer: Answer, callId: string) => void;
  /** A tool of this answer is slow. Only the first one that has words says so. */
  readonly say: (answer: Answer, words: string | undefined) => void;
  /** The next sentence that is due, once. */
  readonly take: () => string | undefined;
  /** The caller speaks: what was due is left out. */
  readonly hush: () => void;
  readonly stop: () => void;
}

/** Calls `onDue` when there is something to say. */
export const createFillers = (onDue: () => void): RealtimeFillers => {
  const working = new Set<Answer>();

  const leave = (answer: Answer) => {
    working.delete(answer);
    answer.cancelFiller?.();
    answer.filler = undefined;
  };

  return {
    working,
    start: (answer, callId, { slowMessage, stillSlowMessage = stillWorking } = {}) => {
      if (slowMessage !== undefined) answer.laterWords.set(callId, stillSlowMessage);
      working.add(answer);
    },
    end: (answer, callId) => {
      answer.laterWords.delete(callId);
      if (answer.running === 0) leave(answer);
    },
    say: (answer, words) => {
      if (answer.cancelFiller || words === undefined) return;
      answer.filler = answer.hasSpoken ? undefined : words;
      answer.cancelFiller = setTimer(() => {
        [answer.filler] = answer.laterWords.values();
        onDue();
      }, secondFillerMs);
      onDue();
    },
    take: () => {
      const answer = [...working].find(({ filler }) => filler !== undefined);
      const words = answer?.filler;
      if (answer) answer.filler = undefined;
      return words;
    },
    hush: () => {
      for (const answer of working) answer.filler = undefined;
    },
    stop: () => {
      for (const answer of working) leave(answer);
    },
  };
};

/** Said once, when a tool still works this long after its first sentence. */
const secondFillerMs = 4_000;
const stillWorking = 'This is taking a little longer. Thank you for waiting.';
