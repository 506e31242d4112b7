/** A signal of one's own, and the way to abort it. */
export interface OwnSignal {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
}

/**
 * Runs `work` under a signal of its own. When it or `outer` aborts, the result rejects at once with the signal's
 * reason, even if the work does not listen; what the work does afterwards is ignored.
 * No listener stays behind on `outer`, which may live as long as a phone call.
 */
export const withOwnSignal = async <T>(outer: AbortSignal, work: (own: OwnSignal) => Promise<T>): Promise<T> => {
  outer.throwIfAborted();
  const controller = new AbortController();
  let passOn = () => {};
  try {
    return await new Promise<T>((resolve, reject) => {
      const abort = (reason: unknown) => {
        controller.abort(reason);
        reject(controller.signal.reason);
      };
      passOn = () => abort(outer.reason);
      outer.addEventListener('abort', passOn, { once: true });
      work({ signal: controller.signal, abort }).then(resolve, reject);
    });
  } finally {
    outer.removeEventListener('abort', passOn);
  }
};

/** What `work` comes to, or the signal's reason as soon as it aborts. For work that may not listen to its signal. */
export const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
