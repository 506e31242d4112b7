import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commands } from '../../src/dev/cli/commands.ts';
import { cliPage, writeCliPage } from '../../scripts/cli-page.ts';

test('the page of the command line says what its help says: npm run docs:cli writes it', () => {
  expect(readFileSync(cliPage, 'utf8')).toBe(writeCliPage());
});

test('each command has one task', () => {
  const headings = [...writeCliPage().matchAll(/^### (.+)$/gm)].map(([, name = '']) => name);

  expect(headings.toSorted()).toEqual(commands.map(({ name }) => name).toSorted());
});
