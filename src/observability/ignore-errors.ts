/** Runs a hook of the application; whatever it throws, now or later, changes nothing. */
export const ignoreErrors = (hook: () => unknown): void => {
  try {
    const result = hook();
    if (result instanceof Promise) result.catch(() => {});
  } catch {}
};
