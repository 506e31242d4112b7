import { describe, expect, test } from 'vitest';
import { bearer } from '../src/auth/index.ts';
import { createIntegration, InvalidArgumentError, type IntegrationOptions } from '../src/index.ts';
import { createOutbox } from '../src/outbox/index.ts';
import { createWebhookReceiver, hmac } from '../src/webhooks/index.ts';
import { createMemoryIdempotencyStore } from '../src/stores/memory/index.ts';

const authenticate = bearer(() => 'secret');
const billing = { baseUrl: 'https://b.example', authenticate, version: { path: 'v1' }, maximumPayment: 5 };

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
      billing: { ...billing, baseUrl: 'http://b.example', maximumPayment: -1 },
      timeZone: 'Mars/Olympus',
    }),
  );

  expect(problems).toEqual([
    'messaging.adminId must not be empty',
    'messaging.baseUrl must be an absolute URL such as https://api.example.com',
    'crm.version must be a version such as 60.0: it is always pinned',
    "crm.authenticate must be made by a function of 'voice-agent-integrations/auth'",
    'billing.maximumPayment must be a number greater than 0: every payment must be below it',
    'billing.baseUrl must be an https URL, unless it is on loopback or allowInsecure is set',
    expect.stringMatching(/^timeZone must be /),
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
      integrationOf({ billing: { ...billing, maxPayment: 3 } }),
      'billing.maxPayment is not an option: did you mean maximumPayment?',
    ],
    ['of all clients', integrationOf({ onEvnt: () => {} }), 'onEvnt is not an option: did you mean onEvent?'],
    [
      'of all phone calls',
      integrationOf({ phoneCalls: { tols: {} } }),
      'phoneCalls.tols is not an option: did you mean tools?',
    ],
    ['of a phone call', phoneCallOf({ fone: '+14155550100' }), 'fone is not an option: did you mean phone?'],
    ['of a receiver', receiverOf({ events2: {} }), 'events2 is not an option: did you mean events?'],
    ['far from all others', integrationOf({ somethingElse: 1 }), 'somethingElse is not an option'],
  ])('%s', (_, make, problem) => {
    expect(problemsOf(make)).toEqual([problem]);
  });

  test('undefined is no option', () => {
    expect(problemsOf(integrationOf({ onEvnt: undefined }))).toEqual([]);
  });
});

test('an outbox without a queue and destinations says so', () => {
  expect(problemsOf(() => createOutbox({} as never))).toEqual([
    'queue must be a message queue, such as sqlite({ file }).messageQueue()',
    'destinations must be a list',
  ]);
});
