import type { Json } from '../ports/json.ts';

/**
 * How a tool call ended. `done`: the tool did its work. `refused`: nothing was done, since the arguments, a rule or
 * the API itself forbid it. `failed`: it did not work this time. `unknown`: it may have happened, which isn't known
 * yet. `cancelled`: the application took the call back.
 */
export type ToolStatus = 'done' | 'refused' | 'failed' | 'unknown' | 'cancelled';

/** The answer to one tool call, the same for every provider. */
export interface ToolResult {
  readonly status: ToolStatus;
  /** What the model reads, as data. */
  readonly value: Json;
  /** The same as one line of valid JSON, within the tool's budget of characters: what a provider is sent. */
  readonly text: string;
  /** The work was done before; this is what it gave then. */
  readonly replayed: boolean;
}
