/**
 * What is remembered of each phone call, made on first use. When there are too many, the one that was used longest ago
 * is forgotten.
 */
export const createPhoneCallMemory = <Memory>(
  start: () => Memory,
  { maximumCalls = 1_000 }: { readonly maximumCalls?: number } = {},
): ((call: { readonly tenant: string | undefined; readonly callId: string }) => Memory) => {
  const memories = new Map<string, Memory>();
  let newest: { readonly key: string; readonly memory: Memory } | undefined;
  return ({ tenant, callId }) => {
    const key = tenant === undefined ? ` ${callId}` : `${JSON.stringify(tenant)} ${callId}`;
    if (newest?.key === key) return newest.memory;
    const memory = memories.get(key) ?? start();
    memories.delete(key);
    memories.set(key, memory);
    newest = { key, memory };
    const [oldest] = memories.keys();
    if (memories.size > maximumCalls && oldest !== undefined) memories.delete(oldest);
    return memory;
  };
};
