import { StoreError } from '../../core/errors.ts';

/** A store or queue that knows by itself, without asking anyone, that it can't work. */
export interface UsableOrNot {
  /** Throws `StoreError` where nothing could be kept, such as in a folder that isn't there. Sends nothing. */
  assertUsable?(): void;
}

/** Throws `StoreError` with the `name` of a store or queue that can't be used. */
export const assertUsable = (name: string, part: UsableOrNot | undefined): void => {
  try {
    part?.assertUsable?.();
  } catch (cause) {
    const { message }: { readonly message?: unknown } = Object(cause);
    throw new StoreError(`${name} can't be used: ${String(message)}`, { cause });
  }
};
