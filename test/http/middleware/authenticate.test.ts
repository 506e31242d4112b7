import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { authenticate } from '../../../src/http/middleware/authenticate.ts';
import type { HttpRequest } from '../../../src/http/request.ts';
import { answer } from '../../support/answer.ts';
import { aRequest } from '../../support/request.ts';

const run = async (readToken: () => string | Promise<string>, request: HttpRequest = aRequest()) => {
  const seen: HttpRequest[] = [];
  const end = authenticate(bearer(readToken))(request, async (inner) => {
    seen.push(inner);
    return answer();
  });
  return end.then(
    () => ({ seen, error: undefined }),
    (error: unknown) => ({ seen, error }),
  );
};

test('each attempt is signed with the credential of that moment', async () => {
  const request = aRequest({ headers: { accept: 'application/json' } });
  const { seen } = await run(() => 'token-1', request);
  expect(seen[0]?.headers).toEqual({ accept: 'application/json', authorization: 'Bearer token-1' });
  expect(request.progress.credential?.secrets).toEqual(['token-1']);
});

test('a source that fails is an authentication error, which shows nothing of what the source said', async () => {
  const { seen, error } = await run(() => {
    throw Object.assign(new TypeError('vault refused s3cret'), { code: 'EVAULT' });
  });
  expect(error).toMatchObject({
    code: 'authentication_failed',
    outcome: 'not_sent',
    cause: { message: 'TypeError (EVAULT)' },
    original: { message: 'vault refused s3cret' },
  });
  expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toContain('s3cret');
  expect(seen).toEqual([]);
});

test('a secret that no header can carry is not sent', async () => {
  const { seen, error } = await run(() => 'token\r\nx-admin: 1');
  expect(error).toMatchObject({ code: 'authentication_failed', outcome: 'not_sent' });
  expect(seen).toEqual([]);
});
