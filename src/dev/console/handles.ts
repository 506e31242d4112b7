import { createHash, randomBytes } from 'node:crypto';

/** Names for ids: an id may be made of a phone number, and is then not served as it is. */
export interface Handles {
  of(id: string): string;
  find(handle: string): string | undefined;
}

/** Remembers the last ids that were named. */
export const createHandles = (): Handles => {
  const salt = randomBytes(16);
  const ids = new Map<string, string>();
  return {
    of: (id) => {
      const handle = createHash('sha256').update(salt).update(id).digest('hex').slice(0, 32);
      ids.delete(handle);
      ids.set(handle, id);
      const [oldest] = ids.keys();
      if (ids.size > maximumHandles && oldest !== undefined) ids.delete(oldest);
      return handle;
    },
    find: (handle) => ids.get(handle),
  };
};

const maximumHandles = 1_000;
