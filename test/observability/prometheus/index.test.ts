import parsePrometheusTextFormat from 'parse-prometheus-text-format';
import { describe, expect, test } from 'vitest';
import type { CallEvent, IntegrationEvent } from '../../../src/observability/events.ts';
import { createMetrics, type MetricsOptions } from '../../../src/observability/metrics/create-metrics.ts';
import { bucketsMs } from '../../../src/observability/metrics/latency.ts';
import {
  prometheusContentType,
  prometheusHandler,
  type PrometheusOptions,
  toPrometheus,
} from '../../../src/observability/prometheus/index.ts';

const call: CallEvent = {
  type: 'call',
  at: 1_763_712_000_000,
  api: 'billing',
  operation: 'billing.payments.create',
  attempts: 1,
  durationMs: 34,
  deadlineMs: 8_000,
  outcome: 'ok',
};

const textOf = async (
  events: readonly IntegrationEvent[],
  { prefix, ...options }: MetricsOptions & PrometheusOptions = {},
) => {
  const metrics = createMetrics(options);
  for (const event of events) metrics.onEvent(event);
  return toPrometheus(await metrics.snapshot(), { prefix });
};

const read = (text: string, name: string) => parsePrometheusTextFormat(text).find((family) => family.name === name);

/** Line by line: the parser puts the labels of a histogram together only where there are none. */
const samplesOf = (text: string, name: string) =>
  parsePrometheusTextFormat(text.replace(/^#.*\n/gm, ''))
    .filter((family) => family.name.startsWith(name))
    .flatMap((family) => family.metrics.map(({ labels, value }) => [family.name.slice(name.length), labels, value]));

test('a parser of others reads what was counted', async () => {
  const text = await textOf([call, { ...call, outcome: 'rejected', error: { code: 'client_error' } }]);

  expect(read(text, 'voice_agent_calls_total')).toEqual({
    name: 'voice_agent_calls_total',
    help: 'Calls of an operation, by outcome.',
    type: 'COUNTER',
    metrics: ['ok', 'rejected'].map((outcome) => ({
      labels: { api: 'billing', operation: 'billing.payments.create', outcome },
      value: '1',
    })),
  });
  const labels = { api: 'billing', operation: 'billing.payments.create' };
  expect(samplesOf(text, 'voice_agent_call_duration_seconds')).toEqual([
    ...bucketsMs.map((ms) => ['_bucket', { ...labels, le: String(ms / 1_000) }, ms < 34 ? '0' : '2']),
    ['_bucket', { ...labels, le: '+Inf' }, '2'],
    ['_sum', labels, '0.068'],
    ['_count', labels, '2'],
  ]);
});

test.each(['a"b', 'a\\b', 'a\nb', '{x="1"} 7\nfake 1'])('the label %j is escaped', async (operation) => {
  const text = await textOf([{ ...call, operation }]);
  const [metric] = read(text, 'voice_agent_deadline_misses_total')?.metrics ?? [];

  expect(metric).toEqual({ labels: { api: 'billing', operation }, value: '0' });
  expect(read(text, 'fake')).toBeUndefined();
});

test('every family is known before anything happens, once, with help and type', async () => {
  const text = await textOf([]);
  const types = [...text.matchAll(/^# TYPE (\w+) (counter|gauge|histogram)$/gm)].map(([, name]) => name);
  const helps = [...text.matchAll(/^# HELP (\w+) \S.*\.$/gm)].map(([, name]) => name);

  expect(types.length).toBeGreaterThan(25);
  expect(types).toEqual([...new Set(types)]);
  expect(helps).toEqual(types);
  expect(text.endsWith('\n')).toBe(true);
  expect(types.filter((name) => !/^voice_agent_[a-z_]+$/.test(name ?? ''))).toEqual([]);
});

test('the prefix is the application’s', async () => {
  expect(await textOf([call], { prefix: 'acme_' })).toContain('\nacme_calls_total{api="billing"');
});

test('dead letters are a gauge per destination', async () => {
  const crm = { ready: 1, delayed: 2, leased: 0, dead: 3, oldestAgeMs: 1_500, oldestDeadAgeMs: 0, isDisabled: true };
  const text = await textOf([], { outboxes: [{ status: async () => ({ crm }) }] });

  expect(text.split('\n').filter((line) => line.includes('destination="crm"'))).toEqual([
    'voice_agent_outbox_messages{destination="crm",state="ready"} 1',
    'voice_agent_outbox_messages{destination="crm",state="delayed"} 2',
    'voice_agent_outbox_messages{destination="crm",state="leased"} 0',
    'voice_agent_dead_letters{destination="crm"} 3',
    'voice_agent_outbox_oldest_age_seconds{destination="crm"} 1.5',
    'voice_agent_destination_disabled{destination="crm"} 1',
  ]);
});

describe('a scrape', () => {
  const metrics = createMetrics();
  const answerScrape = prometheusHandler(metrics);

  test('is answered with the text and its type', async () => {
    const response = await answerScrape(new Request('http://localhost/metrics'));

    expect([response.status, response.headers.get('content-type')]).toEqual([200, prometheusContentType]);
    expect(await response.text()).toBe(toPrometheus(await metrics.snapshot()));
  });

  test('reads only', async () => {
    const statusOf = async (method: string) =>
      (await answerScrape(new Request('http://localhost/metrics', { method }))).status;

    expect([await statusOf('HEAD'), await statusOf('POST')]).toEqual([200, 405]);
  });
});
