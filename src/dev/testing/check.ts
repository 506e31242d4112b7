import { closest } from '../../core/closest.ts';
import { InvalidArgumentError } from '../../core/errors.ts';

/** One thing that must be true of an API, a queue or a store of yours. */
export interface Check {
  /** A sentence, to name a test after. */
  readonly name: string;
  /** Rejects when it is not true, with words that say what happened instead. */
  readonly run: () => Promise<void>;
}

/** The names of checks that can't be true of an engine, each with the reason. */
export type LeftOut = Readonly<Record<string, string>>;

/** Returns the others. Throws `InvalidArgumentError` for a name that no check has, and where no reason is given. */
export const leaveOut = (checks: readonly Check[], leftOut: LeftOut = {}): readonly Check[] => {
  const names = checks.map(({ name }) => name);
  for (const [name, reason] of Object.entries(leftOut)) {
    const meant = closest(name, names);
    const hint = meant === undefined ? '' : `: did you mean '${meant}'?`;
    if (!names.includes(name)) throw new InvalidArgumentError('without', `has the name of no check, '${name}'${hint}`);
    if (typeof reason !== 'string' || reason.trim() === '')
      throw new InvalidArgumentError('without', `must say why '${name}' is left out`);
  }
  return checks.filter(({ name }) => leftOut[name] === undefined);
};

/** The work of a check, by its name. */
export type ChecksOf<Under> = Readonly<Record<string, (under: Under) => Promise<void>>>;

const { setTimeout: setRealTimeout } = globalThis;

/** Waits for so long, also in a test whose clock doesn't move. */
export const passReally = (ms: number): Promise<void> => new Promise((resolve) => void setRealTimeout(resolve, ms));
