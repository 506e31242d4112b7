/** Without the fields that are `undefined`, which would hide a default. */
export const withoutUndefined = <T extends object>(options: T): T =>
  // Nothing else is left out.
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
