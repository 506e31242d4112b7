import { setImmediate as nextTurn } from 'node:timers/promises';
import { apiKey, bearer } from 'voice-agent-integrations/auth';
import { createBillingClient } from 'voice-agent-integrations/billing';
import { createMessagingClient } from 'voice-agent-integrations/messaging';
import { createRedactor, type IntegrationEvent, type Transport } from 'voice-agent-integrations';
import { sanitizeBody } from '../src/observability/redaction/sanitize-body.ts';
import { compact } from '../src/tools/compact.ts';
import { contact } from './answers.ts';
import { heading, table } from './report.ts';
import { spreadOf } from './spread.ts';

/**
 * How long large values block the event loop: every other phone call of the process waits meanwhile. One
 * piece of work in each turn of the loop, and how long the turns took; `npm run bench -- outbox` has the queue.
 */
export const blocking = async (_extent: unknown, command: string): Promise<string> => {
  const rows: (readonly string[])[] = [];
  for (const { name, work } of pieces()) {
    const turns = await turnsOf(work);
    const at = (share: number) => (turns[Math.floor((turns.length - 1) * share)] ?? Number.NaN).toFixed(2);
    rows.push([name, at(0), spreadOf(turns).median.toFixed(2), at(0.99)]);
  }
  return [
    heading(command),
    'The aim is that nothing takes longer than 5 ms in 99 of 100 turns.',
    '',
    '### Turns of the event loop, ms',
    '',
    table(['', 'shortest', 'median', 'p99'], rows),
    '',
  ].join('\n');
};

const rounds = 200;

const turnsOf = async (work: () => unknown): Promise<readonly number[]> => {
  const turns: number[] = [];
  for (let round = -rounds / 4; round < rounds; round += 1) {
    const longest = await longestTurnOf(work);
    if (round >= 0) turns.push(longest);
  }
  return turns.toSorted((a, b) => a - b);
};

/** Of all turns until the work is done. What follows a turn in microtasks belongs to it. */
const longestTurnOf = async (work: () => unknown): Promise<number> => {
  let longest = 0;
  let isDone = false;
  let startedAt = performance.now();
  void Promise.resolve(work())
    .catch(() => undefined)
    .finally(() => (isDone = true));
  do {
    await nextTurn();
    longest = Math.max(longest, performance.now() - startedAt);
    startedAt = performance.now();
  } while (!isDone);
  return longest;
};

const pieces = (): readonly { readonly name: string; readonly work: () => unknown }[] => {
  const contacts = { data: Array.from({ length: 900 }, (_, index) => ({ ...contact, id: `contact_${index}` })) };
  const invoices = {
    data: Array.from({ length: 4_000 }, (_, index) => ({
      id: `inv_${index}`,
      number: `NW-2026-${index}`,
      customer_id: 'cus_70',
      status: 'open',
      amount: 49.9,
      currency: 'eur',
      due_date: '2026-12-01',
      description: 'order intake by phone (monthly)',
      url: `https://billing.example.com/i/${index}`,
    })),
  };
  const [contactsText, invoicesText] = [JSON.stringify(contacts), JSON.stringify(invoices)];
  const ofContacts = megabytes(contactsText);
  const messaging = messagingFrom(200, contactsText);
  const refusing = messagingFrom(400, contactsText);
  const billing = createBillingClient({
    baseUrl,
    authenticate: apiKey('X-Api-Key', () => 'test-key'),
    version: { path: 'v1' },
    payments: { below: 5_000 },
    transport: answering(200, invoicesText),
    rateLimit,
  });
  const redactor = createRedactor();
  redactor.hide(['whsec_0123456789abcdef']);
  const delivery = (body: unknown) =>
    // An event as a listener receives it, as far as it holds a body.
    ({ type: 'webhook-received', at: 0, eventId: 'evt_1', body }) as unknown as IntegrationEvent;
  return [
    { name: 'nothing', work: () => undefined },
    { name: `\`JSON.parse\` of ${ofContacts} of contacts, to compare`, work: () => void JSON.parse(contactsText) },
    {
      name: `a search answered with ${ofContacts} of contacts`,
      work: () => messaging.contacts.search({ field: 'role', operator: '=', value: 'lead' }),
    },
    {
      name: `\`JSON.parse\` of ${megabytes(invoicesText)} of invoices, to compare`,
      work: () => void JSON.parse(invoicesText),
    },
    { name: `a list of ${megabytes(invoicesText)} of invoices`, work: () => billing.invoices.listOpen('cus_70') },
    { name: `a refusal (400) with a body of ${ofContacts}`, work: () => refusing.contacts.get('contact_1') },
    {
      name: `an event about a body of ${ofContacts}, redacted`,
      work: () => redactor.redact(delivery(sanitizeBody(contacts))),
    },
    {
      name: `a text of 64 KB in an event, redacted`,
      work: () => redactor.redact(delivery('call +14155550100 now, '.repeat(2_850))),
    },
    { name: `a tool's result of ${ofContacts}, made short`, work: () => compact(contacts) },
  ];
};

const megabytes = (text: string): string => `${(text.length / 1e6).toFixed(1)} MB`;

const baseUrl = 'https://api.example.com';

const rateLimit = { limit: 20_000, perMs: 50 };

const messagingFrom = (status: number, text: string) =>
  createMessagingClient({
    baseUrl,
    authenticate: bearer(() => 'test-token'),
    platform: 'Acme',
    version: '2.11',
    transport: answering(status, text),
    rateLimit,
  });

const answering = (status: number, text: string): Transport => {
  const answer = { status, headers: new Map([['content-type', 'application/json']]), text };
  return async () => answer;
};
