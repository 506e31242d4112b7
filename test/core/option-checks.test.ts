import { describe, expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { createBillingClient } from '../../src/billing/index.ts';
import { createIntegration, InvalidArgumentError, type IntegrationOptions } from '../../src/index.ts';
import { createOutbox } from '../../src/outbox/index.ts';
import { createWebhookReceiver, hmac, sharedSecret } from '../../src/webhooks/index.ts';
import { stripe } from '../../src/billing/stripe/index.ts';
import { hubspot } from '../../src/crm/hubspot/index.ts';
import { zendesk } from '../../src/messaging/zendesk/index.ts';
import { postgres } from '../../src/stores/postgres/index.ts';
import { redis } from '../../src/stores/redis/index.ts';
import { salesforce } from '../../src/crm/salesforce/index.ts';
import { intercom } from '../../src/messaging/intercom/index.ts';
import { createMemoryIdempotencyStore, createMemoryMessageQueue } from '../../src/stores/memory/index.ts';
import { sqlite } from '../../src/stores/sqlite/index.ts';
import { createFakePlatform } from '../../src/dev/testing/index.ts';
import { createToolbox } from '../../src/tools/index.ts';

const authenticate = bearer(() => 'secret');
const billing = { baseUrl: 'https://b.example', authenticate, version: { path: 'v1' } };

const problemsOf = (make: () => unknown): readonly string[] => {
  try {
    make();
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error.problems.map(({ field, problem }) => `${field} ${problem}`);
    throw error;
  }
  return [];
};

test('a wrong configuration is one error that lists every problem of every API', () => {
  const problems = problemsOf(() =>
    createIntegration({
      messaging: { baseUrl: '', authenticate, platform: 'Acme', version: '2.11', adminId: '' },
      crm: { baseUrl: 'https://c.example', authenticate: 'a secret' as never, version: '' },
      billing: { ...billing, baseUrl: 'http://b.example' },
      payments: { below: -1, confirm: false },
      timeZone: 'Mars/Olympus',
    }),
  );

  expect(problems).toEqual([
    'messaging.adminId must not be empty',
    'messaging.baseUrl must be an absolute URL such as https://api.example.com',
    expect.stringMatching(/^timeZone must be /),
    'crm.version must be a version such as 60.0: it is always pinned',
    "crm.authenticate must be made by a function of 'voice-agent-integrations/auth'",
    'billing.baseUrl must be an https URL, unless it is on loopback or allowInsecure is set',
    'payments.below must be a number above 0: every payment stays below it',
  ]);
});

test('its message has all of them, and its field is the first', () => {
  const make = () => createIntegration({ billing: { ...billing, attempts: 0, baseUrl: 'b' } });

  expect(make).toThrow(
    expect.objectContaining({
      field: 'billing.baseUrl',
      message:
        'billing.baseUrl must be an absolute URL such as https://api.example.com; billing.attempts must be an integer of at least 1',
    }),
  );
});

test('a store and a queue that are none are refused when the integration is made', () => {
  const store: object = { close: () => {} };
  const finishLater: object = { queue: {} };

  expect(() => createIntegration({ billing, store, finishLater } as IntegrationOptions)).toThrow(
    "store must be an idempotency store, such as sqlite({ file }).idempotencyStore(), or 'memory'; finishLater.queue must be a message queue, such as sqlite({ file }).messageQueue()",
  );
});

describe('an option that does not exist is refused, with the one that was probably meant:', () => {
  const integrationOf = (options: object) => () => createIntegration({ billing, ...options } as IntegrationOptions);
  const phoneCallOf = (options: object) => () =>
    createIntegration({ billing }).startPhoneCall({ callId: 'CA1', direction: 'inbound', ...options });
  const receiverOf = (options: object) => () =>
    createWebhookReceiver({
      authentication: [hmac({ secrets: () => 's' })],
      store: createMemoryIdempotencyStore(),
      events: {},
      on: {},
      ...options,
    });

  test.each<[string, () => unknown, string]>([
    [
      'of a client',
      integrationOf({ billing: { ...billing, minorUnit: 3 } }),
      'billing.minorUnit is not an option: did you mean minorUnits?',
    ],
    ['of all clients', integrationOf({ onEvnt: () => {} }), 'onEvnt is not an option: did you mean onEvent?'],
    [
      'of all phone calls',
      integrationOf({ phoneCalls: { tols: {} } }),
      'phoneCalls.tols is not an option: did you mean tools?',
    ],
    ['of a phone call', phoneCallOf({ fone: '+14155550100' }), 'fone is not an option: did you mean phone?'],
    ['of a receiver', receiverOf({ events2: {} }), 'events2 is not an option: did you mean events?'],
    [
      'of a circuit breaker',
      integrationOf({ billing: { ...billing, circuit: { openMS: 1 } } }),
      'billing.circuit.openMS is not an option: did you mean openMs?',
    ],
    [
      'of the tools of all phone calls',
      integrationOf({ phoneCalls: { tools: { limts: {} } } }),
      'phoneCalls.tools.limts is not an option: did you mean limits?',
    ],
    ['of the tools', phoneCallOf({ tools: { limts: {} } }), 'tools.limts is not an option: did you mean limits?'],
    [
      'of what a phone call may do',
      phoneCallOf({ tools: { limits: { toolCals: 5 } } }),
      'tools.limits.toolCals is not an option: did you mean toolCalls?',
    ],
    [
      'of payments',
      phoneCallOf({ payments: { card: () => 'pm_1', confrim: 'two-step' } }),
      'payments.confrim is not an option: did you mean confirm?',
    ],
    [
      'of the look-up',
      phoneCallOf({ tools: { billing: { lookp: 'caller' } } }),
      'tools.billing.lookp is not an option: did you mean lookup?',
    ],
    [
      'of a toolbox',
      () => createToolbox({ tools: [], aprove: () => true } as never),
      'aprove is not an option: did you mean approve?',
    ],
    [
      'of a turn',
      () => phoneCall().turn({ budgetMS: 1 } as never),
      'budgetMS is not an option: did you mean budgetMs?',
    ],
    [
      'of Stripe’s preset',
      () => stripe({ currency: 'EUR', acount: 'acct_1' } as never),
      'acount is not an option: did you mean account?',
    ],
    [
      'of HubSpot’s preset',
      () => hubspot({ leadStage: ['lead'] } as never),
      'leadStage is not an option: did you mean leadStages?',
    ],
    [
      'of Zendesk’s preset',
      () => zendesk({ subdomain: 'acme', requestPerMinute: 9 } as never),
      'requestPerMinute is not an option: did you mean requestsPerMinute?',
    ],
    [
      'of the stores in Redis',
      () => redis({ client: {} as never, clent: 1 } as never),
      'redis.clent is not an option: did you mean client?',
    ],
    [
      'of a store in Redis',
      () => redis({ client: {} as never }).idempotencyStore({ prefx: 'a' } as never),
      'prefx is not an option: did you mean prefix?',
    ],
    [
      'of a limiter in Redis',
      () => redis({ client: {} as never }).rateLimiter({ name: 'a', limit: 1, perMS: 1 } as never),
      'perMS is not an option: did you mean perMs?',
    ],
    [
      'of a store in PostgreSQL',
      () => postgres({ pool: {} as never }).idempotencyStore({ tabel: 'a' } as never),
      'tabel is not an option: did you mean table?',
    ],
    [
      'of a shared secret',
      () => sharedSecret({ heder: 'x-token', secrets: () => 's' } as never),
      'heder is not an option: did you mean header?',
    ],
    [
      'of a preset for messaging',
      () => intercom({ regon: 'eu' } as never),
      'regon is not an option: did you mean region?',
    ],
    [
      'of a preset for the CRM',
      () => salesforce({ composit: true } as never),
      'composit is not an option: did you mean composite?',
    ],
    [
      'of a signature',
      () => hmac({ secrets: () => 's', schme: {} } as never),
      'schme is not an option: did you mean scheme?',
    ],
    [
      'of a file',
      () => sqlite({ file: 'a.db', busyTimeout: 1 } as never),
      'sqlite.busyTimeout is not an option: did you mean busyTimeoutMs?',
    ],
    [
      'of a fake platform',
      () => createFakePlatform({ biling: {} } as never),
      'biling is not an option: did you mean billing?',
    ],
    [
      'of a destination',
      () =>
        createOutbox({
          queue: createMemoryMessageQueue(),
          destinations: [{ name: 'd', url: 'https://d.example', version: 1, concurency: 2 } as never],
        }),
      'destination d.concurency is not an option: did you mean concurrency?',
    ],
    ['far from all others', integrationOf({ somethingElse: 1 }), 'somethingElse is not an option'],
  ])('%s', (_, make, problem) => {
    expect(problemsOf(make)).toEqual([problem]);
  });

  const phoneCall = () => createIntegration({ billing }).startPhoneCall({ callId: 'CA1', direction: 'inbound' });

  test.each<[string, () => Promise<unknown>, string]>([
    [
      'what a step takes',
      () => phoneCall().finish({ summry: 'Paid.' } as never),
      'summry is not an option: did you mean summary?',
    ],
    [
      'what a step may take',
      () => phoneCall().finish({}, { deadlin: 1 } as never),
      'deadlin is not an option: did you mean deadline?',
    ],
    [
      'what a payment takes',
      () =>
        phoneCall().takePayment({
          customerId: 'c',
          invoiceId: 'i',
          amount: 1,
          paymentMethodId: 'p',
          ordinl: 2,
        } as never),
      'ordinl is not an option: did you mean ordinal?',
    ],
    [
      'what is said of one request',
      () => createBillingClient(billing).customers.get('c', { deadlne: 1 } as never),
      'deadlne is not an option: did you mean deadline?',
    ],
  ])('%s', async (_, run, problem) => {
    await expect(run()).rejects.toMatchObject({ code: 'invalid_argument', message: expect.stringContaining(problem) });
  });

  test('undefined is no option', () => {
    expect(problemsOf(integrationOf({ onEvnt: undefined }))).toEqual([]);
  });
});

test('options that are missing or of another kind are refused in words', () => {
  expect(problemsOf(() => createIntegration(undefined as never))).toEqual([
    'options must have at least one of messaging, crm and billing',
  ]);
  expect(problemsOf(() => createIntegration({ biling: billing } as never))).toEqual([
    'biling is not an option: did you mean billing?',
    'options must have at least one of messaging, crm and billing',
  ]);
  expect(problemsOf(() => createToolbox({} as never))).toEqual([
    'tools must be a list of tools, such as billingTools(…)',
  ]);
  expect(problemsOf(() => createIntegration({ billing }).startPhoneCall(undefined as never))).toEqual(
    expect.arrayContaining([expect.stringMatching(/^callId must be /)]),
  );
  const destination = { name: 'd', url: 'https://d.example', version: 1 };
  const outboxOf = (options: object) => () =>
    createOutbox({
      queue: createMemoryMessageQueue(),
      destinations: [{ ...destination, ...options } as never],
    });
  expect(problemsOf(outboxOf({ rateLimit: 10 }))).toEqual([
    'destination d: rateLimit must be { limit, perMs } or a rate limiter',
  ]);
  expect(problemsOf(outboxOf({ signing: { secrets: () => 's', scheme: 'standard' } }))).toEqual([
    'scheme must be a signature scheme, such as xSignature or standardWebhooks',
  ]);
});

test('an outbox without a queue and destinations says so', () => {
  expect(problemsOf(() => createOutbox({} as never))).toEqual([
    'queue must be a message queue, such as sqlite({ file }).messageQueue()',
    'destinations must be a list',
  ]);
});
