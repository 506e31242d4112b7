/** The part of a report that is read here: https://github.com/stryker-mutator/mutation-testing-elements */
export interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

interface Mutant {
  readonly status: string;
  /** Why it counts as killed: what the failed test said. */
  readonly statusReason?: string;
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

/** How many mutants ended how. Those that were left out, by rule or by the sample, are in none of the numbers. */
export interface Score {
  readonly mutants: number;
  readonly killed: number;
  readonly timedOut: number;
  readonly survived: number;
  readonly noCoverage: number;
  /**
   * The killed share in percent. A time-out is not in it: an endless mutant and a busy machine look alike.
   * Not a number for nothing.
   */
  readonly percent: number;
}

/** The score of some mutants, for example those of one file. */
export const scoreOf = (mutants: readonly Mutant[]): Score => {
  const count = (end: End) => mutants.filter((mutant) => endOf(mutant) === end).length;
  const [killed, timedOut] = [count('killed'), count('timed out')];
  const [survived, noCoverage] = [count('survived'), count('no coverage')];
  const percent = (100 * killed) / (killed + survived + noCoverage);
  return { mutants: killed + timedOut + survived + noCoverage, killed, timedOut, survived, noCoverage, percent };
};

type End = 'killed' | 'timed out' | 'survived' | 'no coverage' | 'left out';

const endOf = ({ status, statusReason = '' }: Mutant): End => {
  switch (status) {
    case 'Killed':
      // To Stryker a test that was given up is a failed test.
      return statusReason.startsWith('Test timed out') ? 'timed out' : 'killed';
    // An error outside of a test, such as a rejection that nothing handles, fails the run as well.
    case 'RuntimeError':
      return 'killed';
    case 'Timeout':
      return 'timed out';
    case 'Survived':
      return 'survived';
    case 'NoCoverage':
      return 'no coverage';
    default:
      return 'left out';
  }
};

/** Two or three lines a mutant that no test noticed: where it is, the original and the replacement. */
export const survivorsIn = ({ files }: Report): readonly string[] =>
  Object.entries(files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split('\n');
    return mutants
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .map(({ status, mutatorName, replacement = '', location: { start, end } }) => {
        const original = textBetween(lines, start, end);
        return `${file}:${start.line}:${start.column} ${status} ${mutatorName}\n  - ${short(original)}\n  + ${short(replacement)}`;
      });
  });

const textBetween = (lines: readonly string[], start: Position, end: Position): string =>
  lines
    .slice(start.line - 1, end.line)
    .map((line, index, { length }) =>
      line.slice(index === 0 ? start.column - 1 : 0, index === length - 1 ? end.column - 1 : undefined),
    )
    .join(' ');

const short = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 110 ? `${line.slice(0, 107)}...` : line;
};
