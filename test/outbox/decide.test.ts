import { describe, expect, test } from 'vitest';
import {
  type Attempted,
  decide,
  jitterShare,
  longestRetryAfterMs,
  maximumAttempts,
  retryDelaysMs,
} from '../../src/outbox/decide.ts';
import fc from '../support/fast-check.ts';

const now = Date.UTC(2026, 0, 1);
const middle = () => 0.5;

test('waits 1 s, 3 s, 10 s, 30 s and 2 min, and then it is a dead letter', () => {
  const decisions = [1, 2, 3, 4, 5, 6].map((attempt) =>
    decide({ type: 'failed', reason: 'server_error', status: 503 }, { attempt, now, random: middle }),
  );

  const note = { reason: 'server_error', status: 503 };
  expect(decisions).toEqual([
    ...[1_000, 3_000, 10_000, 30_000, 120_000].map((ms) => ({ type: 'retry-at', at: now + ms, note })),
    { type: 'dead', reason: 'attempts_exhausted', note },
  ]);
  expect(maximumAttempts).toBe(6);
});

test.each([
  ['a delivery is done', { type: 'delivered', status: 204 }, { type: 'done' }],
  [
    'a 4xx is dead at once',
    { type: 'refused', status: 422 },
    { type: 'dead', reason: 'client_error', note: { status: 422 } },
  ],
  [
    'a 410 disables the destination',
    { type: 'refused', status: 410 },
    { type: 'dead', reason: 'gone', note: { status: 410 }, disables: true },
  ],
  [
    'a longer Retry-After is waited for, to the millisecond',
    { type: 'failed', reason: 'rate_limited', status: 429, retryAfterMs: 45_000 },
    { type: 'retry-at', at: now + 45_000, note: { reason: 'rate_limited', status: 429 } },
  ],
  [
    'a shorter Retry-After changes nothing',
    { type: 'failed', reason: 'rate_limited', status: 429, retryAfterMs: 10 },
    { type: 'retry-at', at: now + 1_000, note: { reason: 'rate_limited', status: 429 } },
  ],
  [
    'a Retry-After of years is not waited for',
    { type: 'failed', reason: 'rate_limited', status: 429, retryAfterMs: longestRetryAfterMs + 1 },
    { type: 'dead', reason: 'retry_after_too_long', note: { reason: 'rate_limited', status: 429 } },
  ],
  [
    'what had no answer has no status',
    { type: 'failed', reason: 'network' },
    { type: 'retry-at', at: now + 1_000, note: { reason: 'network' } },
  ],
  [
    'a Retry-After of a whole day is waited for',
    { type: 'failed', reason: 'rate_limited', status: 429, retryAfterMs: longestRetryAfterMs },
    { type: 'retry-at', at: now + 86_400_000, note: { reason: 'rate_limited', status: 429 } },
  ],
  [
    'what was not tried keeps its attempt',
    { type: 'postponed', reason: 'circuit_open', retryAfterMs: 5_000 },
    { type: 'retry-at', at: now + 5_500, uncounted: true },
  ],
  [
    'a circuit that waits for its probe is not asked again each millisecond',
    { type: 'postponed', reason: 'circuit_open', retryAfterMs: 1 },
    { type: 'retry-at', at: now + 275, uncounted: true },
  ],
] satisfies readonly [string, Attempted, object][])('%s', (_what, attempted, expected) => {
  expect(decide(attempted, { attempt: 1, now, random: middle })).toStrictEqual(expected);
});

describe('whatever happens', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const failed = fc.record({
    type: fc.constant('failed' as const),
    reason: fc.constantFrom('network', 'timeout', 'server_error', 'rate_limited'),
    retryAfterMs: fc.integer({ min: 0, max: longestRetryAfterMs }),
  });

  test('a failed message waits within a fifth of its delay, or as long as the server asks', () => {
    fc.assert(
      fc.property(failed, fc.integer({ min: 1, max: 5 }), random, (attempted, attempt, chance) => {
        const decision = decide(attempted, { attempt, now, random: () => chance });
        const delay = retryDelaysMs[attempt - 1] ?? 0;

        const waitMs = decision.type === 'retry-at' ? decision.at - now : Number.NaN;
        expect(waitMs).toBeGreaterThanOrEqual(Math.max(delay * (1 - jitterShare), attempted.retryAfterMs));
        expect(waitMs).toBeLessThanOrEqual(Math.max(Math.ceil(delay * (1 + jitterShare)), attempted.retryAfterMs));
      }),
    );
  });

  test('no message is tried more often than six times, and no 4xx twice', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 6, max: 1_000 }),
        fc.integer({ min: 400, max: 499 }),
        random,
        (attempt, status, chance) => {
          const at = { attempt, now, random: () => chance };

          expect(decide({ type: 'failed', reason: 'timeout' }, at).type).toBe('dead');
          expect(decide({ type: 'refused', status }, { ...at, attempt: 1 }).type).toBe('dead');
        },
      ),
    );
  });

  test('what is put off is never put off for less than was asked', () => {
    fc.assert(
      fc.property(fc.nat(3_600_000), random, (retryAfterMs, chance) => {
        const decision = decide(
          { type: 'postponed', reason: 'x', retryAfterMs },
          { attempt: 1, now, random: () => chance },
        );

        expect(decision.type === 'retry-at' && decision.at - now).toBeGreaterThanOrEqual(retryAfterMs);
      }),
    );
  });
});
