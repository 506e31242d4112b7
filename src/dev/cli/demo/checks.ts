import type { FinishedCall } from '../../../index.ts';
import type { Systems } from './systems.ts';
import type { PlayedStep } from './timeline.ts';

/** One thing that must be true after the call. */
export interface Check {
  readonly what: string;
  readonly holds: boolean;
}

/** Checks the results of the steps, which don't depend on the fake platform. */
export const checkSteps = (steps: readonly PlayedStep[], finished: FinishedCall): readonly Check[] => [
  { what: 'every step was done', holds: steps.every(({ isDone }) => isDone) },
  { what: 'every step ended within the deadline of its turn', holds: steps.every(({ isInTime }) => isInTime) },
  { what: 'everything is written down', holds: finished.complete },
];

/** Checks the records of the three systems. */
export const checkSystems = ({ call, chosen, platform }: Systems): readonly Check[] => {
  const { expect, finish, turns } = call;
  const { billing } = platform;
  const messaging = chosen.messaging.held(platform);
  const crm = chosen.crm.held(platform);
  const [conversation, ...moreConversations] = messaging.conversations;
  const [task, ...moreTasks] = crm.tasks;
  const parts = conversation?.parts ?? [];
  const everything = JSON.stringify([
    messaging.contacts,
    messaging.conversations,
    crm.leads,
    crm.tasks,
    crm.cases,
    billing.payments,
  ]);
  const spokenCards = turns.flatMap(({ caller }) => caller.match(/\b\d(?:[ -]?\d){12,18}\b/g) ?? []);
  const lead = expect.lead && (chosen.crm.expectLead?.(expect.lead) ?? expect.lead);

  return [
    ...expect.payments.map(({ invoice, amount }) => ({
      what: `invoice ${invoice} was charged ${amount}, once`,
      holds:
        JSON.stringify(
          billing.payments
            .filter(({ invoice_id }) => invoice_id === invoice)
            .map((payment) => [payment.status, payment.amount]),
        ) === JSON.stringify([['completed', amount]]),
    })),
    { what: 'no other payment was made', holds: billing.payments.length === expect.payments.length },
    {
      what: `the messaging platform has ${expect.contacts} ${expect.contacts === 1 ? 'contact' : 'contacts'}, none twice`,
      holds: messaging.contacts.length === expect.contacts,
    },
    {
      what: 'the call is one conversation, with summary and transcript',
      holds:
        moreConversations.length === 0 &&
        [finish.summary, turns[0]?.agent ?? ''].every((words) => conversation?.body.includes(words)),
    },
    {
      what: 'the note is internal, and nothing was sent to the customer',
      holds:
        parts.some(({ type, body }) => type === 'note' && body?.includes(finish.note)) &&
        parts.every(({ type }) => type !== 'comment'),
    },
    {
      what: `the conversation carries its tags: ${expect.tags.join(', ')}`,
      holds: JSON.stringify(conversation?.tag_ids) === JSON.stringify(expect.tags),
    },
    ...(expect.team === undefined
      ? []
      : [{ what: `it is with ${expect.team}`, holds: conversation?.team_assignee_id === expect.team }]),
    {
      what: `the CRM has one Task for the call: ${say(expect.task)}`,
      holds: moreTasks.length === 0 && has(task, expect.task),
    },
    {
      what: expect.leads === 0 ? 'no lead was made of a customer' : `the CRM has ${expect.leads} leads, none twice`,
      holds: crm.leads.length === expect.leads,
    },
    ...(lead ? [{ what: `one of them is ${say(lead)}`, holds: crm.leads.some((record) => has(record, lead)) }] : []),
    ...(expect.cases > 0 ? [{ what: 'one case was opened', holds: crm.cases.length === expect.cases }] : []),
    ...(spokenCards.length > 0
      ? [
          {
            what: 'the card number that was spoken is nowhere',
            holds: spokenCards.every((card) => !everything.includes(card)),
          },
        ]
      : []),
    { what: 'every planned fault happened', holds: platform.pendingFaults.length === 0 },
  ];
};

const has = (
  record: Readonly<Record<string, unknown>> | undefined,
  fields: Readonly<Record<string, unknown>>,
): boolean => Object.entries(fields).every(([name, value]) => record?.[name] === value);

const say = (fields: Readonly<Record<string, unknown>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
