import { expect, test } from 'vitest';
import { AttemptFailedError, CircuitOpenError } from '../../../src/errors.ts';
import { markSent } from '../../../src/http/middleware/mark-sent.ts';
import { observeAttempts } from '../../../src/http/middleware/observe.ts';
import { startProgress } from '../../../src/http/progress.ts';
import type { HttpRequest } from '../../../src/http/request.ts';
import type { HttpResponse } from '../../../src/http/response.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { tellTo } from '../../support/tell-to.ts';
import { answer } from '../../support/answer.ts';
import { aRequest } from '../../support/request.ts';

const run = async (
  below: (request: HttpRequest) => Promise<HttpResponse>,
  request = aRequest({ progress: startProgress(0) }),
) => {
  const clock = createVirtualClock();
  const events: unknown[] = [];
  await observeAttempts({ clock, tell: tellTo(events) })(request, async (inner) => {
    await clock.advance(12);
    return below(inner);
  }).catch(() => {});
  return { events, progress: request.progress };
};

const sent = (request: HttpRequest) => void markSent(request, async () => answer());

test('tells of an attempt that was answered, with what it waited for', async () => {
  const request = aRequest({
    attempt: 2,
    plan: { lane: 'live', wholeDeadline: false, minimumBudgetMs: 0, callId: 'CA1' },
    progress: { ...startProgress(0), waits: [{ reason: 'retry_after', ms: 1000 }] },
  });
  const { events, progress } = await run(async (inner) => {
    sent(inner);
    return { ...answer(), requestId: 'req_1' };
  }, request);
  expect(events).toEqual([
    {
      type: 'attempt',
      operation: 'messaging.contacts.get',
      callId: 'CA1',
      attempt: 2,
      durationMs: 12,
      waits: [{ reason: 'retry_after', ms: 1000 }],
      status: 200,
      requestId: 'req_1',
    },
  ]);
  expect(progress).toMatchObject({ attempts: ['ok'], waits: [], lastFailure: undefined });
});

test('tells of an attempt that failed, in codes alone', async () => {
  const failure = new AttemptFailedError('reset by +14155550100', {
    reason: 'network',
    outcome: 'unknown',
    networkCode: 'ECONNRESET',
  });
  const { events, progress } = await run(async (inner) => {
    sent(inner);
    throw failure;
  });
  expect(events).toEqual([
    {
      type: 'attempt',
      operation: 'messaging.contacts.get',
      attempt: 1,
      durationMs: 12,
      waits: [],
      error: { code: 'attempt_failed', reason: 'network', networkCode: 'ECONNRESET' },
    },
  ]);
  expect(progress).toMatchObject({ attempts: ['unknown'], lastFailure: failure });
});

test('an attempt that never left counts as none', async () => {
  const { events, progress } = await run(async () => {
    throw new CircuitOpenError('open');
  });
  expect(events).toMatchObject([{ error: { code: 'circuit_open' } }]);
  expect(progress).toMatchObject({ attempts: [], lastFailure: undefined });
});

test('an attempt that ended in a defect may have happened', async () => {
  const { events, progress } = await run(async (inner) => {
    sent(inner);
    throw new TypeError('of the user’s own middleware');
  });
  expect(events).toMatchObject([{ error: { code: 'internal_error' } }]);
  expect(progress.attempts).toEqual(['unknown']);
});
