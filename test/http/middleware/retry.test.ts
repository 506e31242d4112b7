import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  AttemptFailedError,
  CircuitOpenError,
  ClientError,
  type IntegrationError,
  type Outcome,
  RateLimitedError,
} from '../../../src/core/errors.ts';
import { attemptLog, type Wait } from '../../../src/http/call-log.ts';
import type { Credential, IssuedCredential } from '../../../src/http/credential.ts';
import { deadlineIn } from '../../../src/http/deadline.ts';
import { createRetryBudget, type RetryOptions, retry } from '../../../src/http/middleware/retry.ts';
import type { HttpRequest, HttpResponse } from '../../../src/http/request.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { answer } from '../../support/answer.ts';
import { aRequest, attempted } from '../../support/request.ts';

const noCredential: Credential = { read: async () => issued('none'), renew: async () => undefined };
const issued = (secret: string): IssuedCredential => ({ headers: {}, secrets: [secret] });

const failure = (
  reason: AttemptFailedError['reason'],
  fields: { outcome?: Outcome; retryAfterMs?: number; status?: number; networkCode?: string } = {},
) => new AttemptFailedError(`failed: ${reason}`, { reason, outcome: 'unknown', ...fields });
const limited = (retryAfterMs: number) => failure('rate_limited', { outcome: 'rejected', retryAfterMs, status: 429 });

type Step = HttpResponse | IntegrationError;

/** The layer over a script: each attempt meets the next step. Keeps the books as the layers below do. */
const setUp = (
  script: readonly Step[],
  overrides: Parameters<typeof aRequest>[0] = {},
  options: Partial<RetryOptions> = {},
  clock = createVirtualClock(),
) => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  onTestFinished(() => void vi.restoreAllMocks());
  const sentAt: number[] = [];
  const seen: HttpRequest[] = [];
  const waits: Wait[] = [];
  const request = aRequest({ deadline: deadlineIn(8000), ...overrides });
  attemptLog(request).signed(issued('first'));
  const layer = retry({
    attempts: 3,
    backoff: { minimumMs: 100, maximumMs: 1000 },
    budget: undefined,
    credential: noCredential,
    tenant: undefined,
    openForMs: () => 0,
    pausedForMs: () => 0,
    ...options,
  });
  const run = () => {
    const end = layer(request, async (inner) => {
      const step = script[seen.length];
      seen.push(inner);
      sentAt.push(performance.now());
      if (!step) throw new Error('the script is over');
      const isRefusal = step instanceof CircuitOpenError || step instanceof RateLimitedError;
      if (!isRefusal) waits.push(...attempted(inner, step instanceof Error ? step : 'ok').waits);
      if (step instanceof Error) throw step;
      return step;
    });
    void clock.advance(8_000);
    return end;
  };
  return { clock, sentAt, seen, waits, request, run };
};

const ok = answer(200, { id: 'c_1' });

describe('an answer after failures', () => {
  test('network errors, time-outs and 5xx are sent again after a back-off that grows', async () => {
    const { run, sentAt, seen, waits } = setUp([failure('network'), failure('timeout'), ok]);
    expect(await run()).toBe(ok);
    expect(sentAt).toEqual([0, 150, 450]);
    expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(waits).toEqual([
      { reason: 'backoff', ms: 150 },
      { reason: 'backoff', ms: 300 },
    ]);
  });

  test('a back-off ends at its maximum', async () => {
    const failures = Array.from({ length: 6 }, () => failure('network'));
    const { run, waits } = setUp([...failures, ok], {}, { attempts: 7 });
    expect(await run()).toBe(ok);
    expect(waits.map(({ ms }) => ms)).toEqual([150, 300, 600, 1_000, 1_000, 1_000]);
  });

  test('an answer that comes in the tick in which its caller hangs up is kept', async () => {
    const caller = new AbortController();
    const request = aRequest({ signal: caller.signal });
    setUp([]);
    const layer = retry({
      attempts: 3,
      backoff: { minimumMs: 100, maximumMs: 1_000 },
      budget: undefined,
      credential: noCredential,
      tenant: undefined,
      openForMs: () => 0,
      pausedForMs: () => 0,
    });
    const end = layer(request, async () => {
      caller.abort();
      return ok;
    });
    expect(await end).toBe(ok);
  });

  test('a caller who hangs up during a back-off ends it at once', async () => {
    const caller = new AbortController();
    const { run, seen, clock } = setUp([failure('network'), ok], { signal: caller.signal });
    const end = run();
    setImmediate(() => caller.abort('hung up'));
    await expect(end).rejects.toBe('hung up');
    expect([seen.length, clock.pendingTimers()]).toEqual([1, 0]);
  });
});

describe('no answer', () => {
  test('a circuit that opens between attempts ends the call as what it is: sent, without an answer', async () => {
    const { run } = setUp([failure('timeout'), new CircuitOpenError('open', { retryAfterMs: 4000 })]);
    await expect(run()).rejects.toMatchObject({
      code: 'max_retries_exceeded',
      reason: 'circuit_open',
      outcome: 'unknown',
      retryAfterMs: 4000,
      cause: { reason: 'timeout' },
    });
  });

  test('a local refusal before anything was sent stays what it is', async () => {
    const open = new CircuitOpenError('open', { retryAfterMs: 4000 });
    await expect(setUp([open]).run()).rejects.toBe(open);
  });
});

test('a failure before anything is sent ends too, also with a back-off of 0', async () => {
  let tries = 0;
  const layer = retry({
    attempts: 3,
    backoff: { minimumMs: 0, maximumMs: 0 },
    budget: createRetryBudget({ capacity: 50 }),
    credential: noCredential,
    tenant: undefined,
    openForMs: () => 0,
    pausedForMs: () => 0,
  });
  const end = layer(aRequest(), async () => {
    tries += 1;
    throw failure('network', { outcome: 'not_sent' });
  });
  await expect(end).rejects.toMatchObject({ outcome: 'not_sent' });
  expect(tries).toBeLessThanOrEqual(4);
});

describe('a 401', () => {
  const rejected = () => new ClientError('refused', { status: 401 });

  const source = (secrets: (string | undefined)[]): { credential: Credential; asked: () => number } => {
    let asked = 0;
    return {
      asked: () => asked,
      credential: {
        read: async () => issued('first'),
        renew: async () => {
          const secret = secrets[asked++];
          return secret === undefined ? undefined : issued(secret);
        },
      },
    };
  };
  test('is sent again when the source has another credential, without a wait', async () => {
    const { credential, asked } = source(['second']);
    const { run, sentAt } = setUp([rejected(), ok], {}, { credential });
    expect(await run()).toBe(ok);
    expect(asked()).toBe(1);
    expect(sentAt).toEqual([0, 0]);
  });
});

test.each([
  [
    failure('network', { networkCode: 'ECONNREFUSED' }),
    'the network failed (ECONNREFUSED): nothing listens there, check host and port in messaging.baseUrl',
  ],
  [failure('network'), 'the network failed'],
  [failure('server_error', { status: 503 }), 'the API failed (503)'],
  [failure('timeout'), 'it took too long'],
])('the message of a call that ended says how its last attempt did: %s, %s', async (error, words) => {
  const { run } = setUp([error, error, error]);

  await expect(run()).rejects.toThrow(
    new RegExp(`had no answer after 3 attempts: ${words.replace(/[()]/g, '\\$&')}(;|$)`),
  );
});

test('the first retry after a 429 takes nothing from the retry budget', async () => {
  const clock = createVirtualClock();
  const budget = createRetryBudget({ capacity: 1, perSuccess: 0, perSecond: 0 });
  const runs = Array.from({ length: 30 }, () =>
    setUp([limited(1_000), ok], { deadline: deadlineIn(8_000) }, { budget }, clock).run(),
  );
  expect(await Promise.all(runs)).toEqual(runs.map(() => ok));
  const { run } = setUp([limited(1_000), limited(1_000), limited(1_000)], {}, { budget }, clock);
  await expect(run()).rejects.toMatchObject({ reason: 'rate_limited' });
  expect(budget.left()).toBe(0);
});
