import { expect, test } from 'vitest';
import { createUsageLedger } from '../../src/http/middleware/usage.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

test('an API that says its budget is used up is sent nothing for so long, and the longest word counts', async () => {
  const clock = createVirtualClock();
  const ledger = createUsageLedger();
  expect(ledger.heldBackForMs()).toBe(0);

  ledger.holdBack(2_000);
  ledger.holdBack(500);
  expect(ledger.heldBackForMs()).toBe(2_000);
  await clock.advance(1_999);
  expect(ledger.heldBackForMs()).toBe(1);
  await clock.advance(1);
  expect(ledger.heldBackForMs()).toBe(0);
  await clock.advance(10_000);
  expect(ledger.heldBackForMs()).toBe(0);
  ledger.holdBack(700.5);
  expect(ledger.heldBackForMs()).toBe(701);
});

test('what an API says of its budget is kept, the latest alone, and stops no request', () => {
  const ledger = createUsageLedger();
  expect(ledger.last()).toBeUndefined();

  ledger.record({ used: 1, limit: 10 });
  ledger.record({ used: 11, limit: 10 });

  expect([ledger.last(), ledger.heldBackForMs()]).toEqual([{ used: 11, limit: 10 }, 0]);
});
