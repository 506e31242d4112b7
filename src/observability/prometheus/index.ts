/**
 * Metrics in the text format of Prometheus.
 *
 * @module
 */
import type { Metric, Metrics, MetricsSnapshot, Sample } from '../metrics/create-metrics.ts';

/** Options of {@link toPrometheus}. */
export interface PrometheusOptions {
  /** The prefix of every name. @defaultValue 'voice_agent_' */
  readonly prefix?: string | undefined;
}

/**
 * The header of the text: `text/plain; version=0.0.4; charset=utf-8`.
 *
 * @example
 * response.setHeader('content-type', prometheusContentType);
 */
export const prometheusContentType: string = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Writes a snapshot of metrics in the text format of Prometheus. Times are in seconds.
 *
 * @example
 * response.setHeader('content-type', prometheusContentType).end(toPrometheus(await metrics.snapshot()));
 */
export const toPrometheus = (snapshot: MetricsSnapshot, { prefix = 'voice_agent_' }: PrometheusOptions = {}): string =>
  snapshot.metrics.flatMap((metric) => linesOf(metric, `${prefix}${metric.name}`)).join('\n');

/**
 * Answers a scrape: a function from a request to its answer, to be mounted at `/metrics` where only Prometheus comes.
 * Rejects when an outbox cannot be read.
 *
 * @example
 * app.get('/metrics', () => prometheusHandler(metrics)()); // Hono
 */
export const prometheusHandler =
  (metrics: Pick<Metrics, 'snapshot'>, options: PrometheusOptions = {}): ((request?: Request) => Promise<Response>) =>
  async (request) => {
    if (request && request.method !== 'GET' && request.method !== 'HEAD')
      return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } });
    const text = toPrometheus(await metrics.snapshot(), options);
    return new Response(request?.method === 'HEAD' ? null : text, {
      headers: { 'content-type': prometheusContentType },
    });
  };

/** A metric without samples has its head too, so that Prometheus knows it from the start. */
const linesOf = ({ type, help, samples }: Metric, name: string): readonly string[] => [
  // https://prometheus.io/docs/instrumenting/exposition_formats/
  `# HELP ${name} ${escapeHelp(help)}`,
  `# TYPE ${name} ${type}`,
  ...samples.flatMap((sample) => (sample.latency ? histogramLines(sample, name) : [line(name, sample)])),
  '',
];

const histogramLines = ({ labels, latency, value }: Sample, name: string): readonly string[] => {
  const { buckets = [], sumMs = 0 } = latency ?? {};
  return [
    ...buckets.map(({ upToMs, count }) =>
      line(`${name}_bucket`, { labels: { ...labels, le: String(upToMs / 1_000) }, value: count }),
    ),
    line(`${name}_bucket`, { labels: { ...labels, le: '+Inf' }, value }),
    line(`${name}_sum`, { labels, value: sumMs / 1_000 }),
    line(`${name}_count`, { labels, value }),
  ];
};

const line = (name: string, { labels, value }: Sample): string => {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`;
};

const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
