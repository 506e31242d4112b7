import { type Reader, ShapeError, type StandardSchema } from '../schema.ts';

/** Lets the application's own schema or function read an answer. */
export const readerOf =
  <T>(returns: StandardSchema<T> | ((json: unknown) => T)): Reader<T> =>
  (json) => {
    if (typeof returns === 'function') return returns(json);
    const result = returns['~standard'].validate(json);
    if (result instanceof Promise) throw new ShapeError('returns', 'must not validate asynchronously');
    if (!result.issues) return result.value;
    const path = result.issues[0]?.path?.map((step) =>
      typeof step === 'object' ? (step as { key: unknown }).key : step,
    );
    throw new ShapeError(path?.join('.') ?? '', 'is not what the schema of this request says');
  };
