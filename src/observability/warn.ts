import { ignoreErrors } from './ignore-errors.ts';

/** The kind and the stable word of a warning, for applications that listen to `warning` of their process. */
export interface WarningKind {
  readonly type: string;
  readonly code: string;
}

/** Warns in the platform's own way: Node prints it once, unless the application listens to `warning`. */
export const warn = (message: string, kind: WarningKind): void => {
  // A browser has no `process`, and a worker perhaps half of one.
  const { process, console }: Partial<Pick<typeof globalThis, 'process' | 'console'>> = globalThis;
  ignoreErrors(() =>
    typeof process?.emitWarning === 'function'
      ? process.emitWarning(message, kind)
      : console?.warn(`${kind.type}: ${message}`),
  );
};
