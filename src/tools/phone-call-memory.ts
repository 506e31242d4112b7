/**
 * What is remembered of each phone call, made on first use. When there are too many, the one that was used longest ago
 * is forgotten.
 */
export const createPhoneCallMemory = <Memory>(
  start: () => Memory,
  { maximumCalls = 1_000 }: { readonly maximumCalls?: number } = {},
): ((call: { readonly tenant: string | undefined; readonly callId: string }) => Memory) => {
  const memories = new Map<string, Memory>();
  return ({ tenant, callId }) => {
    const key = JSON.stringify([tenant ?? null, callId]);
    const memory = memories.get(key) ?? start();
    memories.delete(key);
    memories.set(key, memory);
    const [oldest] = memories.keys();
    if (memories.size > maximumCalls && oldest !== undefined) memories.delete(oldest);
    return memory;
  };
};
