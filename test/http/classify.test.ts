import { expect, test } from 'vitest';
import { classifyByStatus } from '../../src/http/dialect.ts';

test.each([400, 401, 403, 404, 408, 409, 410, 422, 425, 451, 499])('%i is the client’s fault', (status) => {
  expect(classifyByStatus(status, '')).toBe('client');
});

test('429 is a limit', () => {
  expect(classifyByStatus(429, '')).toBe('limited');
});

test.each([500, 501, 502, 503, 504, 507, 529, 599, 600, 999])('%i may pass', (status) => {
  expect(classifyByStatus(status, '')).toBe('transient');
});
