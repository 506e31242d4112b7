/** Removes the fields that are `undefined`, which would hide a default or be sent. */
export const withoutUndefined = <T extends object>(fields: T): WithoutUndefined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as WithoutUndefined<T>;

/** A field that may be `undefined` is one that may be missing. */
type WithoutUndefined<T> = {
  [Field in keyof T as undefined extends T[Field] ? never : Field]: T[Field];
} & {
  [Field in keyof T as undefined extends T[Field] ? Field : never]?: Exclude<T[Field], undefined>;
};

/** The same fields, each of them given. */
export type Given<T> = { [Field in keyof T]-?: Exclude<T[Field], undefined> };
