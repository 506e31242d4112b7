import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import type { BillingClient } from '../../src/billing/index.ts';
import { createIntegration, InvalidArgumentError, startPhoneCall } from '../../src/index.ts';
import { billingTools, callTools, createToolbox, defineTool, type Tool } from '../../src/tools/index.ts';
import { crmCalendar } from '../../src/tools/ready/crm-calendar.ts';
import { bearer } from '../../src/auth/index.ts';
import { isVerified } from '../../src/tools/context.ts';

const authenticate = bearer(() => 'secret');
const billing = { baseUrl: 'https://b.example', authenticate, version: { path: 'v1' } };
const card = () => 'pm_1';
const client: BillingClient = createIntegration({ billing, payments: { below: 5 } }).billing;
const call = { callId: 'CA1', direction: 'inbound' } as const;

/** As JavaScript and JSON would write them: no type keeps a wrong word out. */
const integrationOf = (options: object) => () => createIntegration({ billing, ...options });
const optionsOf = integrationOf;
const toolsOf = (tools: object) => integrationOf({ phoneCalls: { tools } });
const callOf = (options: object) => () => startPhoneCall({ billing: client }, { ...call, ...options });
const toolOf = (options: object): Tool =>
  defineTool({
    name: 'refund',
    description: 'Gives money back.',
    parameters: z.object({ amount: z.number() }),
    effect: 'write',
    run: () => ({}),
    ...options,
  });

const problemOf = (make: () => unknown): string | undefined => {
  try {
    make();
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error.message;
    throw error;
  }
  return undefined;
};

test.each<[what: string, make: () => unknown, problem: string]>([
  [
    'confirm of all phone calls',
    optionsOf({ payments: { card, below: 5, confirm: 'two_step' } }),
    "payments.confirm must be 'two-step', 'approve', 'both' or false: did you mean 'two-step'?",
  ],
  [
    'confirm as true',
    callOf({ payments: { card, confirm: true } }),
    "payments.confirm must be 'two-step', 'approve', 'both' or false",
  ],
  [
    'confirm as null',
    () => billingTools({ billing: client, payments: { card, confirm: null as never } }),
    "payments.confirm must be 'two-step', 'approve', 'both' or false",
  ],
  [
    'requires',
    optionsOf({ payments: { card, below: 5, requires: 'Strong' } }),
    "payments.requires must be 'caller-id' or 'strong': did you mean 'strong'?",
  ],
  [
    'lookup of billing',
    callOf({ tools: { billing: { lookup: 'Anyone' } } }),
    "tools.billing.lookup must be 'caller' or 'anyone': did you mean 'anyone'?",
  ],
  [
    'lookup of the others',
    toolsOf({ call: { lookup: 'calller' } }),
    "phoneCalls.tools.call.lookup must be 'caller' or 'anyone': did you mean 'caller'?",
  ],
  [
    'the name of a tool',
    () => callTools({ phoneCall: vi.fn(), only: ['add_notes' as never] }),
    "only.0 must be 'identify_caller'",
  ],
  [
    'caseStatus as a text',
    toolsOf({ call: { caseStatus: 'false' } }),
    'phoneCalls.tools.call.caseStatus must be true or false',
  ],
  [
    'approve',
    toolsOf({ approve: 'Framework' }),
    "phoneCalls.tools.approve must be 'framework' or a function: did you mean 'framework'?",
  ],
  [
    'approve as true',
    () => createToolbox({ tools: [], approve: true as never }),
    "approve must be 'framework' or a function",
  ],
  [
    'a limit that is no number',
    toolsOf({ limits: { writes: Number.NaN } }),
    'phoneCalls.tools.limits.writes must be a number, 0 or more',
  ],
  [
    'a limit as a text',
    callOf({ tools: { limits: { writes: '100' } } }),
    'tools.limits.writes must be a number, 0 or more',
  ],
  [
    'onOpenLead',
    integrationOf({ phoneCalls: { onOpenLead: 'Update' } }),
    "phoneCalls.onOpenLead must be 'task', 'update' or 'both': did you mean 'update'?",
  ],
  [
    'verified',
    callOf({ verified: 'Strong' }),
    "verified must be 'no', 'caller-id' or 'strong': did you mean 'strong'?",
  ],
  [
    'verifyCaller',
    () => startPhoneCall({ billing: client }, call).verifyCaller('stong' as never),
    "verified must be 'no', 'caller-id' or 'strong': did you mean 'strong'?",
  ],
  [
    'verifyCaller without a word',
    () => startPhoneCall({ billing: client }, call).verifyCaller(undefined as never),
    "verified must be 'no', 'caller-id' or 'strong'",
  ],
  [
    'effect',
    () => toolOf({ effect: 'Payment' }),
    "refund.effect must be 'read', 'write' or 'payment': did you mean 'payment'?",
  ],
  ['a tool without effect', () => toolOf({ effect: undefined }), "refund.effect must be 'read', 'write' or 'payment'"],
  [
    'confirm of a tool of one’s own',
    () => toolOf({ confirm: 'two step' }),
    "refund.confirm must be 'two-step', 'approve', 'both' or false: did you mean 'two-step'?",
  ],
  ['idempotent as a text', () => toolOf({ idempotent: 'false' }), "refund.idempotent must be true, false or 'once'"],
  [
    'the caller of a toolbox',
    () => createToolbox({ tools: [], context: { caller: { verified: 'Strong' as never } } }),
    "caller.verified must be 'no', 'caller-id' or 'strong': did you mean 'strong'?",
  ],
  [
    'the caller that a toolbox is bound to',
    () => createToolbox({ tools: [] }).bind({ caller: { verified: 'no', claimed: ['Phone' as never] } }),
    "caller.claimed.0 must be 'phone' or 'email': did you mean 'phone'?",
  ],
  [
    'a day of a calendar',
    () => crmCalendar({} as never, { ownerId: '1', timeZone: 'UTC', weekdays: ['monday'] }),
    "weekdays.0 must be 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday' or 'Sunday': did you mean 'Monday'?",
  ],
])('%s is checked by value', (_what, make, problem) => {
  expect(problemOf(make)).toContain(problem);
});

test('a step takes no other word for its lane and for an open lead', async () => {
  const phoneCall = startPhoneCall({ billing: client }, call);
  const invoice = { customerId: 'c', invoiceId: 'i', amount: 1, paymentMethodId: 'pm' };

  await expect(phoneCall.takePayment(invoice, { lane: 'Live' as never })).rejects.toThrow(
    "lane must be 'live' or 'background': did you mean 'live'?",
  );
  await expect(phoneCall.takePayment(invoice, { onOpenLead: 'tasks' } as never)).rejects.toThrow(
    "onOpenLead must be 'task', 'update' or 'both': did you mean 'task'?",
  );
});

test.each(['Strong', 'high', 'verified', true, null, undefined])('no caller is verified enough for %j', (needed) => {
  expect(isVerified({ verified: 'strong' }, needed as never)).toBe(false);
});

test.each(['Strong', 'yes', true, undefined])('a caller who is %j is verified for nothing', (verified) => {
  expect(isVerified({ verified: verified as never }, 'caller-id')).toBe(false);
});

describe('what is known only when a tool runs', () => {
  test('a caller in another word is refused, and the developer sees it', async () => {
    const errors: unknown[] = [];
    const run = vi.fn(() => ({}));
    const toolbox = createToolbox({
      tools: [toolOf({ run })],
      context: () => ({ callId: 'CA1', caller: { phone: '+14155550100', verified: 'CallerId' as never } }),
      onError: (error) => errors.push(error),
    });

    expect(await toolbox.run('refund', { amount: 1 })).toMatchObject({ value: { error: 'internal_error' } });
    expect(run).not.toHaveBeenCalled();
    expect(errors.map(String)).toEqual([
      expect.stringContaining("caller.verified must be 'no', 'caller-id' or 'strong'"),
    ]);
  });

  test.each(['Done', 'ok', true, null, undefined, {}])('an outcome of %j is unknown', async (said) => {
    const errors: unknown[] = [];
    const toolbox = createToolbox({
      tools: [toolOf({ effect: 'payment', confirm: false, outcome: () => said })],
      context: { callId: 'CA1' },
      onError: (error) => errors.push(error),
    });

    expect(await toolbox.run('refund', { amount: 1 })).toMatchObject({ status: 'unknown' });
    expect(errors.map(String)).toEqual([expect.stringContaining("outcome of refund must return 'done'")]);
  });
});
