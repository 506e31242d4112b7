/** A trace from a tool call down to each request, printed as a tree: `npm run example opentelemetry`. */
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { createIntegration } from 'voice-agent-integrations';
import { apiKey } from 'voice-agent-integrations/auth';
import { openTelemetry } from 'voice-agent-integrations/observability/opentelemetry';
import { createFakePlatform, testCredentials } from 'voice-agent-integrations/testing';

// An application has this already, mostly by NodeSDK of @opentelemetry/sdk-node; here, spans end in memory.
const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());

await using platform = createFakePlatform();
const { billing: baseUrl } = await platform.listen();
const customer = platform.billing.addCustomer({ name: 'Ada Lovelace', phone: '+14155550100' });
platform.billing.addInvoice({ customer_id: customer.id, amount: 120, due_date: '2026-09-01' });
platform.fault('billing.customers.find', [{ status: 503 }, 'ok']);

await using integration = createIntegration({
  billing: {
    baseUrl,
    authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
    version: { path: 'v1' },
  },
  payments: { below: 5_000 },
  onEvent: openTelemetry(),
});

const phoneCall = integration.startPhoneCall({ callId: 'CA123', direction: 'inbound', phone: '+14155550100' });
await trace.getTracer('application').startActiveSpan('phone call', async (span) => {
  await phoneCall.tools.run('lookup_customer_invoices', {});
  span.end();
});

const spans = exporter.getFinishedSpans();

const print = (span: ReadableSpan, depth: number): void => {
  const { 'http.response.status_code': status = '', 'voice_agent.call_id': callId = '' } = span.attributes;
  const waits = span.events.map(({ attributes }) => `after ${String(attributes?.['voice_agent.wait.reason'])}`);
  console.log(
    [`${'  '.repeat(depth)}${span.name}`, String(status), ...waits, String(callId)].filter(Boolean).join('  '),
  );
  for (const child of spans) if (child.parentSpanContext?.spanId === span.spanContext().spanId) print(child, depth + 1);
};

for (const span of spans) if (!span.parentSpanContext) print(span, 0);
console.log(`the API got: traceparent ${platform.requests[0]?.headers['traceparent']}`);
