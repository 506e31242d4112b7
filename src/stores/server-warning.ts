/** A setting of a server that makes a store promise less than it could. */
export interface ServerWarning {
  /** A stable word, such as `redis_may_evict`. */
  readonly code: string;
  /** What follows from the setting, and what to set. */
  readonly message: string;
}

/** Gets the warnings of a store. */
export type OnServerWarning = (warning: ServerWarning) => void;

/** Node's own way to warn: printed once to the error output, unless the application listens to `warning`. */
export const emitServerWarning: OnServerWarning = ({ code, message }) =>
  process.emitWarning(message, { type: 'VoiceAgentStoreWarning', code });
