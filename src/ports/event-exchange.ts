/**
 * Carries an event from the process it arrives at to those that wait for it, by a key that both know.
 * At most once for each process: who must not miss an event stores it.
 */
export interface EventExchange {
  /**
   * Resolves when the event is known to whoever waits for its key, in any process, and is kept for who begins to wait
   * within `keepMs`; a later event under the same key takes its place. Between processes it is kept as JSON.
   */
  post(key: string, event: unknown, options: { readonly keepMs: number }): Promise<void>;
  /**
   * Calls `listener` once for each event under `key` that this process has not seen: the one that is kept, then those to
   * come. The function that comes back ends that. It never fails; an exchange that is out of reach tells nothing.
   */
  watch(key: string, listener: (event: unknown) => void): () => void;
  /** Ends all watching and frees what it holds. */
  close(): Promise<void>;
}
