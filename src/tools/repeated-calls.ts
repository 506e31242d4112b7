import type { ToolResult } from './context.ts';
import type { ToolEffect } from './tool.ts';

/** A tool call, as far as it can come twice. */
export interface RepeatableCall {
  /** The provider's id. Some providers repeat their ids within a phone call; none, or an empty one, is never the same. */
  readonly id: string | undefined;
  /** The tool and its arguments. */
  readonly fingerprint: () => string;
  readonly effect: ToolEffect;
}

/** Keeps a tool call that is delivered twice from running twice. */
export interface RepeatedCalls {
  /**
   * Runs `work`, or gives the result of the same call while that is in flight. A write that was just done is answered
   * with its result for a minute, or until another write is done. After that the caller wants it again. Reads run
   * again, and payments have a guard of their own. `conflict`: another write or payment is in flight under this id.
   */
  run(call: RepeatableCall, work: () => Promise<ToolResult>): Promise<ToolResult | 'conflict'>;
}

export const createRepeatedCalls = (): RepeatedCalls => {
  const inFlight = new Map<string, { readonly fingerprint: string; readonly result: Promise<ToolResult> }>();
  const writes = new Map<string, { readonly result: ToolResult; readonly order: number; readonly endedAt: number }>();
  let order = 0;

  /** Runs it, and forgets the writes that were over before it began. */
  const runNew = async (effect: ToolEffect, work: () => Promise<ToolResult>): Promise<ToolResult> => {
    if (effect === 'read') return work();
    order += 1;
    const begin = order;
    const result = await work();
    const mayHaveWritten = result.status === 'unknown' || (result.status === 'done' && !result.replayed);
    if (mayHaveWritten) {
      for (const [key, write] of writes) if (write.order < begin) writes.delete(key);
    }
    return result;
  };

  const doneWrite = (key: string): ToolResult | undefined => {
    const write = writes.get(key);
    return write && performance.now() - write.endedAt < rememberedMs ? write.result : undefined;
  };

  const runOnce = async (
    id: string,
    { fingerprint: read, effect }: RepeatableCall,
    work: () => Promise<ToolResult>,
  ) => {
    const fingerprint = read();
    const key = `${id} ${fingerprint}`;
    // Some adapters give every look-up the tool's name as its id.
    const slot = effect === 'read' ? `read ${key}` : id;
    const running = inFlight.get(slot);
    if (running && running.fingerprint !== fingerprint) return 'conflict';
    const before = running ? await running.result : doneWrite(key);
    if (before) return { ...before, replayed: true };
    const result = runNew(effect, work);
    inFlight.set(slot, { fingerprint, result });
    try {
      const end = await result;
      order += 1;
      if (effect === 'write' && end.status === 'done')
        writes.set(key, { result: end, order, endedAt: performance.now() });
      return end;
    } finally {
      inFlight.delete(slot);
    }
  };

  return {
    run: async (call, work) => (call.id ? runOnce(call.id, call, work) : runNew(call.effect, work)),
  };
};

/** A platform sends a request again within seconds. */
const rememberedMs = 60_000;
