import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { openTelemetry } from '../../../src/observability/opentelemetry/index.ts';
import type { Destination } from '../../../src/outbox/destination.ts';
import type { OutboxOptions } from '../../../src/outbox/outbox.ts';
import type { MessageQueue } from '../../../src/stores/ports/message-queue.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory-idempotency-store.ts';
import { createMemoryMessageQueue } from '../../../src/stores/memory-message-queue.ts';
import { hmac } from '../../../src/webhooks/authentication/hmac.ts';
import { readDataEnvelope } from '../../../src/webhooks/envelope.ts';
import { createWebhookReceiver, type WebhookReceiver } from '../../../src/webhooks/receiver.ts';
import { callCompleted, openOutbox } from '../../support/open-outbox.ts';
import { registerSdk, type RegisteredSdk } from '../../support/open-telemetry.ts';
import { startRecordingServer } from '../../support/recording-server.ts';
import { serve } from '../../support/serve.ts';
import { until } from '../../support/until.ts';
import { delivery, makeReceiver } from '../../webhooks/receiver-parts.ts';

/** OpenTelemetry makes its ids with `Math.random`. */
const openTraced = (options: Partial<OutboxOptions>) => {
  const opened = openOutbox(options);
  vi.mocked(Math.random).mockRestore();
  return opened;
};

const secret = 'shared-by-both';

let sdk: RegisteredSdk;

beforeEach(() => {
  sdk = registerSdk();
});

afterEach(() => sdk[Symbol.asyncDispose]());

/** Takes what an outbox delivers; with a queue, it is handled later. */
const receiverOf = (handled: unknown[], queue?: MessageQueue): WebhookReceiver =>
  createWebhookReceiver({
    name: 'voice',
    authentication: [hmac({ secrets: () => secret })],
    store: createMemoryIdempotencyStore(),
    envelope: readDataEnvelope,
    onEvent: openTelemetry(),
    callId: ({ payload }) => (payload as { callId: string }).callId,
    ...(queue && { queue }),
    events: { 'call.completed': { 1: z.object({ callId: z.string() }) } },
    on: { 'call.completed': ({ payload }) => void handled.push(payload) },
  });

const destinationAt = (url: string): Destination => ({
  name: 'crm',
  url: `${url}/hook/v1`,
  version: 1,
  signing: { secrets: () => [secret] },
});

const publication = {
  event: callCompleted,
  payload: { callId: 'CA1' },
  idempotencyKey: 'CA1:completed',
  callId: 'CA1',
} as const;

const inSpan = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  trace.getTracer('application').startActiveSpan(name, (span) => work().finally(() => span.end()));

const ended = (name: string) => until(() => sdk.spans().find((span) => span.name === name));

const linksOf = ({ links }: ReadableSpan) => links.map(({ context }) => context.spanId);

const idOf = (span: ReadableSpan) => span.spanContext().spanId;

test('an event is one trace from the phone call through the queue and another process to who receives it', async () => {
  const handled: unknown[] = [];
  await using server = await serve(receiverOf(handled));
  const queue = createMemoryMessageQueue();
  const destinations = [destinationAt(server.url)];
  const onEvent = openTelemetry();
  await using publisher = openTraced({ queue, destinations, deliver: false, onEvent });

  await inSpan('phone call', () => publisher.outbox.publish(publication));
  // The process that delivers was started somewhere else, and the event does not come from there.
  await using _worker = await inSpan('start-up', async () => openTraced({ queue, destinations, onEvent }));
  const deliver = await ended('deliver crm');

  expect(handled).toEqual([{ callId: 'CA1' }]);
  expect(sdk.trees()).toEqual([
    { 'phone call': [{ 'publish call.completed': [{ 'deliver crm': [{ POST: ['webhook voice'] }] }] }] },
    'start-up',
  ]);
  const publish = await ended('publish call.completed');
  const post = await ended('POST');
  const webhook = await ended('webhook voice');
  expect([publish, deliver, post, webhook].map(({ kind }) => kind)).toEqual([
    SpanKind.PRODUCER,
    SpanKind.CONSUMER,
    SpanKind.CLIENT,
    SpanKind.SERVER,
  ]);
  expect([publish, deliver, post, webhook].map(linksOf)).toEqual([[], [idOf(publish)], [], []]);
  const about = { 'voice_agent.call_id': 'CA1', 'voice_agent.event': 'call.completed' };
  const message = { 'messaging.system': 'voice_agent', 'messaging.message.id': 'CA1:completed' };
  expect([publish.attributes, deliver.attributes, webhook.attributes]).toEqual([
    {
      ...about,
      ...message,
      'messaging.operation.type': 'send',
      'voice_agent.api': 'outbox',
      'voice_agent.operation': 'outbox.publish',
    },
    {
      ...about,
      ...message,
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'crm',
      'http.response.status_code': 204,
      'voice_agent.api': 'outbox',
      'voice_agent.operation': 'outbox.crm',
      'voice_agent.attempt': 1,
      'voice_agent.outcome': 'delivered',
    },
    {
      ...about,
      'messaging.message.id': 'CA1:completed',
      'http.request.method': 'POST',
      'http.response.status_code': 204,
      'voice_agent.api': 'webhooks',
      'voice_agent.operation': 'webhooks.receive',
      'voice_agent.receiver': 'voice',
      'voice_agent.outcome': 'handled',
    },
  ]);
});

test('an event that is acknowledged and handled later stays in its trace', async () => {
  const handled: unknown[] = [];
  const receive = receiverOf(handled, createMemoryMessageQueue());
  await using server = await serve(receive);
  await using under = openTraced({
    destinations: [destinationAt(server.url)],
    onEvent: openTelemetry(),
  });

  await under.outbox.publish(publication);
  const webhook = await ended('webhook voice');
  const worker = receive.startWorker();
  const later = await ended('process voice');
  await worker.close(0);
  await ended('deliver crm');

  expect(handled).toEqual([{ callId: 'CA1' }]);
  expect(sdk.trees()).toEqual([
    { 'publish call.completed': [{ 'deliver crm': [{ POST: [{ 'webhook voice': ['process voice'] }] }] }] },
  ]);
  expect([later.kind, linksOf(later)]).toEqual([SpanKind.CONSUMER, [idOf(webhook)]]);
  expect([webhook, later].map(({ attributes }) => attributes['voice_agent.outcome'])).toEqual(['queued', 'handled']);
});

test('each attempt to deliver is a span of its own below the publication, and sends its own parent', async () => {
  await using server = await startRecordingServer();
  server.answer({ status: 503 }, { status: 200 });
  await using under = openTraced({ destinations: [destinationAt(server.baseUrl)], onEvent: openTelemetry() });

  await under.outbox.publish(publication);
  await ended('deliver crm');
  await under.clock.advance(2_000);
  await until(() => sdk.spans().filter(({ name }) => name === 'deliver crm').length === 2);

  const attempt = { 'deliver crm': ['POST'] };
  expect(sdk.trees()).toEqual([{ 'publish call.completed': [attempt, attempt] }]);
  const posts = sdk.spans().filter(({ name }) => name === 'POST');
  expect(server.requests.map(({ headers }) => headers['traceparent'])).toEqual(
    posts.map((post) => `00-${post.spanContext().traceId}-${idOf(post)}-01`),
  );
  const failed = await ended('deliver crm');
  expect(failed.status).toEqual({ code: SpanStatusCode.ERROR, message: 'server_error' });
  // A second, give or take a fifth.
  expect(failed.attributes['voice_agent.retry_in_ms']).toBeOneOf(Array.from({ length: 401 }, (_, more) => 800 + more));
});

test('what cannot be stored is a failed publication', async () => {
  const queue = createMemoryMessageQueue();
  await using under = openTraced({
    queue: { ...queue, enqueue: async () => Promise.reject(new Error('the disk is full of secrets')) },
    destinations: [destinationAt('https://crm.example')],
    onEvent: openTelemetry(),
  });

  await under.outbox.publish(publication).catch(() => {});

  const publish = await ended('publish call.completed');
  expect([publish.status, publish.attributes['error.type'], publish.events]).toEqual([
    { code: SpanStatusCode.ERROR, message: 'internal_error' },
    'internal_error',
    [],
  ]);
});

test('what an application without tracing published is delivered in a trace of its own', async () => {
  await using server = await startRecordingServer();
  const queue = createMemoryMessageQueue();
  const destinations = [destinationAt(server.baseUrl)];
  await using publisher = openTraced({ queue, destinations, deliver: false });
  await publisher.outbox.publish(publication);

  await using _worker = openTraced({ queue, destinations, onEvent: openTelemetry() });
  const deliver = await ended('deliver crm');

  expect(sdk.trees()).toEqual([{ 'deliver crm': ['POST'] }]);
  expect(linksOf(deliver)).toEqual([]);
});

test('what is stored with a message is a trace, and no event shows it', async () => {
  const queue = createMemoryMessageQueue();
  const tracer = openTelemetry();
  const events: object[] = [];
  await using under = openTraced({
    queue,
    destinations: [destinationAt('https://crm.example')],
    deliver: false,
    onEvent: [tracer, (event) => void events.push(event)],
  });

  await under.outbox.publish(publication);

  const publish = await ended('publish call.completed');
  const stored = await queue.admin.get('outbox:crm:call.completed/CA1:completed');
  expect(stored?.payload).toMatchObject({
    trace: { traceparent: `00-${publish.spanContext().traceId}-${idOf(publish)}-01` },
  });
  expect(events.map((event) => Object.keys(event))).toEqual([expect.not.arrayContaining(['trace'])]);
});

const theirs = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const traceparent = `00-${theirs.traceId}-${theirs.spanId}-01`;

test("a webhook goes on with its sender's trace, and what its handler does is below it", async () => {
  const { receive } = makeReceiver({
    onEvent: openTelemetry(),
    handler: () => inSpan('handler', async () => {}),
  });

  await receive(delivery(undefined, { headers: { traceparent } }));

  const webhook = await ended('webhook webhooks');
  expect([webhook.kind, webhook.parentSpanContext?.spanId, webhook.spanContext().traceId]).toEqual([
    SpanKind.SERVER,
    theirs.spanId,
    theirs.traceId,
  ]);
  expect((await ended('handler')).parentSpanContext?.spanId).toBe(idOf(webhook));
});

test("within the span of the application's own server, it is its child, and is linked to its sender's", async () => {
  const { receive } = makeReceiver({ onEvent: openTelemetry() });

  await inSpan('POST /hook', () => receive(delivery(undefined, { headers: { traceparent } })));

  const webhook = await ended('webhook webhooks');
  expect(sdk.trees()).toEqual([{ 'POST /hook': ['webhook webhooks'] }]);
  expect([webhook.kind, linksOf(webhook)]).toEqual([SpanKind.INTERNAL, [theirs.spanId]]);
});

test.each(['', '00-00000000000000000000000000000000-0000000000000000-00'])(
  'a webhook with %j for a trace begins one of its own',
  async (header) => {
    const { receive } = makeReceiver({ onEvent: openTelemetry() });

    await receive(delivery(undefined, { headers: { traceparent: header } }));

    expect((await ended('webhook webhooks')).parentSpanContext).toBeUndefined();
  },
);

test.each([
  [
    'a handler that fails',
    { handler: () => Promise.reject(new Error('x')) },
    secret,
    SpanStatusCode.ERROR,
    'handler_failed',
  ],
  ['a forged one', {}, 'forged', SpanStatusCode.UNSET, 'signature_mismatch'],
])('%s is a webhook with its reason', async (_what, options, signedWith, code, reason) => {
  const { receive } = makeReceiver({
    authentication: [hmac({ secrets: () => secret })],
    onEvent: openTelemetry(),
    ...options,
  });

  await receive(delivery(undefined, { secret: signedWith }));

  const webhook = await ended('webhook webhooks');
  expect([webhook.status.code, webhook.attributes['error.type']]).toEqual([code, reason]);
});
