import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliPage, writeCliPage } from '../../scripts/cli-page.ts';

test('the page of the command line says what its help says: npm run docs:cli writes it', () => {
  expect(readFileSync(cliPage, 'utf8')).toBe(writeCliPage());
});
