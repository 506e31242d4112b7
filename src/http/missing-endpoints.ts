import { AttemptFailedError, ClientError } from '../errors.ts';

/** The endpoints that an API may lack, and what is known of each, by operation. */
export interface MissingEndpoints {
  /** It's taken for missing, and left alone for now. */
  readonly isMissing: (operation: string) => boolean;
  /** It answered, so the API has it: no later 404 makes it missing. */
  readonly answered: (operation: string) => void;
  /** The API said that it doesn't have it. */
  readonly refused: (operation: string, error: unknown) => void;
}

/**
 * Remembers for a minute that an API lacks an endpoint. It lacks one that never answered: after a 405 or 501, or three
 * 404s over half a minute. A gateway in a deployment answers 404 as well, for a moment and for endpoints that exist.
 * `onRefused` is called for the first refusal in a row.
 */
export const createMissingEndpoints = (onRefused: (operation: string) => void): MissingEndpoints => {
  const states = new Map<string, State>();

  return {
    isMissing: (operation) => performance.now() < (states.get(operation)?.missingUntil ?? 0),
    answered: (operation) => void states.set(operation, { hasAnswered: true, refusals: 0, since: 0, missingUntil: 0 }),
    refused: (operation, error) => {
      const now = performance.now();
      const { hasAnswered, refusals, since } = states.get(operation) ?? { hasAnswered: false, refusals: 0, since: now };
      const isRow = refusals > 0;
      const next = { hasAnswered, refusals: refusals + 1, since: isRow ? since : now };
      const isCertain = statusOf(error) !== 404 || (next.refusals >= leastRefusals && now - next.since >= leastTimeMs);
      states.set(operation, { ...next, missingUntil: isCertain && !hasAnswered ? now + askAgainMs : 0 });
      if (!isRow) onRefused(operation);
    },
  };
};

interface State {
  readonly hasAnswered: boolean;
  /** In a row. */
  readonly refusals: number;
  /** When the first of them came. */
  readonly since: number;
  readonly missingUntil: number;
}

const leastRefusals = 3;
const leastTimeMs = 30_000;
const askAgainMs = 60_000;

/** Returns whether an API lacks an endpoint: 404, 405 for a path that it has with other methods, or 501. */
export const isMissingEndpoint = (error: unknown): boolean => [404, 405, 501].includes(statusOf(error) ?? 0);

/** A 501 is tried again like every 5xx, and is the cause of what is thrown in the end. */
const statusOf = (error: unknown): number | undefined => {
  if (error instanceof ClientError || error instanceof AttemptFailedError) return error.status;
  return error instanceof Error && error.cause instanceof AttemptFailedError ? error.cause.status : undefined;
};
