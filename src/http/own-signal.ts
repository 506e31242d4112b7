/**
 * Runs `work` under a controller of its own. When it or `outer` aborts, the result rejects at once with the signal's
 * reason, even if the work does not listen; what the work does afterwards is ignored.
 * No listener stays behind on `outer`, which may live as long as a phone call.
 */
export const withOwnSignal = async <T>(
  outer: AbortSignal,
  work: (controller: AbortController) => Promise<T>,
): Promise<T> => {
  outer.throwIfAborted();
  const controller = new AbortController();
  const passOn = () => controller.abort(outer.reason);
  outer.addEventListener('abort', passOn, { once: true });
  try {
    return await new Promise<T>((resolve, reject) => {
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
      work(controller).then(resolve, reject);
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
