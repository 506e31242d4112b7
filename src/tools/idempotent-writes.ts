import type { ToolResult } from './result.ts';

/** What idempotent writes gave, so that the same work is done once in a phone call. */
export interface IdempotentWrites {
  /** Runs `work`, or gives the result of the same key if that is in flight or done. What failed runs again. */
  run(key: string, work: () => Promise<ToolResult>): Promise<ToolResult>;
}

export const createIdempotentWrites = ({ maximum = 100 }: { readonly maximum?: number } = {}): IdempotentWrites => {
  const results = new Map<string, Promise<ToolResult>>();

  return {
    run: async (key, work) => {
      const before = results.get(key);
      if (before) return { ...(await before), replayed: true };
      const result = work();
      results.set(key, result);
      const [oldest] = results.keys();
      if (results.size > maximum && oldest !== undefined) results.delete(oldest);
      const isDone = await result.then(
        ({ status }) => status === 'done',
        () => false,
      );
      if (!isDone && results.get(key) === result) results.delete(key);
      return result;
    },
  };
};
