import type { ToolResult } from './result.ts';

/** What one phone call has asked for so far, so that the same tool call is not run twice. */
export interface RepeatedCalls {
  /**
   * Runs `work`, unless the same is in flight or done under this id: then its result is given. `conflict`: something
   * else is in flight under this id. An `undefined` id is never the same.
   */
  run(
    id: string | undefined,
    fingerprintOf: () => string,
    work: () => Promise<ToolResult>,
  ): Promise<ToolResult | 'conflict'>;
}

export const createRepeatedCalls = ({ maximum = 100 }: { readonly maximum?: number } = {}): RepeatedCalls => {
  const inFlight = new Map<string, { readonly fingerprint: string; readonly result: Promise<ToolResult> }>();
  const done = new Map<string, ToolResult>();

  const keep = (key: string, result: ToolResult) => {
    done.set(key, result);
    const [oldest] = done.keys();
    if (done.size > maximum && oldest !== undefined) done.delete(oldest);
  };

  const runOnce = async (id: string, fingerprint: string, work: () => Promise<ToolResult>) => {
    const running = inFlight.get(id);
    if (running && running.fingerprint !== fingerprint) return 'conflict';
    const before = running ? await running.result : done.get(`${id} ${fingerprint}`);
    if (before) return { ...before, replayed: true };
    const result = work();
    inFlight.set(id, { fingerprint, result });
    try {
      const end = await result;
      // Whatever failed may be tried again.
      if (end.status === 'done') keep(`${id} ${fingerprint}`, end);
      return end;
    } finally {
      inFlight.delete(id);
    }
  };

  return {
    run: (id, fingerprintOf, work) => (id === undefined ? work() : runOnce(id, fingerprintOf(), work)),
  };
};
