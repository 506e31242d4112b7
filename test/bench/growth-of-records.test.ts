import { expect, test } from 'vitest';
import { everything } from '../../bench/growth-of-records.ts';

const all = everything();

test('the bench has a line for each client method, step and tool', () => {
  const names = all.map(({ name }) => name);

  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining(['billing.invoices.listOpen', 'phoneCall.finish', 'create_payment']));
});

test.each(all)('the bench calls $name, and it ends well', async ({ at }) => {
  await expect(at(10)()).resolves.not.toThrow();
});
