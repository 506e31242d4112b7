/** Failures that a test causes on purpose don't fill the output. A test that is about the warnings replaces this. */
const { emitWarning } = process;

process.emitWarning = (message: string | Error, ...rest: readonly unknown[]) => {
  const [about] = rest;
  const { type }: { readonly type?: unknown } = Object(about);
  if (type !== 'VoiceAgentWarning') Reflect.apply(emitWarning, process, [message, ...rest]);
};
