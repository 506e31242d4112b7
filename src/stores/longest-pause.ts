/** So that one absurd `Retry-After` does not silence an app until it is restarted. */
export const longestPauseMs = 600_000;
