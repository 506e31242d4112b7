import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { apiKey, bearer } from '../../src/auth/secret-credential.ts';
import { createIntegration } from '../../src/integration.ts';
import { subscribeToEvents } from '../../src/observability/emitter.ts';
import { logTo } from '../../src/observability/log-to.ts';
import { openTelemetry } from '../../src/observability/opentelemetry/index.ts';
import { createMetrics } from '../../src/observability/metrics/create-metrics.ts';
import { toPrometheus } from '../../src/observability/prometheus/index.ts';
import { defineEvent } from '../../src/outbox/define-event.ts';
import { createOutbox } from '../../src/outbox/outbox.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { createFakePlatform } from '../../src/dev/testing/index.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { hmac } from '../../src/webhooks/authentication/hmac.ts';
import { createWebhookReceiver } from '../../src/webhooks/receiver.ts';
import { answer, startFaultServer } from '../support/fault-server.ts';
import { registerSdk } from '../support/open-telemetry.ts';
import { delivery } from '../webhooks/receiver-parts.ts';
import fc from '../support/fast-check.ts';

/** With the digit that makes it pass Luhn. */
const cardOf = (digits: string): string => {
  const doubled = digits.split('').map((digit, index) => (index % 2 === 0 ? Number(digit) * 2 : Number(digit)));
  const sum = doubled.reduce((total, digit) => total + (digit > 9 ? digit - 9 : digit), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
};

/** Never a word that is in events anyway. */
const word = (length: number) =>
  fc
    .array(fc.constantFrom(...'abcdefghjkmnpqrstuvwxyz23456789'.split('')), { minLength: length, maxLength: length })
    .map((letters) => `q7${letters.join('')}`);

const seeds = fc.record({
  // Long rows of zeros and nines also stand in durations.
  phone: fc.integer({ min: 2_123_456_789, max: 9_876_543_210 }).map((number) => `+1${number}`),
  email: word(9).map((local) => `${local}@mail.example`),
  card: fc.integer({ min: 0, max: 99_999_999_999_999 }).map((number) => cardOf(`4${String(number).padStart(14, '0')}`)),
  apiSecret: word(20).map((rest) => `key/${rest}+x`),
  hookSecret: word(20),
});

type Seeds = typeof seeds extends fc.Arbitrary<infer Value> ? Value : never;

/** As they may be written, also where a plus or the spaces are gone. */
const formsOf = ({ phone, email, card, apiSecret, hookSecret }: Seeds): readonly string[] => [
  phone,
  phone.slice(2),
  encodeURIComponent(phone),
  email,
  email.split('@')[0] ?? '',
  card,
  card.replace(/(.{4})(?=.)/g, '$1 '),
  apiSecret,
  encodeURIComponent(apiSecret),
  apiSecret.slice(4, -2),
  Buffer.from(apiSecret).toString('base64'),
  hookSecret,
];

test('no secret and no personal value leaves in an event, a channel, a log line, a metric, a span or an alert', async () => {
  await fc.assert(
    fc.asyncProperty(seeds, async (seeded) => {
      const sinks = openSinks();
      await callTheApis(seeded, sinks.listeners);
      await receiveWebhooks(seeded, sinks.listeners);
      await publishEvents(seeded, sinks.listeners);
      const texts = await sinks.close();

      expect(new Set(sinks.types())).toEqual(everyType);
      expect(texts.spans).toContain('deliver crm');
      expect(Object.entries(texts).flatMap(([sink, text]) => leaksOf(sink, text, seeded))).toEqual([]);
    }),
    // Every run is a second of real calls; a smaller example would say no more.
    { numRuns: 5, endOnFailure: true },
  );
});

const leaksOf = (sink: string, text: string, seeded: Seeds): readonly string[] =>
  formsOf(seeded).flatMap((form) => {
    const at = text.indexOf(form);
    return at < 0 ? [] : [`${form} left through ${sink}: …${text.slice(Math.max(0, at - 80), at + form.length + 20)}…`];
  });

/** All that are caused here: a leak in a type that does not happen would not be found. */
const everyType: ReadonlySet<string> = new Set([
  'call',
  'attempt',
  'circuit',
  'rate-limit',
  'version-warning',
  'schema-drift',
  'credential-used',
  'tool-run',
  'webhook-received',
  'message-published',
  'delivery',
  'message-dead',
  'destination-disabled',
]);

type Listeners = ReturnType<typeof openSinks>['listeners'];

/** Everything through which something can leave. */
const openSinks = () => {
  const events: { readonly type: string }[] = [];
  const published: unknown[] = [];
  const lines: string[] = [];
  const metrics = createMetrics({ perTenant: true });
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const sdk = registerSdk();
  const stop = subscribeToEvents((event) => void published.push(event));
  return {
    types: () => events.map(({ type }) => type),
    listeners: [
      (event: { readonly type: string }) => void events.push(event),
      logTo(logger),
      metrics.onEvent,
      openTelemetry(),
    ],
    close: async () => {
      stop();
      const snapshot = await metrics.snapshot();
      const spans = sdk.spans().map(({ name, attributes, events: within, status, links }) => {
        return { name, attributes, within, status, links };
      });
      const metricNames = await sdk.metricNames();
      const points = await Promise.all(metricNames.map((name) => sdk.metric(name)));
      await sdk[Symbol.asyncDispose]();
      return {
        events: JSON.stringify(events),
        channels: JSON.stringify(published),
        log: lines.join(''),
        metrics: JSON.stringify(snapshot),
        prometheus: toPrometheus(snapshot),
        spans: JSON.stringify(spans),
        'OpenTelemetry’s metrics': JSON.stringify(points),
      };
    },
  };
};

/** Calls, payments and tools on a platform that repeats what it was sent, wherever it can. */
const callTheApis = async (seeded: Seeds, onEvent: Listeners) => {
  const { phone, email, card, apiSecret } = seeded;
  const everything = `${phone} ${email} ${card} ${apiSecret}`;
  const credentials = [apiSecret];
  await using platform = createFakePlatform({
    messaging: { credentials },
    crm: { credentials },
    billing: { credentials },
  });
  const baseUrls = await platform.listen();
  const ids = `${phone}:${email}:${apiSecret}`;
  const shared = {
    tenant: `tenant ${ids}`,
    onEvent,
    backoff: { minimumMs: 0, maximumMs: 0 },
    circuit: { minimumVolume: 3, failureShare: 0.1 },
  };
  await using integration = createIntegration({
    messaging: {
      ...shared,
      baseUrl: baseUrls.messaging,
      authenticate: bearer(() => apiSecret),
      platform: 'Acme',
      version: '2.11',
      adminId: 'admin_1',
    },
    crm: { ...shared, baseUrl: baseUrls.crm, authenticate: bearer(() => apiSecret), version: '60.0' },
    billing: {
      ...shared,
      baseUrl: baseUrls.billing,
      authenticate: apiKey('X-Api-Key', () => apiSecret),
      version: { path: 'v1' },
    },
    payments: { below: 5_000, confirm: false },
    tenant: shared.tenant,
    onEvent,
  });
  const { messaging, crm, billing } = integration;
  const callId = `CA ${ids}`;
  const headers = {
    'x-request-id': everything,
    deprecation: everything,
    sunset: everything,
    'acme-version': everything,
  };
  const echo = { error: { code: everything, message: everything, [email]: everything }, type: everything };
  platform.fault('messaging.contacts.get', [
    { status: 200, body: { id: 'con_1', phone: 7, email: { [phone]: card }, [email]: 1 } },
    { headers },
    { status: 400, body: echo, headers },
    { status: 429, body: echo, headers, retryAfter: 1 },
    { status: 503, body: echo, headers },
    { reset: 'after-headers' },
    { truncate: true },
  ]);
  platform.fault('crm.leads.create', [{ status: 400, body: [echo] }]);
  platform.fault('billing.payments.create', [
    { executeThenDrop: true },
    { status: 200, body: { status: { [email]: 1 } } },
  ]);
  const options = { callId };
  const contact = await messaging.contacts.create({ phone, email, name: everything }, options).catch(() => undefined);
  for (let time = 0; time < 5; time += 1) await messaging.contacts.get(contact?.id ?? 'con_1', options).catch(() => {});
  const operation = `custom for ${everything}`;
  await crm.request({ operation, method: 'GET', path: 'limits', returns: (json) => json }, options).catch(() => {});
  await crm.leads.create({ LastName: everything, Company: card, Email: email, Phone: phone }, options).catch(() => {});
  const payment = { customer_id: `cus ${email}`, invoice_id: card, amount: 10, payment_method_id: phone };
  await billing.payments.create(payment, { ...options, idempotencyKey: ids }).catch(() => {});

  const phoneCall = integration.startPhoneCall({
    callId,
    direction: 'Inbound',
    phone,
    payments: { card: 'from-model', confirm: false },
  });
  const toolCallId = `tool ${ids}`;
  for (const [name, args] of [
    ['lookup_customer_invoices', { phone, email }],
    ['create_payment', { ...payment, [email]: card }],
    ['add_note', { body: everything, conversation_id: ids }],
    [everything, everything],
  ] as const)
    await phoneCall.tools.run(name, args, { toolCallId });
};

/** Genuine webhooks that repeat everything, valid and not, and forged ones. */
const receiveWebhooks = async (seeded: Seeds, onEvent: Listeners) => {
  const { phone, email, card, hookSecret } = seeded;
  const everything = `${phone} ${email} ${card} ${hookSecret}`;
  const receive = createWebhookReceiver({
    authentication: [hmac({ secrets: () => hookSecret, sender: `sender ${email}` })],
    store: createMemoryIdempotencyStore(),
    unlistedEvents: 'acknowledge',
    callId: () => everything.replace(card, ''),
    eventId: ({ type }) => `${type} ${phone} ${email} ${hookSecret}`,
    onEvent,
    events: { known: z.looseObject({}), failing: z.looseObject({}), strict: z.object({ amount: z.number() }) },
    on: {
      known: () => {},
      failing: () => {
        throw new Error(everything);
      },
      strict: () => {},
    },
  });
  const body = {
    id: `${phone} ${hookSecret}`,
    order_id: `${'-'.repeat(90)}${hookSecret}`,
    state: card,
    phone: Number(phone.slice(1)),
    mobile_id: phone,
    card: Number(card),
    email,
    note: everything,
    nested: [{ [email]: { reason: everything, [phone]: [everything], token: hookSecret } }],
  };
  for (const type of ['known', 'failing', 'strict', everything])
    await receive(
      delivery({ type, ...body }, { secret: hookSecret, url: `https://hook.test/${email}?phone=${phone}` }),
    );
  await receive(delivery({ type: everything, ...body }, { secret: 'a-forged-secret' }));
};

/** Deliveries that fail, are refused and succeed. */
const publishEvents = async (seeded: Seeds, onEvent: Listeners) => {
  const { phone, email, card, apiSecret, hookSecret } = seeded;
  const everything = `${phone} ${email} ${card} ${apiSecret} ${hookSecret}`;
  await using server = await startFaultServer(
    answer({ status: 500, body: everything }),
    answer({ status: 204 }),
    answer({ status: 410, body: everything }),
  );
  const clock = createVirtualClock();
  const seen: string[] = [];
  const ended = Promise.withResolvers<void>();
  const outbox = createOutbox({
    queue: createMemoryMessageQueue({}),
    destinations: [
      {
        name: 'crm',
        url: `${server.origin}/hook`,
        version: 1,
        concurrency: 1,
        circuit: false,
        authenticate: bearer(() => apiSecret),
        signing: { secrets: () => [hookSecret] },
      },
    ],
    allowNetworks: ['127.0.0.0/8', '::1/128'],
    tenant: `${phone} ${email}`,
    // An event is stored before a secret was read for its delivery.
    redact: { secrets: () => [apiSecret, hookSecret] },
    onEvent: [
      ...onEvent,
      ({ type }) => {
        seen.push(type);
        if (type === 'destination-disabled') ended.resolve();
      },
    ],
  });
  const event = defineEvent('call.completed', { 1: z.looseObject({}) });
  const publish = (key: string) =>
    outbox.publish({
      event,
      payload: { call_id: `${phone} ${apiSecret}`, [email]: card, reason: everything, note: everything },
      idempotencyKey: `${key}:${phone}:${email}:${apiSecret}:${hookSecret}`,
      callId: `CA ${phone} ${email}`,
    });
  await publish('first');
  await server.request(1);
  while (!seen.includes('delivery')) await clock.advance(0);
  await clock.advance(1_300);
  await server.request(2);
  await publish('second');
  await clock.advance(1_300);
  await server.request(3);
  while (!seen.includes('destination-disabled')) await clock.advance(10);
  await ended.promise;
  await outbox.close(0);
  // The next run calls the APIs in real time.
  vi.useRealTimers();
};
