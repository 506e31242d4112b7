import { describe, expect, test } from 'vitest';
import { describeWait, toSegments } from '../../../src/dev/console/page/rows.js';
import type { AttemptEvent, CallEvent, IntegrationEvent, ToolRunEvent } from '../../../src/observability/events.ts';

const base = { api: 'billing', operation: 'billing.invoices.listOpen', callId: 'CA1' };

const attempt = (own: Partial<AttemptEvent> & { at: number }): AttemptEvent => ({
  type: 'attempt',
  ...base,
  attempt: 1,
  durationMs: 10,
  status: 200,
  waits: [],
  ...own,
});

const call = (own: Partial<CallEvent> & { at: number }): CallEvent => ({
  type: 'call',
  ...base,
  attempts: 1,
  durationMs: 10,
  deadlineMs: 8_000,
  deadlineLeftMs: 7_000,
  outcome: 'ok',
  ...own,
});

const toolRun = (own: Partial<ToolRunEvent> & { at: number }): ToolRunEvent => ({
  type: 'tool-run',
  api: 'tools',
  operation: 'tools.look_up',
  callId: 'CA1',
  tool: 'look_up',
  effect: 'read',
  status: 'done',
  replayed: false,
  durationMs: 10,
  resultChars: 2,
  ...own,
});

const failure = { code: 'attempt_failed', reason: 'server_error' };

const segments = (...events: readonly IntegrationEvent[]) => toSegments(events.map((event, seq) => ({ seq, event })));

/** A row as it is read: depth, title, when, result. */
const lines = (...events: readonly IntegrationEvent[]) =>
  segments(...events).map(({ rows }) =>
    rows.map(
      ({ depth, title, startAt, endAt, result }) => `${'  '.repeat(depth)}${title} ${startAt}-${endAt} ${result}`,
    ),
  );

test('a tool call holds its calls, each its attempts, and these what they waited for', () => {
  const events = [
    attempt({ at: 1_010, error: failure, status: 503 }),
    attempt({ at: 1_220, attempt: 2, waits: [{ reason: 'backoff', ms: 200 }] }),
    call({ at: 1_220, durationMs: 220, attempts: 2 }),
    toolRun({ at: 1_221, durationMs: 222 }),
  ];

  expect(lines(...events)).toEqual([
    [
      'look_up 999-1221 done',
      '  billing.invoices.listOpen 1000-1220 ok',
      '    attempt 1 1000-1010 503 · server error',
      '    attempt 2 1210-1220 200',
    ],
  ]);
  expect(segments(...events)[0]?.rows[3]?.waits.map(describeWait)).toEqual(['waited 200 ms: back-off']);
  expect(segments(...events)[0]?.rows[3]?.waits).toEqual([{ reason: 'backoff', startAt: 1_010, endAt: 1_210 }]);
});

describe('a wait that the API asked for', () => {
  const first = attempt({ at: 1_010, error: { code: 'attempt_failed', reason: 'rate_limited' }, status: 429 });
  const waits = [{ reason: 'retry_after', ms: 1_000 }] as const;
  const waited = { reason: 'retry_after', startAt: 1_010, endAt: 2_010 };

  test.each([
    ['before the attempt', attempt({ at: 2_020, attempt: 2, waits })],
    ['in the line of the rate limit, within the attempt', attempt({ at: 2_020, attempt: 2, waits, durationMs: 1_010 })],
  ])('is drawn where it was: %s', (_where, second) => {
    const rows = segments(first, second, call({ at: 2_020, durationMs: 1_020 }))[0]?.rows ?? [];

    expect(rows[2]).toMatchObject({ startAt: 2_010, endAt: 2_020, waits: [waited] });
  });
});

test('an attempt whose call has not ended is below that call, which is under way', () => {
  expect(lines(attempt({ at: 1_010, error: failure, status: 503 }))).toEqual([
    ['billing.invoices.listOpen 1000-1010 under way', '  attempt 1 1000-1010 503 · server error'],
  ]);
});

test('two equal calls at the same time have an attempt each', () => {
  expect(lines(attempt({ at: 1_010 }), attempt({ at: 1_011 }), call({ at: 1_010 }), call({ at: 1_011 }))).toEqual([
    [
      'billing.invoices.listOpen 1000-1010 ok',
      '  attempt 1 1000-1010 200',
      'billing.invoices.listOpen 1001-1011 ok',
      '  attempt 1 1001-1011 200',
    ],
  ]);
});

test('a call just before a tool call is not its part', () => {
  expect(lines(attempt({ at: 1_010 }), call({ at: 1_010 }), toolRun({ at: 1_020 }))).toEqual([
    ['billing.invoices.listOpen 1000-1010 ok', '  attempt 1 1000-1010 200', 'look_up 1010-1020 done'],
  ]);
});

test('calls that share a deadline stand together, another deadline begins a part of its own', () => {
  const parts = segments(
    call({ at: 1_000, deadlineLeftMs: 7_000 }),
    call({ at: 1_500, deadlineLeftMs: 6_500 }),
    call({ at: 1_520, deadlineLeftMs: 7_990 }),
  );

  expect(parts.map(({ startAt, endAt, deadline }) => ({ startAt, endAt, deadline }))).toEqual([
    { startAt: 990, endAt: 1_500, deadline: { at: 8_000, budgetMs: 8_000, usedMs: 1_500 } },
    { startAt: 1_510, endAt: 1_520, deadline: { at: 9_510, budgetMs: 8_000, usedMs: 10 } },
  ]);
});

test('a pause of the conversation begins a part of its own', () => {
  expect(lines(toolRun({ at: 1_000 }), toolRun({ at: 3_000 }))).toEqual([
    ['look_up 990-1000 done'],
    ['look_up 2990-3000 done'],
  ]);
});

test.each<[event: IntegrationEvent, line: string]>([
  [
    { type: 'circuit', at: 5, ...base, operation: 'billing', from: 'closed', to: 'open' },
    'circuit breaker of billing 5-5 opened: requests are refused',
  ],
  [
    { type: 'rate-limit', at: 5, ...base, state: 'paused', pausedForMs: 1_000 },
    'rate limit of billing 5-5 paused for 1,000 ms',
  ],
  [{ type: 'settled-late', at: 5, ...base, outcome: 'ok' }, 'billing.invoices.listOpen answered late 5-5 ok'],
  [
    call({ at: 10, outcome: 'unknown', error: { code: 'max_retries_exceeded', reason: 'timeout' } }),
    'billing.invoices.listOpen 0-10 unknown · max retries exceeded: timeout',
  ],
  [
    toolRun({ at: 10, status: 'refused', reason: 'invalid_arguments', fields: ['amount'] }),
    'look_up 0-10 refused · invalid arguments · amount',
  ],
])('%j is one line', (event, line) => {
  expect(lines(event)).toEqual([[line]]);
});

test('who used which credential is no line', () => {
  expect(
    segments({ type: 'credential-used', at: 1, ...base, credential: 'bearer', attempt: 1, state: 'first' }),
  ).toEqual([]);
});
