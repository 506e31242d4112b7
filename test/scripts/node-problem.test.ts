import { expect, test } from 'vitest';
import { nodeProblem } from '../../scripts/node-problem.js';

test('a Node that runs TypeScript is fine', () => {
  expect(['22.18.0', '23.6.1', '24.21.0', '26.0.0'].map(nodeProblem)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test.each(['18.20.8', '20.20.2', '22.13.0', '22.17.1'])('Node %s gets one line that says what to do', (version) => {
  const problem = nodeProblem(version);

  expect(problem).toContain(`runs on ${version}`);
  expect(problem).toContain('npm rebuild node');
  expect(problem).not.toContain('\n');
});
