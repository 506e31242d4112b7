import { expect, test } from 'vitest';
import { apiKey, bearer } from '../../src/auth/index.ts';
import { deadlineIn } from '../../src/http/deadline.ts';

const context = { operation: 'x', deadline: deadlineIn(1000), signal: new AbortController().signal };

test('a bearer token goes into Authorization, an API key into the header of its name', async () => {
  expect(await bearer(() => 'secret-1').read(context)).toEqual({
    headers: { authorization: 'Bearer secret-1' },
    secrets: ['secret-1'],
    variables: [],
  });
  expect(await apiKey('X-Api-Key', async () => 'secret-2').read(context)).toEqual({
    headers: { 'x-api-key': 'secret-2' },
    secrets: ['secret-2'],
    variables: [],
  });
});

test('a secret written in code is refused without repeating it', () => {
  // @ts-expect-error a literal is what a JavaScript caller might pass
  expect(() => bearer('secret-1')).toThrow(/^token must be a function that reads the secret/);
  // @ts-expect-error the same
  expect(() => apiKey('X-Api-Key', 'secret-1')).toThrow(/^key must be a function that reads the secret/);
  expect(() => apiKey('X Api\r\n', () => 'secret')).toThrow('header must be a header name');
});

test('a source that gives nothing says so', async () => {
  await expect(bearer(() => '').read(context)).rejects.toThrow('token gave no secret');
  // @ts-expect-error an unset environment variable
  await expect(bearer(() => undefined).read(context)).rejects.toThrow('token gave no secret');
});

test('after a rejection the source is asked again, and only another secret counts', async () => {
  let secret = 'old';
  const credential = bearer(() => secret);
  const rejected = await credential.read(context);
  expect(await credential.renew(rejected, context)).toBeUndefined();
  secret = 'new';
  expect(await credential.renew(rejected, context)).toEqual({
    headers: { authorization: 'Bearer new' },
    secrets: ['new'],
    variables: [],
  });
});

test('of a list the newest is used, and after a 401 the next one, until that is refused too', async () => {
  const credential = apiKey('X-Api-Key', [() => 'new', async () => 'old']);
  const first = await credential.read(context);
  const second = await credential.renew(first, context);

  expect([first.secrets, second?.secrets]).toEqual([['new'], ['old']]);
  expect((await credential.read(context)).secrets).toEqual(['old']);
  expect((await credential.renew(await credential.read(context), context))?.secrets).toEqual(['new']);
  expect(() => bearer([])).toThrow(/^token must be a function/);
});

test('concurrent rejections ask the source once', async () => {
  let reads = 0;
  const credential = bearer(async () => `token-${++reads}`);
  const rejected = await credential.read(context);
  const renewed = await Promise.all([1, 2, 3].map(() => credential.renew(rejected, context)));
  expect(renewed.map((issued) => issued?.secrets)).toEqual([['token-2'], ['token-2'], ['token-2']]);
  expect(reads).toBe(2);
});
