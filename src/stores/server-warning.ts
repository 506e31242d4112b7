import { warn } from '../observability/warn.ts';

/** A setting of a server that makes a store promise less than it could. */
export interface ServerWarning {
  /** A stable word, such as `redis_may_evict`. */
  readonly code: string;
  /** The consequence of the setting, and what to set. */
  readonly message: string;
}

/** Gets the warnings of a store. */
export type OnServerWarning = (warning: ServerWarning) => void;

/** Warns as {@link warn} does. */
export const emitServerWarning: OnServerWarning = ({ code, message }) =>
  warn(message, { type: 'VoiceAgentStoreWarning', code });
