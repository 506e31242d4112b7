import { expect, test } from 'vitest';
import { classifyByStatus } from '../../src/http/dialect.ts';

test.each([400, 499])('%i is the client’s fault', (status) => {
  expect(classifyByStatus(status)).toBe('client');
});

test('429 is a limit', () => {
  expect(classifyByStatus(429)).toBe('limited');
});

test.each([500, 999])('%i may pass', (status) => {
  expect(classifyByStatus(status)).toBe('transient');
});
