import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { jitterShare, maximumAttempts, retryDelaysMs } from '../../src/outbox/decide.ts';

const page = readFileSync(new URL('../../docs/outbox.md', import.meta.url), 'utf8');

const inWords = (ms: number) => (ms < 60_000 ? `${ms / 1_000} s` : `${ms / 60_000} min`);

test('the schedule in the documentation is the one in the code', () => {
  const rows = retryDelaysMs.map((ms, index) => `| ${index + 1} | ${inWords(ms)} |`);
  const table = [...rows, `| ${maximumAttempts} | none: it is a dead letter |`].join('\n');

  expect(page).toContain(`| Attempt | Wait before the next |\n|---|---|\n${table}\n`);
  expect(page).toContain(`±${jitterShare * 100} %`);
});
