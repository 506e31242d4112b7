/** A warning of a store during the work, which is not printed then; each once. */
interface ReceivedWarning {
  readonly code: string;
  readonly message: string;
}

/** Runs the work and collects what stores report about their servers' settings as Node warnings. */
export const collectStoreWarnings = async <T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly warnings: readonly ReceivedWarning[] }> => {
  const received = new Map<string, ReceivedWarning>();
  // One of them is Node's own, which prints.
  const others = process.listeners('warning');
  const onWarning = (warning: Error & { readonly code?: string }) => {
    const { name, code = '', message } = warning;
    if (name === 'VoiceAgentStoreWarning') received.set(code, { code, message });
    else for (const other of others) other(warning);
  };
  process.removeAllListeners('warning');
  process.on('warning', onWarning);
  try {
    const result = await work();
    // A store asks for the settings at the same time as its first answer.
    await new Promise((resolve) => setImmediate(resolve));
    return { result, warnings: [...received.values()] };
  } finally {
    process.off('warning', onWarning);
    for (const other of others) process.on('warning', other);
  }
};
