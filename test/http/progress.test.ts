import { expect, test } from 'vitest';
import {
  type AttemptOutcome,
  outcomeOf,
  startProgress,
  startSending,
  tellWhetherSent,
} from '../../src/http/progress.ts';

const outcome = (...attempts: AttemptOutcome[]) => outcomeOf({ ...startProgress(0), attempts });

test.each<[attempts: AttemptOutcome[], outcome: string]>([
  [[], 'not_sent'],
  [['not_sent', 'not_sent'], 'not_sent'],
  [['rejected', 'not_sent'], 'rejected'],
  [['not_sent', 'rejected'], 'rejected'],
  [['unknown', 'rejected'], 'unknown'],
  [['rejected', 'sent'], 'unknown'],
  [['not_sent', 'ok'], 'unknown'],
])('a call whose attempts were %j is %s', (attempts, expected) => {
  expect(outcome(...attempts)).toBe(expected);
});

test('a transport that knows says whether a byte of its own attempt may have left', () => {
  const progress = startProgress(0);
  progress.attempts = ['sent', 'sent'];
  const sending = { ...startSending(), place: 1 };

  tellWhetherSent({ progress, sending }, false);
  expect(progress.attempts).toEqual(['sent', 'not_sent']);
  tellWhetherSent({ progress, sending }, true);
  expect(progress.attempts).toEqual(['sent', 'sent']);
});

test('what is said before an attempt was handed over changes nothing', () => {
  const progress = startProgress(0);

  tellWhetherSent({ progress, sending: startSending() }, true);

  expect(progress.attempts).toEqual([]);
});

test('an attempt has the waits before it for itself', () => {
  const waits = [{ reason: 'backoff', ms: 100 } as const];
  const sending = startSending(waits);
  sending.waits.push({ reason: 'retry_after', ms: 1 });

  expect(sending).toEqual({ ...startSending(), waits: [...waits, { reason: 'retry_after', ms: 1 }] });
  expect(waits).toHaveLength(1);
});
