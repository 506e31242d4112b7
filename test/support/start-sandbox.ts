import { runCli, type Typed } from './run-cli.ts';

/** A sandbox of the command line in this process. */
export interface RunningSandbox extends AsyncDisposable {
  /** The variables that it prints. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends it like Ctrl-C. */
  readonly end: () => Promise<Typed>;
}

export const startSandbox = async (...words: readonly string[]): Promise<RunningSandbox> => {
  const ctrlC = new AbortController();
  const started = Promise.withResolvers<string>();
  const running = runCli(['sandbox', '--json', ...words], { signal: ctrlC.signal, onPrint: started.resolve });
  const refused = running.then(({ noted }) => Promise.reject(new Error(noted)));
  const printed = await Promise.race([started.promise, refused]);
  refused.catch(() => undefined);
  const end = () => {
    ctrlC.abort();
    return running;
  };
  return {
    // It prints nothing else.
    env: JSON.parse(printed) as Readonly<Record<string, string>>,
    end,
    [Symbol.asyncDispose]: async () => void (await end()),
  };
};
