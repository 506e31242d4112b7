import { expect, test } from 'vitest';
import { scoreOf, survivorsIn } from './score.ts';

const location = { start: { line: 2, column: 10 }, end: { line: 3, column: 4 } };
const mutant = (status: string, statusReason?: string) => ({
  status,
  mutatorName: 'ArithmeticOperator',
  replacement: 'a - b',
  location,
  ...(statusReason === undefined ? {} : { statusReason }),
});

test('the score is the killed share; what timed out, was left out by a rule or not drawn is not in it', () => {
  const mutants = [
    mutant('Killed', 'expected 1 to be 2'),
    mutant('Killed', 'expected 1 to be 2'),
    mutant('RuntimeError', 'An error occurred outside of a test run'),
    mutant('Survived'),
    mutant('NoCoverage'),
    mutant('Timeout'),
    mutant('Ignored'),
    mutant('CompileError'),
  ];

  expect(scoreOf(mutants)).toEqual({ mutants: 6, killed: 3, timedOut: 1, survived: 1, noCoverage: 1, percent: 60 });
});

test('a mutant whose test was given up timed out: it may only have been slow', () => {
  const { killed, timedOut } = scoreOf([mutant('Killed', 'Test timed out in 8000ms.'), mutant('Killed', 'no')]);

  expect({ killed, timedOut }).toEqual({ killed: 1, timedOut: 1 });
});

test('a survivor is shown with its place, the original and the replacement', () => {
  const source = 'const add = (a, b) =>\n  return a +\n  b;\n';

  expect(survivorsIn({ files: { 'src/add.ts': { source, mutants: [mutant('Survived'), mutant('Killed')] } } })).toEqual(
    ['src/add.ts:2:10 Survived ArithmeticOperator\n  - a + b\n  + a - b'],
  );
});
