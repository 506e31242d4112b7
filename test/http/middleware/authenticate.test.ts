import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { apiKey, bearer } from '../../../src/auth/index.ts';
import type { Credential } from '../../../src/http/credential.ts';
import { authenticate } from '../../../src/http/middleware/authenticate.ts';
import type { HttpRequest } from '../../../src/http/request.ts';
import type { EventInput } from '../../../src/observability/events.ts';
import { recordTo } from '../../support/record-to.ts';
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

describe('the audit', () => {
  const audited = (credential: Credential) => {
    const told: EventInput[] = [];
    const layer = authenticate(credential, { tenant: 'acct_1', emitter: recordTo(told) });
    return { told, send: (request: HttpRequest) => layer(request, async () => answer()) };
  };
  const onCall = (attempt: number) => aRequest({ attempt, callId: 'CA1' });

  test('gets which credential each attempt used, and whether it changed', async () => {
    const tokens = ['s3cret-1', 's3cret-1', 's3cret-2'];
    const { told, send } = audited(bearer(() => tokens.shift() ?? ''));
    for (const attempt of [1, 2, 3]) await send(onCall(attempt));
    const base = { type: 'credential-used', credential: 'bearer', operation: 'messaging.contacts.get', callId: 'CA1' };
    expect(told).toEqual([
      { ...base, attempt: 1, state: 'first' },
      { ...base, attempt: 2, state: 'same' },
      { ...base, attempt: 3, state: 'renewed' },
    ]);
  });

  test('knows a credential by the id that it was given, and one without as custom', async () => {
    const named = audited(apiKey('X-Api-Key', () => 'k', { id: 'billing-key' }));
    await named.send(onCall(1));
    const custom = audited({ read: async () => ({ headers: {}, secrets: [] }), renew: async () => undefined });
    await custom.send(onCall(1));
    expect([...named.told, ...custom.told]).toMatchObject([{ credential: 'billing-key' }, { credential: 'custom' }]);
  });

  test('gets how a renewal ended, in words that hold no secret', async () => {
    const { told, send } = audited({
      id: 'crm',
      read: async ({ tenant, onRenewal }) => {
        expect(tenant).toBe('acct_1');
        onRenewal?.({ because: 'absent', durationMs: 12, expiresInMs: 60_000 });
        onRenewal?.({ because: 'rejected', durationMs: 7, failure: 'invalid_grant', retryAfterMs: 30_000 });
        return { headers: {}, secrets: [] };
      },
      renew: async () => undefined,
    });
    await send(onCall(1));
    const base = { credential: 'crm', operation: 'messaging.contacts.get', callId: 'CA1' };
    expect(told.slice(0, 2)).toEqual([
      { type: 'credential-renewed', ...base, because: 'absent', durationMs: 12, expiresInMs: 60_000 },
      {
        type: 'credential-renewal-failed',
        ...base,
        because: 'rejected',
        durationMs: 7,
        reason: 'invalid_grant',
        retryAfterMs: 30_000,
      },
    ]);
  });
});
