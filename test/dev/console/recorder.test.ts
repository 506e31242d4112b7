import { expect, test } from 'vitest';
import { createRecorder, type RecorderOptions } from '../../../src/dev/console/recorder.ts';
import type { IntegrationEvent } from '../../../src/observability/events.ts';

const attempt = (callId: string | undefined, at: number, own: object = {}): IntegrationEvent => ({
  type: 'attempt',
  at,
  api: 'billing',
  operation: 'billing.customers.get',
  attempt: 1,
  durationMs: 5,
  waits: [],
  ...(callId !== undefined && { callId }),
  ...own,
});

const record = (events: readonly IntegrationEvent[], options: RecorderOptions = { maximumPhoneCalls: 10 }) => {
  const recorder = createRecorder(options);
  for (const event of events) recorder.record(event);
  return recorder;
};

test('says of each phone call what was done for it, the last active first', () => {
  const recorder = record([
    attempt('CA1', 100),
    attempt('CA2', 110),
    attempt('CA1', 150, { attempt: 2 }),
    {
      type: 'tool-run',
      at: 160,
      api: 'tools',
      operation: 'tools.note',
      callId: 'CA1',
      tool: 'note',
      effect: 'write',
      status: 'failed',
      replayed: false,
      durationMs: 70,
      resultChars: 20,
    },
  ]);

  expect(recorder.phoneCalls()).toEqual([
    { id: 1, callId: 'CA1', firstAt: 90, lastAt: 160, events: 3, tools: 1, requests: 2, retries: 1, failures: 1 },
    { id: 2, callId: 'CA2', firstAt: 105, lastAt: 110, events: 1, tools: 0, requests: 1, retries: 0, failures: 0 },
  ]);
  expect(recorder.phoneCall(1)?.events.map(({ seq }) => seq)).toEqual([1, 3, 4]);
});

test('two tenants may have a phone call of one id', () => {
  const recorder = record([attempt('CA1', 1, { tenant: 'a' }), attempt('CA1', 2, { tenant: 'b' })]);

  expect(recorder.phoneCalls().map(({ tenant }) => tenant)).toEqual(['b', 'a']);
});

test('forgets phone calls whose events are too large together, and never the one that is going on', () => {
  const large = (callId: string, at: number) => attempt(callId, at, { requestId: 'x'.repeat(1_000) });
  const options = { maximumPhoneCalls: 10, maximumChars: 3_000 };
  const recorder = record([large('CA1', 1), large('CA2', 2), large('CA3', 3)], options);

  recorder.record(large('CA4', 4));
  expect(recorder.phoneCalls().map(({ callId }) => callId)).toEqual(['CA4', 'CA3']);

  for (let at = 5; at < 15; at += 1) recorder.record(large('CA5', at));
  expect(recorder.phoneCalls().map(({ callId, events }) => `${callId} ${events}`)).toEqual(['CA5 10']);
});

test('what was forgotten of one phone call leaves room for others', () => {
  const options = { maximumPhoneCalls: 10, maximumEventsPerCall: 2, maximumChars: 1_000 };
  const recorder = record([attempt('CA1', 1), ...Array.from({ length: 50 }, (_, at) => attempt('CA2', at))], options);

  expect(recorder.phoneCalls().map(({ callId }) => callId)).toEqual(['CA2', 'CA1']);
});

test('forgets the phone call that has been quiet longest', () => {
  const recorder = record([attempt('CA1', 1), attempt('CA2', 2), attempt('CA1', 3), attempt('CA3', 4)], {
    maximumPhoneCalls: 2,
  });

  expect(recorder.phoneCalls().map(({ callId }) => callId)).toEqual(['CA3', 'CA1']);
  expect(recorder.phoneCall(2)).toBe(undefined);
});

test('keeps a bounded number of events, of all phone calls together', () => {
  const many = Array.from({ length: 2_000 }, (_, at) => [attempt('CA1', at), attempt(undefined, at)]).flat();
  const recorder = record(many);

  expect([recorder.phoneCall(1)?.events.length, recorder.others().length, recorder.phoneCalls()[0]?.events]).toEqual([
    300, 300, 2_000,
  ]);
});

test('a listener that reconnects gets what it missed, or learns that it missed too much', () => {
  const recorder = record(Array.from({ length: 1_500 }, (_, at) => attempt('CA1', at)));

  expect(recorder.since(1_498)?.map(({ seq }) => seq)).toEqual([1_499, 1_500]);
  expect([recorder.since(1_500), recorder.since(100), recorder.since(9_999)]).toEqual([[], undefined, undefined]);
});

test('remembers what changed between the application and its APIs', () => {
  const circuit = { type: 'circuit', at: 5, api: 'crm', operation: 'crm', from: 'closed', to: 'open' } as const;
  const recorder = record([attempt('CA1', 1), circuit, attempt('CA1', 9)]);

  expect(recorder.changes()).toEqual([{ seq: 2, event: circuit }]);
});
