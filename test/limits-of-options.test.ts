/** Two options that limit each other are checked where they're set, and not when they meet in a phone call. */
import { expect, test } from 'vitest';
import { bearer } from '../src/auth/index.ts';
import { createIntegration, type IntegrationOptions, startPhoneCall } from '../src/index.ts';
import { createMemoryIdempotencyStore } from '../src/stores/memory/index.ts';
import { defineTool } from '../src/tools/index.ts';
import { createWebhookReceiver, hmac } from '../src/webhooks/index.ts';
import * as z from 'zod';

const authenticate = bearer(() => 'secret');
const billing = { baseUrl: 'https://b.example', authenticate, version: { path: 'v1' } };
const call = { callId: 'CA1', direction: 'inbound' } as const;
const integrationOf = (options: Partial<IntegrationOptions> = {}) => createIntegration({ billing, ...options });

test.each<[what: string, set: () => unknown, problem: string]>([
  [
    'the budget of all phone calls',
    () => integrationOf({ phoneCalls: { toolBudgetMs: 10_001 } }),
    'phoneCalls.toolBudgetMs must be at most 10000 ms, the lowest maximumDeadlineMs of the clients',
  ],
  [
    'the budget of one phone call',
    () => integrationOf().startPhoneCall({ ...call, toolBudgetMs: 10_001 }),
    'toolBudgetMs must be at most 10000 ms, the lowest maximumDeadlineMs of the clients',
  ],
  [
    'the budget of a phone call without an integration',
    () => startPhoneCall({ billing: integrationOf().billing }, { ...call, toolBudgetMs: 60_000 }),
    'toolBudgetMs must be at most 10000 ms',
  ],
  [
    'the budget of a turn',
    () => integrationOf().startPhoneCall(call).turn({ budgetMs: 10_001 }),
    'budgetMs must be at most 10000 ms',
  ],
  [
    'a budget that is no number',
    () => integrationOf({ phoneCalls: { toolBudgetMs: Number.NaN } }),
    'phoneCalls.toolBudgetMs must be a number',
  ],
  [
    'a turn without time',
    () => integrationOf().startPhoneCall(call).turn({ budgetMs: 0 }),
    'budgetMs must be a number of milliseconds above 0',
  ],
  [
    'a budget above the lower maximum of two clients',
    () =>
      createIntegration({
        billing: { ...billing, maximumDeadlineMs: 30_000 },
        crm: {
          baseUrl: 'https://c.example',
          authenticate,
          version: '60.0',
          deadlineMs: 5_000,
          maximumDeadlineMs: 5_000,
        },
        phoneCalls: { toolBudgetMs: 5_001 },
      }),
    'phoneCalls.toolBudgetMs must be at most 5000 ms',
  ],
  [
    'an attempt that takes longer than any call',
    () => integrationOf({ billing: { ...billing, attemptTimeoutMs: 10_001 } }),
    'billing.attemptTimeoutMs must be at most maximumDeadlineMs, 10000',
  ],
  [
    'a wait that no call has the time for',
    () => integrationOf({ billing: { ...billing, backoff: { minimumMs: 10_000, maximumMs: 20_000 } } }),
    'billing.backoff.minimumMs must be below maximumDeadlineMs, 10000',
  ],
  [
    'a payment that needs more time than its call has',
    () => integrationOf({ billing: { ...billing, minimumBudgetMs: 8_001 } }),
    'billing.minimumBudgetMs must be at most deadlineMs, 8000',
  ],
  [
    'an event that is forgotten while it is handled',
    () =>
      createWebhookReceiver({
        authentication: [hmac({ secrets: () => 's' })],
        store: createMemoryIdempotencyStore(),
        events: {},
        on: {},
        leaseMs: 60_000,
        retainMs: 1_000,
      }),
    'retainMs must be at least leaseMs, 60000',
  ],
])('%s is refused where it is set', (_what, set, problem) => {
  expect(set).toThrow(problem);
});

test('a client with a maximum of its own allows a longer budget', async () => {
  const integration = integrationOf({ billing: { ...billing, maximumDeadlineMs: 30_000 } });
  const phoneCall = integration.startPhoneCall({ ...call, toolBudgetMs: 20_000 });

  expect(phoneCall.turn().deadline.budgetMs).toBe(20_000);
  expect(phoneCall.turn({ budgetMs: 30_000 }).deadline.budgetMs).toBe(30_000);
});

test('the usual budget stays below the lowest maximum', async () => {
  const short = { ...billing, deadlineMs: 3_000, maximumDeadlineMs: 3_000 };

  expect(integrationOf({ billing: short }).startPhoneCall(call).turn().deadline.budgetMs).toBe(3_000);
});

test('without clients a phone call has no limit for its own tools', async () => {
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    parameters: z.object({}),
    effect: 'read',
    run: (_args, { deadline }) => ({ budget: deadline.budgetMs }),
  });
  const phoneCall = startPhoneCall({}, { ...call, toolBudgetMs: 60_000, tools: { own: [wait] } });

  expect(await phoneCall.tools.run('wait', {})).toMatchObject({ value: { budget: 60_000 } });
});
