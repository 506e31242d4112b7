import { AttemptFailedError, ClientError } from '../core/errors.ts';

/** The endpoints that an API may lack, and what is known of each, by operation. */
export interface MissingEndpoints {
  /** It's taken for missing, and left alone for now. */
  readonly isMissing: (operation: string) => boolean;
  /**
   * The answer of `ask`, or `absent` if the API lacks the endpoint. After the first 404 it asks twice: in a deployment, another
   * server may have it. Throws the 404 of an endpoint that has answered before.
   */
  readonly answerOf: <Answer>(
    operation: string,
    ask: (waitMs?: number) => Promise<Answer>,
    absent: Answer,
  ) => Promise<Answer>;
}

/**
 * Remembers for a minute that an API lacks an endpoint. It lacks one that never answered: after a 405 or 501, or three
 * 404s over half a minute. A gateway in a deployment answers 404 as well, for a moment and for endpoints that exist.
 * `onMissing` is called when an endpoint is missing for the first time.
 */
export const createMissingEndpoints = (onMissing: (operation: string) => void): MissingEndpoints => {
  const states = new Map<string, State>();
  const reported = new Set<string>();

  const refuse = (operation: string, error: unknown): State => {
    const now = performance.now();
    const { refusals, since } = states.get(operation) ?? { refusals: 0, since: now };
    const isCertain = statusOf(error) !== 404 || (refusals + 1 >= leastRefusals && now - since >= leastTimeMs);
    const state = {
      hasAnswered: false,
      refusals: refusals + 1,
      since,
      missingUntil: isCertain ? now + askAgainMs : 0,
    };
    states.set(operation, state);
    return state;
  };

  const answerOf: MissingEndpoints['answerOf'] = async (operation, ask, absent) => {
    const isFirst = !states.has(operation);
    try {
      const answer = await ask();
      states.set(operation, { hasAnswered: true, refusals: 0, since: 0, missingUntil: 0 });
      return answer;
    } catch (error) {
      if (!isMissingEndpoint(error) || states.get(operation)?.hasAnswered) throw error;
      const { missingUntil } = refuse(operation, error);
      if (isFirst && missingUntil === 0) return answerOf(operation, () => ask(askTwiceMs), absent);
      if (!reported.has(operation)) onMissing(operation);
      reported.add(operation);
      return absent;
    }
  };

  return {
    isMissing: (operation) => performance.now() < (states.get(operation)?.missingUntil ?? 0),
    answerOf,
  };
};

interface State {
  readonly hasAnswered: boolean;
  /** The refusals in a row. */
  readonly refusals: number;
  /** The time of the first of them. */
  readonly since: number;
  readonly missingUntil: number;
}

const leastRefusals = 3;
const leastTimeMs = 30_000;
const askAgainMs = 60_000;
const askTwiceMs = 250;

/** Returns whether an API lacks an endpoint: 404, 405 for a path that it has with other methods, or 501. */
export const isMissingEndpoint = (error: unknown): boolean => [404, 405, 501].includes(statusOf(error) ?? 0);

/** A 501 is tried again like every 5xx, and is the cause of what is thrown in the end. */
const statusOf = (error: unknown): number | undefined => {
  if (error instanceof ClientError || error instanceof AttemptFailedError) return error.status;
  return error instanceof Error && error.cause instanceof AttemptFailedError ? error.cause.status : undefined;
};
