import { expect, test, vi } from 'vitest';
import { InvalidArgumentError } from '../src/errors.ts';
import { fromEnv, readSecret } from '../src/secret.ts';

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
    new InvalidArgumentError('CRM_TOKEN', 'must be set in the environment: it is missing or empty'),
  );
});

test('reads the newest alone where only that is used, so that the one before may be gone', async () => {
  const gone = () => {
    throw new Error('there is no such secret');
  };
  expect(await readSecret('clientSecret', [() => 'newest', gone], {})).toBe('newest');
});
