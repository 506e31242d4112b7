import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import parsePrometheusTextFormat from 'parse-prometheus-text-format';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { IntegrationEvent } from '../../src/observability/events.ts';
import { createMetrics } from '../../src/observability/metrics/create-metrics.ts';
import { toPrometheus } from '../../src/observability/prometheus/index.ts';

const read = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

// What is read here is looked at below.
const rules = (parse(read('operations/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

const panels = (JSON.parse(read('operations/dashboard.json')) as { panels: Panel[] }).panels;

/** The metrics that a query asks for, each with the labels it is asked by. `$__rate_interval` is Grafana's. */
const askedFor = (query: string) => {
  const text = query.replaceAll('$__rate_interval', '5m');
  const metrics = new Set<string>();
  const labels = new Set<string>();
  parser.parse(text).iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) expect.unreachable(`${text} is no PromQL at ${text.slice(from)}`);
      if (type.name === 'Identifier') metrics.add(text.slice(from, to));
      if (type.name === 'LabelName') labels.add(text.slice(from, to));
    },
  });
  return { metrics: [...metrics], labels: [...labels] };
};

const queries = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

describe('every query for alerts and dashboard asks for metrics and labels that are there', async () => {
  const exposed = await exposedLabels();

  test.each(queries)('%s: %s', (_name, query) => {
    const { metrics, labels } = askedFor(query);
    const known = new Set(metrics.flatMap((metric) => [...(exposed.get(metric) ?? [])]));

    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((metric) => !exposed.has(metric))).toEqual([]);
    expect(labels.filter((label) => !known.has(label))).toEqual([]);
  });

  test('what is not there would be found', () => {
    expect(askedFor('sum by (api) (rate(voice_agent_calls_total{outcome!="ok"}[5m])) > 1')).toEqual({
      metrics: ['voice_agent_calls_total'],
      labels: ['api', 'outcome'],
    });
    expect(exposed.has('voice_agent_nothing_total')).toBe(false);
    expect(() => askedFor('sum by (')).toThrow('is no PromQL');
  });
});

test('every alert has a page that says what to do, a sentence, and how urgent it is', () => {
  const headings = [...read('operations.md').matchAll(/^### (\w+)$/gm)].map(([, heading]) => heading);

  expect(rules.map(({ alert }) => alert)).toEqual(headings);
  expect(rules.map(({ annotations }) => annotations.runbook)).toEqual(
    rules.map(({ alert }) => `docs/operations.md#${alert.toLowerCase()}`),
  );
  expect(new Set(rules.map(({ labels }) => labels['severity']))).toEqual(new Set(['page', 'ticket']));
  expect(rules.filter(({ annotations }) => annotations.summary.length < 20)).toEqual([]);
});

test('there is an alert for the success rate, for p95 and for dead letters', () => {
  const expressionOf = (name: string) => rules.find(({ alert }) => alert === name)?.expr.replace(/\s+/g, ' ');

  expect(expressionOf('VoiceAgentCallsFail')).toContain('voice_agent_call_errors_total{error!="aborted"}');
  expect(expressionOf('VoiceAgentCallsSlow')).toContain('histogram_quantile(0.95');
  expect(expressionOf('VoiceAgentDeadLetters')).toContain('voice_agent_dead_letters');
});

test('the panels of the dashboard do not overlap', () => {
  const places = (
    JSON.parse(read('operations/dashboard.json')) as { panels: { gridPos: { x: number; y: number } }[] }
  ).panels.map(({ gridPos }) => `${gridPos.x}/${gridPos.y}`);

  expect(new Set(places).size).toBe(panels.length);
});

test('every metric is described with the observability', async () => {
  const page = read('observability.md');
  const families = parsePrometheusTextFormat(toPrometheus(await everything().snapshot()));

  expect(
    families.map(({ name }) => name.replace('voice_agent_', '')).filter((name) => !page.includes(`\`${name}\``)),
  ).toEqual([]);
});

/** The names as Prometheus stores them, with the labels of each. */
async function exposedLabels(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const text = toPrometheus(await everything().snapshot()).replace(/^#.*\n/gm, '');
  return new Map(
    parsePrometheusTextFormat(text).map(({ name, metrics }) => [
      name,
      new Set(metrics.flatMap(({ labels = {} }) => Object.keys(labels))),
    ]),
  );
}

/** Metrics that have counted one of each. */
function everything() {
  const crm = { ready: 1, delayed: 2, leased: 0, dead: 3, oldestAgeMs: 1, oldestDeadAgeMs: 0, isDisabled: false };
  const metrics = createMetrics({ outboxes: [{ status: async () => ({ crm }) }] });
  const base = { at: 0, api: 'billing', operation: 'billing.payments.create', durationMs: 1 };
  const message = { ...base, destination: 'crm', event: 'call.completed', version: 1, idempotencyKey: 'k' };
  const events: readonly IntegrationEvent[] = [
    { ...base, type: 'call', attempts: 2, deadlineMs: 1, outcome: 'unknown', error: { code: 'deadline_exceeded' } },
    {
      ...base,
      type: 'attempt',
      attempt: 2,
      waits: [
        { reason: 'backoff', ms: 1 },
        { reason: 'rate_limit', ms: 1 },
      ],
    },
    { ...base, type: 'circuit', from: 'closed', to: 'open' },
    { ...base, type: 'credential-renewed', credential: 'oauth', because: 'absent' },
    {
      ...base,
      type: 'tool-run',
      tool: 'pay',
      effect: 'payment',
      status: 'failed',
      reason: 'client_error',
      replayed: false,
      resultChars: 1,
    },
    {
      ...base,
      type: 'webhook-received',
      direction: 'in',
      receiver: 'billing',
      outcome: 'refused',
      reason: 'signature_mismatch',
      isSlow: true,
    },
    { ...message, type: 'delivery', direction: 'out', attempt: 1, outcome: 'dead', reason: 'client_error', body: {} },
  ];
  for (const event of events) metrics.onEvent(event);
  return metrics;
}
