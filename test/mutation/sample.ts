import { createHash } from 'node:crypto';
import { env } from 'node:process';

interface Mutant {
  readonly id: string;
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement: string;
  readonly location: unknown;
}

/** A number from 0 to 1 that depends on the mutant and the seed alone, so that a sample can be drawn again. */
const drawFor = ({ fileName, mutatorName, replacement, location }: Mutant, seed: string): number => {
  const file = fileName.slice(fileName.lastIndexOf('/src/'));
  const hash = createHash('sha256').update(JSON.stringify([seed, file, mutatorName, replacement, location]));
  return hash.digest().readUInt32BE() / 2 ** 32;
};

const share = Number(env['MUTATION_SHARE'] ?? 1);
const seed = env['MUTATION_SEED'] ?? '1';

const check = (mutants: readonly Mutant[]) =>
  Promise.resolve(
    Object.fromEntries(
      mutants.map((mutant) => [
        mutant.id,
        // Stryker has no word for a mutant that was not drawn; one that does not compile counts nowhere either.
        drawFor(mutant, seed) < share ? { status: 'passed' } : { status: 'compileError', reason: 'not in the sample' },
      ]),
    ),
  );

/** A plugin of Stryker that leaves out the mutants that are not in the sample. */
export const strykerPlugins = [
  { kind: 'Checker', name: 'sample', factory: () => ({ init: () => Promise.resolve(), check }) },
];
