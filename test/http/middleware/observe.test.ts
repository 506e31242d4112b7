import { expect, test } from 'vitest';
import { AttemptFailedError, CircuitOpenError } from '../../../src/core/errors.ts';
import { callLog } from '../../../src/http/call-log.ts';
import { markSent, observeAttempts } from '../../../src/http/middleware/attempt.ts';
import type { HttpRequest, HttpResponse } from '../../../src/http/request.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { recordTo } from '../../support/record-to.ts';
import { answer } from '../../support/answer.ts';
import { aRequest } from '../../support/request.ts';

const run = async (below: (request: HttpRequest) => Promise<HttpResponse>, request = aRequest()) => {
  const clock = createVirtualClock();
  const events: unknown[] = [];
  await observeAttempts({ emitter: recordTo(events) })(request, async (inner) => {
    await clock.advance(12);
    return below(inner);
  }).catch(() => {});
  return { events, log: callLog(request) };
};

const sent = (request: HttpRequest) => void markSent(request, async () => answer());

test('emits an attempt that was answered, with what it waited for', async () => {
  const request = aRequest({
    attempt: 2,
    callId: 'CA1',
  });
  callLog(request).waited({ reason: 'retry_after', ms: 1000 });
  const { events, log } = await run(async (inner) => {
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
  expect(log).toMatchObject({ attempts: ['ok'], lastFailure: undefined });
});

test('emits an attempt that failed, in codes alone', async () => {
  const failure = new AttemptFailedError('reset by +14155550100', {
    reason: 'network',
    outcome: 'unknown',
    networkCode: 'ECONNRESET',
  });
  const { events, log } = await run(async (inner) => {
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
  expect(log).toMatchObject({ attempts: ['unknown'], lastFailure: failure });
});

test('an attempt that never left counts as none', async () => {
  const { events, log } = await run(async () => {
    throw new CircuitOpenError('open');
  });
  expect(events).toMatchObject([{ error: { code: 'circuit_open' } }]);
  expect(log).toMatchObject({ attempts: [], lastFailure: undefined });
});

test('an attempt that ended in a defect may have happened', async () => {
  const { events, log } = await run(async (inner) => {
    sent(inner);
    throw new TypeError('of the user’s own middleware');
  });
  expect(events).toMatchObject([{ error: { code: 'internal_error' } }]);
  expect(log.attempts).toEqual(['unknown']);
});
