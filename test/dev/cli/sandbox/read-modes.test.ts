import { expect, test } from 'vitest';
import { readModes } from '../../../../src/dev/cli/sandbox/read-modes.ts';

test('reads modes of several APIs, also in two steps', () => {
  expect(
    readModes([
      'crm=documented,no-keys',
      'crm=slow:3000',
      'messaging=formatted-phones,bytes',
      'billing=every-invoice,several-customers',
    ]),
  ).toEqual({
    messaging: { phones: 'formatted', bodies: 'bytes' },
    crm: { endpoints: 'documented', idempotency: 'none', latencyMs: 3000 },
    billing: { invoiceFilter: 'ignored', severalCustomers: 'list' },
  });
});

test.each(['crm', 'mail=documented', 'crm=documented=1', 'crm=constructor'])('refuses %s', (text) => {
  expect(() => readModes([text])).toThrow(/cannot be read|there is no mode/);
});
