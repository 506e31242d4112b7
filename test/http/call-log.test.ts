import { describe, expect, test } from 'vitest';
import { AttemptFailedError, type Outcome } from '../../src/core/errors.ts';
import { attemptLog, callLog, createCallLog, withLog } from '../../src/http/call-log.ts';
import { aRequest, attempted } from '../support/request.ts';

const failedWith = (outcome: Outcome) => new AttemptFailedError('it failed', { reason: 'network', outcome });

test.each<[ends: (Outcome | 'ok' | 'sent')[], outcome: Outcome]>([
  [[], 'not_sent'],
  [['not_sent', 'not_sent'], 'not_sent'],
  [['rejected', 'not_sent'], 'rejected'],
  [['unknown', 'rejected'], 'unknown'],
  [['rejected', 'sent'], 'unknown'],
  [['not_sent', 'ok'], 'unknown'],
])('a call whose attempts were %j is %s', (ends, outcome) => {
  const request = aRequest();
  for (const end of ends) attempted(request, end === 'ok' ? end : end === 'sent' ? undefined : failedWith(end));
  expect(callLog(request).attempts).toEqual(ends);
  expect(callLog(request).outcome()).toBe(outcome);
});

describe('an attempt', () => {
  test('is taken to be sent when it is handed over, unless the transport knows better', () => {
    const call = createCallLog();
    const [first, second] = [call.attemptStarted(), call.attemptStarted()];
    for (const each of [first, second]) each.handedOver();

    second.reached('queued');
    expect(call.attempts).toEqual(['sent', 'not_sent']);
    second.reached('unsent');
    expect(call.attempts).toEqual(['sent', 'not_sent']);
    second.reached('sent');
    expect(call.attempts).toEqual(['sent', 'sent']);
  });

  test('that was never handed over counts as none', () => {
    const call = createCallLog();
    const attempt = call.attemptStarted();
    attempt.reached('sent');
    attempt.failed(failedWith('unknown'));
    expect(call).toMatchObject({ attempts: [], lastFailure: undefined });
  });

  test('that ends in an error of the application was sent or not, as the transport knew', () => {
    const call = createCallLog();
    const [first, second] = [call.attemptStarted(), call.attemptStarted()];
    for (const each of [first, second]) each.handedOver();
    second.reached('unsent');
    for (const each of [first, second]) each.failed(new TypeError('of a hook'));
    expect(call.attempts).toEqual(['unknown', 'not_sent']);
  });

  test('takes the waits before it, and has its own', () => {
    const call = createCallLog();
    call.waited({ reason: 'backoff', ms: 100 });
    const attempt = call.attemptStarted();
    attempt.waited({ reason: 'rate_limit', ms: 1 });
    expect(attempt.waits).toEqual([
      { reason: 'backoff', ms: 100 },
      { reason: 'rate_limit', ms: 1 },
    ]);
    expect(call.attemptStarted().waits).toEqual([]);
  });
});

describe('a call that goes with another one', () => {
  test('may be done while it waits for the same write, and is then what that became', () => {
    const [one, other] = [aRequest(), aRequest()];
    callLog(other).joined();
    expect(callLog(other).outcome()).toBe('unknown');
    attempted(one, failedWith('rejected'));
    callLog(other).becomes(callLog(one));
    expect(callLog(other).outcome()).toBe('rejected');
    attempted(other, 'ok');
    expect([callLog(one).attempts, callLog(other).attempts]).toEqual([['rejected'], ['rejected', 'ok']]);
  });
});

test('the log goes along with copies of a request, and its keys do not show it', () => {
  const attempt = createCallLog().attemptStarted();
  const { ...bare } = aRequest();
  const copy = { ...withLog(bare, attempt), attempt: 2 };
  expect(attemptLog(copy)).toBe(attempt);
  expect(Object.keys(copy)).toEqual(Object.keys(bare));
  expect(JSON.stringify(copy)).not.toContain('log');
});
