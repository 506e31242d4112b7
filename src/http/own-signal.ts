/** A signal of one's own, and the way to abort it. */
export interface OwnSignal {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
}

/**
 * Whoever goes by a signal of ours is told directly: adding a listener to a signal and taking it away again costs more
 * than a whole layer, and a request has several signals within each other.
 */
const followers = Symbol('followers');

interface FollowedSignal extends AbortSignal {
  [followers]?: (() => void)[];
}

export const createOwnSignal = (): OwnSignal => {
  const controller = new AbortController();
  const signal: FollowedSignal = controller.signal;
  const told: (() => void)[] = [];
  signal[followers] = told;
  const abort = (reason: unknown) => {
    controller.abort(reason);
    for (const tell of told.splice(0)) tell();
  };
  return { signal, abort };
};

/** Calls `onAbort` once when the signal aborts, until {@link unfollow}. For any signal; cheap for one of ours. */
export const follow = (signal: FollowedSignal, onAbort: () => void): void => {
  if (signal === neverAborts) return;
  const told = signal[followers];
  if (told) told.push(onAbort);
  else signal.addEventListener('abort', onAbort, { once: true });
};

export const unfollow = (signal: FollowedSignal, onAbort: () => void): void => {
  if (signal === neverAborts) return;
  const told = signal[followers];
  if (!told) return signal.removeEventListener('abort', onAbort);
  const place = told.lastIndexOf(onAbort);
  if (place >= 0) told.splice(place, 1);
};

/** The signal of a call that nobody can abort. One for all, so that nothing may be attached to it: it would stay there. */
export const neverAborts: AbortSignal = /* @__PURE__ */ new AbortController().signal;

/**
 * Runs `work` under a signal of its own. When it or `outer` aborts, the result rejects at once with the signal's
 * reason, even if the work does not listen; what the work does afterwards is ignored.
 * No listener stays behind on `outer`, which may live as long as a phone call.
 * `ended` is called when the result is there, and once more if the work ends after an abort.
 */
export const withOwnSignal = <T>(
  outer: AbortSignal,
  work: (own: OwnSignal) => Promise<T>,
  ended: () => void = nothing,
): Promise<T> =>
  new Promise((resolve, reject) => {
    if (outer.aborted) return reject(outer.reason);
    const own = createOwnSignal();
    const end = () => {
      unfollow(outer, passOn);
      ended();
    };
    const fail = (error: unknown) => {
      end();
      reject(error);
    };
    const abort = (reason: unknown) => {
      own.abort(reason);
      fail(own.signal.reason);
    };
    const passOn = () => abort(outer.reason);
    follow(outer, passOn);
    try {
      work({ signal: own.signal, abort }).then((result) => {
        end();
        resolve(result);
      }, fail);
    } catch (error) {
      fail(error);
    }
  });

const nothing = () => {};

/** What `work` comes to, or the signal's reason as soon as it aborts. For work that may not listen to its signal. */
export const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const onAbort = () => reject(signal.reason);
    follow(signal, onAbort);
    work.then(resolve, reject).finally(() => unfollow(signal, onAbort));
  });
