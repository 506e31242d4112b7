import { InvalidArgumentError } from './errors.ts';

/** The oldest Node that this package runs on, as `engines` of package.json says. */
const oldest = [22, 13] as const;

/** The part of a runtime's globals that is read. */
export interface Runtime {
  readonly process?: {
    readonly release?: { readonly name?: string };
    readonly versions?: { readonly node?: string };
  };
}

/**
 * Returns a sentence about a Node that is too old; `undefined` for a newer one. Other runtimes, which report a version of
 * Node for compatibility, are never too old.
 */
export const nodeProblem = (runtime: Runtime = globalThis): string | undefined => {
  if (notNode.some((name) => name in runtime) || runtime.process?.release?.name !== 'node') return undefined;
  const version = runtime.process.versions?.node ?? '';
  const [major = NaN, minor = NaN] = version.split('.').map(Number);
  if (Number.isNaN(minor) || major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return undefined;
  return `voice-agent-integrations needs Node ${oldest.join('.')} or newer, and this is Node ${version}`;
};

/** The globals that Bun, Deno, Workers and edge functions have, and Node doesn't. */
const notNode = ['Bun', 'Deno', 'WebSocketPair', 'EdgeRuntime'];

/** Throws `InvalidArgumentError` where {@link nodeProblem} has one. */
export const assertNode = (runtime?: Runtime): void => {
  const message = nodeProblem(runtime);
  if (message !== undefined)
    throw new InvalidArgumentError('node', `must be ${oldest.join('.')} or newer`, { message });
};
