import { expect, test } from 'vitest';
import { InvalidArgumentError } from '../../../src/core/errors.ts';
import { intercom, type IntercomOptions } from '../../../src/messaging/intercom/index.ts';

test.each([
  [undefined, 'https://api.intercom.io'],
  ['eu', 'https://api.eu.intercom.io'],
] as const)('a workspace in the region %s is reached at %s', (region, baseUrl) => {
  const { dialect: _dialect, ...preset } = intercom(region && { region });
  expect(preset).toEqual({
    baseUrl,
    platform: 'Intercom',
    version: '2.16',
    idempotency: 'none',
    rateLimit: { limit: 166, perMs: 10_000 },
  });
});

test.each([
  [6, 1],
  [10_000, 1_666],
])('%i requests per minute are %i in any 10 seconds', (requestsPerMinute, limit) => {
  expect(intercom({ requestsPerMinute }).rateLimit).toEqual({ limit, perMs: 10_000 });
});

test('any version can be pinned', () => {
  expect(intercom({ version: 'Preview' }).version).toBe('Preview');
});

test.each([
  ['region', { region: 'mars' }],
  ['region', { region: 'toString' }],
  ['requestsPerMinute', { requestsPerMinute: 5 }],
])('a wrong %s is refused', (field, options) => {
  const refused = () => intercom(options as IntercomOptions);
  expect(refused).toThrow(expect.objectContaining({ field }));
  expect(refused).toThrow(expect.any(InvalidArgumentError));
});
