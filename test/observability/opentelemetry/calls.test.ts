import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { isTracingSuppressed } from '@opentelemetry/core';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { apiKey } from '../../../src/auth/index.ts';
import { type BillingOptions, createBillingClient } from '../../../src/billing/index.ts';
import { createIntegration } from '../../../src/integration.ts';
import { openTelemetry } from '../../../src/observability/opentelemetry/index.ts';
import type { RateLimiter } from '../../../src/stores/ports/rate-limiter.ts';
import { createMemoryRateLimiter } from '../../../src/stores/memory-rate-limiter.ts';
import { testCredentials } from '../../../src/dev/testing/index.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { billingTools, createToolbox } from '../../../src/tools/index.ts';
import { connectPlatform } from '../../support/connected-platform.ts';
import { registerSdk, type RegisteredSdk } from '../../support/open-telemetry.ts';

type Connected = Awaited<ReturnType<typeof connectPlatform>>;

let connected: Connected;

beforeEach(async () => {
  connected = await connectPlatform();
  connected.platform.billing.addCustomer(known);
});

afterEach(() => connected[Symbol.asyncDispose]());

const billingWith = (options: Partial<BillingOptions> = {}) =>
  createBillingClient({ ...connected.clientOptions.billing, onEvent: openTelemetry(), ...options });

const known = { phone: '+14155550100' };

/** What the server was sent, request by request. */
const sent = (header: string) => connected.platform.requests.map(({ headers }) => headers[header]);

const traceparentOf = (span: ReadableSpan | undefined) =>
  `00-${span?.spanContext().traceId}-${span?.spanContext().spanId}-01`;

/** What the tool that looks invoices up asks for. */
const lookUp = [{ 'billing.customers.find': ['GET'] }, { 'billing.invoices.listOpen': ['GET'] }];

const named = (spans: readonly ReadableSpan[], name: string) => spans.filter((span) => span.name === name);

const inSpan = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  trace.getTracer('application').startActiveSpan(name, (span) => work().finally(() => span.end()));

describe('with an SDK', () => {
  let sdk: RegisteredSdk;

  beforeEach(() => {
    sdk = registerSdk();
  });

  afterEach(() => sdk[Symbol.asyncDispose]());

  test('a call shows each of its attempts, what they waited for, and why the first one failed', async () => {
    const { platform } = connected;
    platform.fault('billing.customers.find', [{ status: 503 }, 'ok']);
    const billing = billingWith({ tenant: 'acme', backoff: { minimumMs: 250, maximumMs: 250 } });

    await billing.customers.find(known, { callId: 'CA1' });

    const spans = sdk.spans();
    const { port, hostname } = new URL(connected.clientOptions.billing.baseUrl);
    const who = {
      'voice_agent.api': 'billing',
      'voice_agent.operation': 'billing.customers.find',
      'voice_agent.tenant': 'acme',
      'voice_agent.call_id': 'CA1',
    };
    const where = {
      'http.request.method': 'GET',
      'server.address': hostname,
      'server.port': Number(port),
      'url.scheme': 'http',
    };
    expect(sdk.trees()).toEqual([{ 'billing.customers.find': ['GET', 'GET'] }]);
    expect(spans.map(({ kind, status, attributes }) => ({ kind, status, attributes }))).toEqual([
      {
        kind: SpanKind.CLIENT,
        status: { code: SpanStatusCode.ERROR, message: '503' },
        attributes: {
          ...who,
          ...where,
          'http.response.status_code': 503,
          'error.type': '503',
          'voice_agent.request_id': expect.any(String),
        },
      },
      {
        kind: SpanKind.CLIENT,
        status: { code: SpanStatusCode.UNSET },
        attributes: {
          ...who,
          ...where,
          'http.request.resend_count': 1,
          'http.response.status_code': 200,
          'voice_agent.request_id': expect.any(String),
        },
      },
      {
        kind: SpanKind.INTERNAL,
        status: { code: SpanStatusCode.UNSET },
        attributes: {
          ...who,
          'voice_agent.outcome': 'ok',
          'voice_agent.attempts': 2,
          'voice_agent.deadline_ms': 8000,
        },
      },
    ]);
    expect(spans.map(({ events }) => events.map(({ name, attributes }) => [name, attributes]))).toEqual([
      [],
      [['voice_agent.wait', { 'voice_agent.wait.reason': 'backoff', 'voice_agent.wait.ms': 250 }]],
      [],
    ]);
  });

  test('the server gets the trace with each attempt, and each is another parent', async () => {
    connected.platform.fault('billing.customers.find', [{ status: 503 }, 'ok']);

    await billingWith().customers.find(known);

    const [first, second] = named(sdk.spans(), 'GET');
    expect(sent('traceparent')).toEqual([traceparentOf(first), traceparentOf(second)]);
    expect(first?.spanContext().traceId).toBe(second?.spanContext().traceId);
  });

  test('a call is below the span in which the application makes it, also next to others', async () => {
    const billing = billingWith();

    await Promise.all(
      ['one', 'two'].map((turn) =>
        inSpan(`turn ${turn}`, async () => {
          await billing.customers.find(known);
          await billing.customers.find(known);
        }),
      ),
    );

    const call = { 'billing.customers.find': ['GET'] };
    expect(sdk.trees()).toEqual([{ 'turn one': [call, call] }, { 'turn two': [call, call] }]);
  });

  test('what a tool asks for is below the tool call', async () => {
    const onEvent = openTelemetry();
    const billing = billingWith({ onEvent });
    const toolbox = createToolbox({
      tools: billingTools({
        billing,
        payments: false,
      }),
      context: { callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } },
      onEvent,
    });

    await toolbox.run('lookup_customer_invoices', {}, { toolCallId: 'tool_1' });
    await toolbox.run('no_such_tool', {});

    expect(sdk.trees()).toEqual([{ 'execute_tool lookup_customer_invoices': lookUp }, 'execute_tool unknown']);
    const [done, unknown] = sdk.spans().filter(({ name }) => name.startsWith('execute_tool'));
    expect([done?.attributes, done?.status]).toEqual([
      {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'lookup_customer_invoices',
        'gen_ai.tool.type': 'function',
        'gen_ai.tool.call.id': 'tool_1',
        'voice_agent.api': 'tools',
        'voice_agent.operation': 'tools.lookup_customer_invoices',
        'voice_agent.call_id': 'CA1',
        'voice_agent.tool.effect': 'read',
        'voice_agent.tool.status': 'done',
        'voice_agent.tool.replayed': false,
      },
      { code: SpanStatusCode.UNSET },
    ]);
    expect([unknown?.attributes['gen_ai.tool.name'], unknown?.attributes['error.type']]).toEqual([
      'unknown',
      'invalid_arguments',
    ]);
  });

  test('given to an integration, it follows its clients, its phone calls and their tools', async () => {
    const { messaging, crm, billing } = connected.clientOptions;
    await using integration = createIntegration({ messaging, crm, billing, onEvent: openTelemetry() });
    const phoneCall = integration.startPhoneCall({ callId: 'CA7', direction: 'Inbound', phone: '+14155550100' });

    await phoneCall.tools.run('lookup_customer_invoices', {});

    expect(sdk.trees()).toEqual([{ 'execute_tool lookup_customer_invoices': lookUp }]);
    expect(new Set(sdk.spans().map(({ attributes }) => attributes['voice_agent.call_id']))).toEqual(new Set(['CA7']));
  });

  test('a call that was refused has the code of its error, and no word of the answer', async () => {
    connected.platform.fault('billing.customers.find', [{ status: 400, body: { message: 'Jo Doe is unknown' } }]);

    await billingWith()
      .customers.find(known)
      .catch(() => {});

    const spans = sdk.spans();
    expect(spans.map(({ name, status }) => [name, status.message])).toEqual([
      ['GET', '400'],
      ['billing.customers.find', 'client_error'],
    ]);
    expect(JSON.stringify(spans.map(({ attributes, events }) => [attributes, events]))).not.toContain('Jo Doe');
  });

  test('a caller who hangs up is no failure', async () => {
    const stop = new AbortController();
    const billing = billingWith({
      fetch: async () => {
        stop.abort();
        throw new Error('the connection was closed');
      },
    });

    await billing.customers.find(known, { signal: stop.signal }).catch(() => {});

    const [call] = named(sdk.spans(), 'billing.customers.find');
    expect([call?.status.code, call?.attributes['error.type']]).toEqual([SpanStatusCode.UNSET, 'aborted']);
  });

  test('a network failure is named by its code', async () => {
    connected.platform.fault('billing.customers.find', [{ reset: 'before-headers' }]);
    const billing = billingWith({ attempts: 1 });

    await billing.customers.find(known).catch(() => {});

    const [attempt] = named(sdk.spans(), 'GET');
    expect(attempt?.attributes['error.type']).toBe('ECONNRESET');
  });

  test('an attempt that waits at the rate limit says so', async () => {
    const clock = createVirtualClock();
    const limiter: RateLimiter = {
      ...createMemoryRateLimiter({ limit: 1, perMs: 1 }),
      acquire: () => clock.advance(250),
    };

    await billingWith({ rateLimit: limiter }).customers.find(known);

    expect(named(sdk.spans(), 'GET').map(({ events }) => events.map(({ attributes }) => attributes))).toEqual([
      [{ 'voice_agent.wait.reason': 'rate_limit', 'voice_agent.wait.ms': 250 }],
    ]);
  });

  test('baggage stays at home', async () => {
    const baggage = propagation.createBaggage({ caller: { value: 'Jo Doe' } });

    await context.with(propagation.setBaggage(context.active(), baggage), () => billingWith().customers.find(known));

    expect(sent('baggage')).toEqual([undefined]);
    expect(sent('traceparent')).toEqual([traceparentOf(named(sdk.spans(), 'GET')[0])]);
  });

  test('a header of the application is left as it is', async () => {
    const billing = billingWith({
      middleware: {
        perAttempt: [(request, next) => next({ ...request, headers: { ...request.headers, traceparent: 'its own' } })],
      },
    });

    await billing.customers.find(known);

    expect(sent('traceparent')).toEqual(['its own']);
  });

  test.each([
    [true, [false, true], 'must leave the request alone, and not what reads a secret'],
    [false, [false, false], 'has its way where the trace is not sent along'],
  ])('propagate %s: what instruments fetch %2$s', async (propagate, expected) => {
    const suppressed: boolean[] = [];
    const note = () => void suppressed.push(isTracingSuppressed(context.active()));
    const billing = billingWith({
      onEvent: openTelemetry({ propagate }),
      authenticate: apiKey('X-Api-Key', () => {
        note();
        return testCredentials.billing;
      }),
      fetch: (input, init) => {
        note();
        return fetch(input, init);
      },
    });

    await billing.customers.find(known);

    expect(suppressed).toEqual(expected);
    expect(sent('traceparent').map((header) => header !== undefined)).toEqual([propagate]);
  });

  test('several tracers follow the same call', async () => {
    const billing = billingWith({ onEvent: [openTelemetry(), openTelemetry()] });

    await billing.customers.find(known);

    expect(sdk.trees()).toEqual(['billing.customers.find', { 'billing.customers.find': ['GET', 'GET'] }]);
  });
});

describe('without an SDK', () => {
  test('nothing is made, nothing is sent and nothing fails', async () => {
    const tracer = openTelemetry();
    const billing = billingWith({ onEvent: tracer });

    expect(await billing.customers.find(known)).toMatchObject({ id: expect.any(String) as string });
    expect(tracer.isOn()).toBe(false);
    expect(sent('traceparent')).toEqual([undefined]);
  });

  test('one that is registered later is used from then on', async () => {
    const billing = billingWith();
    await billing.customers.find(known);
    await using sdk = registerSdk();

    await billing.customers.find(known);

    expect(sdk.trees()).toEqual([{ 'billing.customers.find': ['GET'] }]);
    expect(await sdk.metric('voice_agent.call.duration')).toHaveLength(1);
  });

  test('spans alone will do', async () => {
    await using sdk = registerSdk({ meters: false });

    await billingWith().customers.find(known);

    expect(sdk.trees()).toEqual([{ 'billing.customers.find': ['GET'] }]);
    expect(await sdk.metricNames()).toEqual([]);
  });
});
