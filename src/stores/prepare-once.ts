/** Returns a function that prepares at its first call only. After a failure the next call prepares again. */
export const prepareOnce = <T>(prepare: () => Promise<T>): (() => Promise<T>) => {
  let prepared: Promise<T> | undefined;
  return () =>
    (prepared ??= prepare().catch((error: unknown) => {
      prepared = undefined;
      throw error;
    }));
};
