/**
 * Carries an event from the process it arrives at to the processes that wait for it, by a key that both know.
 * At most once for each process: store an event that must not be missed.
 */
export interface EventExchange {
  /**
   * Resolves when the event has reached all that wait for its key, in any process. It's kept for `keepMs` for those
   * that start to wait later. A later event under the same key replaces it. Between processes it's kept as JSON.
   */
  post(key: string, event: unknown, options: { readonly keepMs: number }): Promise<void>;
  /**
   * Calls `listener` once for each event under `key` that this process hasn't seen: first a kept one, then new ones.
   * The function it returns ends that. It never fails; while the exchange is out of reach, no events come.
   */
  watch(key: string, listener: (event: unknown) => void): () => void;
  /** Ends all watching and frees what it holds. */
  close(): Promise<void>;
}
