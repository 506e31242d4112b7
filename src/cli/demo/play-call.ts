import { apiKey } from '../../auth/api-key.ts';
import { bearer } from '../../auth/bearer.ts';
import { createIntegration, type Integration } from '../../integration.ts';
import type { AttemptEvent, IntegrationEvent } from '../../observability/events.ts';
import { createFakePlatform, type FakePlatform, testCredentials } from '../../testing/index.ts';
import { addSampleRecords } from '../sandbox/sample-records.ts';
import type { Terminal } from '../terminal.ts';

export interface PlayedCall {
  /** Every attempt that was made, in order. */
  readonly attempts: readonly Pick<AttemptEvent, 'operation' | 'attempt' | 'status' | 'durationMs' | 'waits'>[];
  readonly checks: readonly { readonly what: string; readonly holds: boolean }[];
}

/** Plays one billing question against the fake platform, which fails on purpose, and prints it line by line. */
export const playCall = async (print: (line: string) => void, paint: Terminal['paint']): Promise<PlayedCall> => {
  await using platform = createFakePlatform();
  addSampleRecords(platform);
  platform.fault('messaging.contacts.search', [{ status: 429, retryAfter: 1 }]);
  platform.fault('billing.invoices.listOpen', [{ status: 503 }]);
  platform.fault('billing.payments.create', [{ executeThenDrop: true }]);
  const attempts: AttemptEvent[] = [];
  const hear = (event: IntegrationEvent) => {
    if (event.type !== 'attempt') return;
    attempts.push(event);
    for (const line of linesOf(event)) print(paint('dim', `     ${line}`));
  };
  await using integration = await connect(platform, hear);
  const say = (who: string, words: string) => print(`\n${paint('bold', who)} ${words}`);

  const phoneCall = integration.startPhoneCall({
    callId: 'CA-demo',
    direction: 'Inbound',
    phone: '+14155550100',
    tools: { billing: { payments: { bind: { payment_method_id: 'pm_on_file' } } } },
  });
  const useTool = async (name: string, args: object) => {
    const { text } = await phoneCall.tools.run(name, args);
    print(`   ${name}(${JSON.stringify(args)}) told the model ${text}`);
  };

  say('caller', 'Hello, I think I forgot to pay you.');
  const { contact } = await phoneCall.identifyCaller();
  say('agent', `Hello ${contact.name ?? 'and welcome'}. Let me look at that for you.`);
  await useTool('lookup_customer_invoices', {});
  say('caller', 'Please charge the card that you have for the older one.');
  await useTool('create_payment', { invoice_id: 'inv_101', amount: 120.5 });
  say('agent', 'That is paid.');
  say('line', 'the caller hangs up');
  const finished = await phoneCall.finish({
    outcome: 'resolved',
    summary: 'Paid the oldest invoice by the card on file.',
    transcript: 'Caller: Hello, I think I forgot to pay you.',
    note: 'Paid by voice agent.',
    durationSeconds: 74,
  });

  print(`\n${paint('bold', 'What is there now')}`);
  const checks = checksOf(platform, finished.complete);
  for (const { what, holds } of checks) print(`   ${holds ? paint('green', '✔') : paint('red', '✘')} ${what}`);
  return {
    attempts: attempts.map(({ operation, attempt, status, durationMs, waits }) => ({
      operation,
      attempt,
      ...(status === undefined ? {} : { status }),
      durationMs,
      waits,
    })),
    checks,
  };
};

const connect = async (platform: FakePlatform, onEvent: (event: IntegrationEvent) => void): Promise<Integration> => {
  const { messaging, crm, billing } = await platform.listen();
  return createIntegration({
    messaging: {
      baseUrl: messaging,
      authenticate: bearer(() => testCredentials.messaging),
      platform: 'Acme',
      version: '2.11',
      adminId: 'admin_1',
    },
    crm: { baseUrl: crm, authenticate: bearer(() => testCredentials.crm), version: '60.0' },
    billing: {
      baseUrl: billing,
      authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
      version: { path: 'v1' },
      maximumPayment: 5000,
    },
    appName: 'demo',
    onEvent,
  });
};

const checksOf = ({ messaging, crm, billing, pendingFaults }: FakePlatform, isComplete: boolean) => [
  {
    what: 'invoice inv_101 was charged 120.5, once, though the answer to the first try was lost',
    holds:
      JSON.stringify(billing.payments.map(({ invoice_id, amount, status }) => [invoice_id, amount, status])) ===
      JSON.stringify([['inv_101', 120.5, 'completed']]),
  },
  { what: 'the caller is one contact', holds: messaging.contacts.length === 1 },
  {
    what: 'the call is one conversation, with an internal note and no word to the customer',
    holds:
      messaging.conversations.length === 1 &&
      (messaging.conversations[0]?.parts ?? []).some(({ type }) => type === 'note') &&
      (messaging.conversations[0]?.parts ?? []).every(({ type }) => type !== 'comment'),
  },
  { what: 'the CRM has one Task for the call', holds: crm.tasks.length === 1 },
  { what: 'everything that was to be left behind is done', holds: isComplete },
  { what: 'every fault that was prepared has happened', holds: pendingFaults.length === 0 },
];

const linesOf = ({ operation, attempt, status, error, durationMs, waits }: AttemptEvent): readonly string[] => [
  ...waits.map(({ reason, ms }) => `waited ${Math.round(ms)} ms: ${reason.replace('_', ' ')}`),
  `${operation.padEnd(34)} attempt ${attempt}  ${status ?? error?.networkCode ?? error?.reason ?? ''}  ${durationMs.toFixed(1)} ms`,
];
