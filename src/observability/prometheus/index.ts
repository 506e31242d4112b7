/**
 * Metrics in the text format of Prometheus.
 *
 * @module
 */
import type { Metrics } from '../metrics/create-metrics.ts';
import type { MetricsSnapshot } from '../metrics/snapshot.ts';
import { contentType, expose } from './exposition.ts';
import { familiesOf } from './families.ts';

/** How metrics are named. */
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
export const prometheusContentType: string = contentType;

/**
 * Writes a snapshot of metrics in the text format of Prometheus. Times are in seconds.
 *
 * @example
 * response.setHeader('content-type', prometheusContentType).end(toPrometheus(await metrics.snapshot()));
 */
export const toPrometheus = (snapshot: MetricsSnapshot, { prefix = 'voice_agent_' }: PrometheusOptions = {}): string =>
  expose(familiesOf(snapshot), prefix);

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
