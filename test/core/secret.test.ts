import { expect, test, vi } from 'vitest';
import { InvalidArgumentError } from '../../src/core/errors.ts';
import { fromEnv, readSecret, readSecrets } from '../../src/core/secret.ts';

test('reads the variable each time, so that a changed one is used', () => {
  const read = fromEnv('CRM_TOKEN');
  vi.stubEnv('CRM_TOKEN', 'old');
  expect(read()).toBe('old');
  vi.stubEnv('CRM_TOKEN', 'new');
  expect(read()).toBe('new');
});

test.each([undefined, ''])('throws an error naming a variable that is %j', (value) => {
  vi.stubEnv('CRM_TOKEN', value);

  expect(fromEnv('CRM_TOKEN')).toThrow(
    new InvalidArgumentError(
      'CRM_TOKEN',
      'must be set in the environment, such as with node --env-file=.env: it is missing or empty',
    ),
  );
});

const gone = () => {
  throw new Error('there is no such secret');
};

test('reads several, and leaves out an older one that is gone', async () => {
  const several = ({ tenant = '' }) => [`${tenant}-1`, `${tenant}-2`];

  expect(await readSecrets('secrets', [several, gone, async () => 'old'], { tenant: 'acme' })).toEqual([
    'acme-1',
    'acme-2',
    'old',
  ]);
  await expect(readSecrets('secrets', [gone, () => 'old'])).rejects.toThrow('there is no such secret');
  await expect(readSecrets('secrets', [() => ['new', '']])).rejects.toThrow('secrets gave no secret');
  await expect(readSecrets('key', () => process.env['MISSING_VARIABLE'] ?? '')).rejects.toThrow(
    "key gave no secret. Its function must return a text that is not empty. fromEnv('API_TOKEN') names a variable that is missing",
  );
});

test('reads the newest alone where only that is used, so that the one before may be gone', async () => {
  await expect(readSecret('clientSecret', () => [], {})).rejects.toThrow('clientSecret gave no secret');
  expect(await readSecret('clientSecret', [() => 'newest', gone], {})).toBe('newest');
});
