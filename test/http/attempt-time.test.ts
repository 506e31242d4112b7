import { expect, test } from 'vitest';
import { attemptTimeMs } from '../../src/http/attempt-time.ts';
import { aRequest } from '../support/request.ts';

const request = (remainingMs: number, sent: number, plan: object = {}) => {
  const base = aRequest();
  return {
    deadline: { budgetMs: 8000, remainingMs: () => remainingMs },
    plan: { ...base.plan, ...plan },
    progress: { ...base.progress, attempts: Array.from({ length: sent }, () => 'unknown' as const) },
  };
};

test('the time that is left is divided among the attempts that are left', () => {
  expect(attemptTimeMs(request(8000, 0), { attempts: 3 })).toBe(2660);
  expect(attemptTimeMs(request(5020, 1), { attempts: 3 })).toBe(2500);
});

test('the last attempt ends before the deadline', () => {
  expect(attemptTimeMs(request(2000, 2), { attempts: 3 })).toBe(1980);
});

test('an operation may claim all the time that is left', () => {
  expect(attemptTimeMs(request(8000, 0, { wholeDeadline: true }), { attempts: 3 })).toBe(7980);
});

test('the caller’s own limit comes before the client’s, and both stay inside the deadline', () => {
  expect(attemptTimeMs(request(8000, 0, { attemptTimeoutMs: 500 }), { attempts: 3, attemptTimeoutMs: 900 })).toBe(500);
  expect(attemptTimeMs(request(8000, 0), { attempts: 3, attemptTimeoutMs: 900 })).toBe(900);
  expect(attemptTimeMs(request(320, 0), { attempts: 3, attemptTimeoutMs: 900 })).toBe(300);
});
