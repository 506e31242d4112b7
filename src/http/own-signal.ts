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
export const withOwnSignal = <T>(outer: AbortSignal, work: (own: OwnSignal) => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    outer.throwIfAborted();
    const controller = new AbortController();
    const stopListening = () => outer.removeEventListener('abort', passOn);
    const fail = (error: unknown) => {
      stopListening();
      reject(error);
    };
    const abort = (reason: unknown) => {
      controller.abort(reason);
      fail(controller.signal.reason);
    };
    const passOn = () => abort(outer.reason);
    outer.addEventListener('abort', passOn, { once: true });
    try {
      work({ signal: controller.signal, abort }).then((result) => {
        stopListening();
        resolve(result);
      }, fail);
    } catch (error) {
      fail(error);
    }
  });

/** What `work` comes to, or the signal's reason as soon as it aborts. For work that may not listen to its signal. */
export const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
