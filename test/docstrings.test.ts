import { beforeAll, expect, test } from 'vitest';
import { checkSnippets } from './support/check-snippets.ts';
import { type DocumentedExport, documentedExports, exampleModule } from './support/docstrings.ts';

let exported: readonly DocumentedExport[];
beforeAll(() => {
  exported = documentedExports();
});

const nameOf = ({ specifier, name }: DocumentedExport) => `${name} of ${specifier}`;

test('everything that the package exports says what it is for', () => {
  expect(exported.length).toBeGreaterThan(100);
  expect(exported.filter(({ description }) => description === '').map(nameOf)).toEqual([]);
});

test('whatever can be called or given shows how', () => {
  expect(exported.filter(({ isValue, examples }) => isValue && examples.length === 0).map(nameOf)).toEqual([]);
});

test('the examples compile', async () => {
  const examples = exported.flatMap((each) =>
    each.examples.map((code) => ({ page: nameOf(each), line: 0, code: exampleModule(each, code, exported) })),
  );

  const problems = (await checkSnippets(examples)).filter((problem) => !isOfTheSurroundings(problem));
  expect(problems).toEqual([]);
});

/** An example is a few lines out of an application, whose packages and types are not here. */
const isOfTheSurroundings = (problem: string): boolean =>
  / Cannot find module '(?!voice-agent-integrations)/.test(problem) ||
  problem.endsWith(" implicitly has an 'any' type.");
