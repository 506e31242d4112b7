import { expect, test } from 'vitest';
import { callerNumber, createIntegration } from '../../src/index.ts';
import { apiKey } from '../../src/auth/index.ts';

test.each([
  'anonymous',
  'Restricted',
  '',
  '266696687',
  '+266696687',
  '+86282452253',
  'sip:ada@example.com',
  '+1',
  undefined,
])('%j is no number of a caller', (said) => {
  expect(callerNumber(said)).toBeUndefined();
});

test('a number stays as it is', () => {
  expect(callerNumber('+14155550100')).toBe('+14155550100');
});

test('a phone call starts for a caller without a number, in the words of a telephone platform', async () => {
  await using integration = createIntegration({
    billing: {
      baseUrl: 'https://billing.example.com',
      authenticate: apiKey('X-Api-Key', () => 'key'),
      version: 'in-base-url',
      maximumPayment: 5,
    },
  });
  const { caller, direction } = integration.startPhoneCall({
    callId: 'CA1',
    direction: 'outbound',
    phone: callerNumber('anonymous'),
  });

  expect({ caller, direction }).toMatchObject({ caller: { phone: undefined, verified: 'no' }, direction: 'Outbound' });
});
