import { expect, test } from 'vitest';
import { readFault } from '../../../../src/dev/cli/sandbox/read-faults.ts';

test.each([
  ['billing=503', [{ status: 503 }]],
  ['billing=429:2', [{ status: 429, retryAfter: 2 }]],
  ['billing=503x2,drop,ok', [{ status: 503, times: 2 }, { executeThenDrop: true }, 'ok']],
  ['billing=okx3,reset', [{ latencyMs: 0, times: 3 }, { reset: 'before-headers' }]],
  ['billing=slow:800xall', [{ latencyMs: 800, times: Number.POSITIVE_INFINITY }]],
  [
    'billing=reset-after,stall,stall-body,truncate',
    [{ reset: 'after-headers' }, { stall: 'headers' }, { stall: 'body' }, { truncate: true }],
  ],
])('%s', (text, faults) => {
  expect(readFault(text)).toEqual({ target: 'billing', faults });
});

test.each(['billing=', 'billing=99', 'billing=700', 'billing=503,,ok'])('%s is refused', (text) => {
  expect(() => readFault(text)).toThrow(/cannot be read|there is no fault/);
});
