import * as z from 'zod';
import { type Fault, type OperationName } from '../../src/dev/testing/index.ts';
import {
  createIntegration,
  IntegrationError,
  type LiveCalls,
  type PhoneCall,
  RateLimitedError,
  type StepReport,
} from '../../src/index.ts';
import { messageTemplate, paymentPage, refused } from '../../src/tools/index.ts';
import { findWrong } from './day/judge.ts';
import { jobsOfCustomers, jobsOfProspects } from './day/jobs.ts';
import { createRandom, type Random } from './day/random.ts';
import { callFromElsewhere, handOver, intrude, sayNumberLate } from './day/strangers.ts';
import { startSystems, type Systems } from './day/systems.ts';
import { checkWords, type Line, type Person, type Told, type Wanted, type World } from './day/world.ts';

const faults: readonly Fault[] = [
  { executeThenDrop: true },
  { executeThenDrop: true, times: 2 },
  { reset: 'after-headers' },
  { reset: 'before-headers' },
  { truncate: true },
  { status: 503 },
  { status: 500, executed: true },
  { status: 429, retryAfter: 0 },
  { latencyMs: 20 },
];

const operations: readonly OperationName[] = [
  'billing.payments.create',
  'billing.payments.refund',
  'billing.payments.list',
  'billing.invoices.listOpen',
  'messaging.contacts.search',
  'messaging.contacts.create',
  'messaging.conversations.create',
  'messaging.conversations.addNote',
  'messaging.tickets.create',
  'messaging.tickets.search',
  'crm.cases.create',
  'crm.cases.addNote',
  'crm.cases.search',
  'crm.leads.create',
  'crm.leads.search',
  'crm.contacts.search',
  'crm.tasks.create',
  'crm.tasks.update',
  'crm.events.create',
  'crm.events.update',
  'crm.events.delete',
  'crm.events.search',
];

/** The day of a seed: how many calls, and on which platforms. */
export interface DayOptions {
  readonly seed: number;
  readonly calls: number;
}

/**
 * Plays the phone calls of a day, several at once, against three systems that fail now and then, and returns what isn't
 * as it must be: a record that is there twice, missing, with another person, or not as the agent said. Each seed has
 * platforms of its own.
 */
export const playDay = async ({ seed, calls }: DayOptions) => {
  const random = createRandom(seed);
  await using systems = await startSystems(seed);
  const world: World = {
    systems,
    people: [
      ...Array.from({ length: Math.ceil(calls / 3) }, (_, index) => addCustomer(systems, index)),
      ...Array.from({ length: Math.ceil(calls / 12) }, (_, index) => prospect(100_000 + index)),
    ],
    messages: [],
    codes: [],
    optOuts: [],
    refundsTold: [],
    wrong: [],
    log: [],
  };
  const integration = open(world, seed);
  const liveCalls = integration.liveCalls();
  const wanted: Wanted[] = [];
  const lines = new Map<Person, Promise<void>>();
  const running = new Set<Promise<void>>();
  for (let number = 0; number < calls; number += 1) {
    const person = random.pick(world.people);
    const dice = createRandom(seed * 100_003 + number);
    // One person has one call at a time.
    const play = () => playOne({ world, integration, liveCalls, dice, person, callId: `CA${number}x`, wanted });
    const played: Promise<void> = (lines.get(person) ?? Promise.resolve()).then(play);
    lines.set(person, played);
    const ended = played.finally(() => running.delete(ended));
    running.add(ended);
    if (running.size >= 6) await Promise.race(running);
  }
  await Promise.all(running);
  await integration.close();
  return { wanted, wrong: findWrong(world, wanted), log: world.log };
};

const phoneOf = (index: number): string => `+1415${String(5_550_000 + index).padStart(7, '0')}`;

const prospect = (index: number): Person => {
  const token = `p${index}p`;
  return {
    token,
    name: `Person ${token}`,
    phone: phoneOf(index),
    email: `${token}@people.example`,
    isCustomer: false,
    appointments: new Set(),
    isUncertain: false,
  };
};

/** A customer with three open invoices, a payment of last week, and a case. */
const addCustomer = (systems: Systems, index: number): Person => {
  const person = prospect(index);
  const { token, name, phone, email } = person;
  const { billing } = systems.platform;
  const { id: customer_id } = billing.addCustomer({ id: `cus_${token}`, name, phone, email });
  [10.5, 20, 30.25, 40].forEach((amount, place) => {
    const id = `in_${token}_${place}`;
    const page = { payment_page_url: `https://pay.example/${id}` };
    billing.addInvoice({ id, customer_id, amount, due_date: '2026-01-31', currency: 'EUR', ...page });
  });
  billing.addPayment({ id: `py_${token}`, invoice_id: `in_${token}_3` });
  return { ...person, isCustomer: true, customerId: customer_id, ...systems.addPerson(person, `Old matter ${token}`) };
};

/** The application, whose senders lose answers too. */
const open = ({ systems, messages, codes, optOuts }: World, seed: number) => {
  const { connections, card, ticketTypeId } = systems;
  const dice = createRandom(seed + 7);
  const notSent = () =>
    new RateLimitedError('the sender has too much to do', { operation: 'send', outcome: 'not_sent' });
  return createIntegration({
    ...connections,
    payments: { card: () => card, below: 5000, refund: { below: 500, confirm: 'two-step' } },
    store: 'memory',
    onError: () => {},
    phoneCalls: {
      tools: {
        limits: { writes: 100 },
        call: {
          caseStatus: true,
          ticketStatus: true,
          openCase: true,
          addToCase: 'crm',
          ticketTypeId,
          calendar: { ownerId: '005000000000001', timeZone: 'America/New_York', slotMinutes: 30 },
          verify: {
            sendCode: ({ to }, { callId }) => {
              const text = String(9_000_000_000 + dice.below(900_000_000));
              if (dice.chance(0.05)) throw notSent();
              if (dice.chance(0.95)) codes.push({ callId, to, what: 'code', text });
              if (dice.chance(0.1)) throw new Error('the answer was lost');
              return { text };
            },
            checkCode: ({ code, to }, { callId }) => {
              if (dice.chance(0.05)) throw notSent();
              if (dice.chance(0.05)) throw new Error('the answer was lost');
              const right = codes.findLast((one) => one.callId === callId && one.to === to)?.text;
              return code === right ? 'approved' : 'wrong';
            },
          },
          sendMessage: {
            templates: {
              address: messageTemplate({ text: () => 'Acme, 1 Main Street' }),
              visit: messageTemplate({ fields: z.object({ words: z.string() }), text: ({ words }) => words }),
              payment_page: paymentPage(({ url }) => `You can pay here: ${url}`),
            },
            send: async ({ template, to, text }, { callId }) => {
              if (dice.chance(0.05)) throw notSent();
              if (dice.chance(0.05)) return refused({ error: 'landline', message: 'It takes no messages.' });
              if (dice.chance(0.05)) {
                optOuts.push({ callId, to, after: messages.length });
                return 'opted_out';
              }
              if (dice.chance(0.1)) throw new Error('no answer, and nothing was sent');
              messages.push({ callId, to, what: template, text });
              if (dice.chance(0.15)) throw new Error('the answer was lost');
              return 'accepted';
            },
          },
        },
      },
    },
  });
};

interface Call {
  readonly world: World;
  readonly integration: ReturnType<typeof open>;
  readonly liveCalls: LiveCalls;
  readonly dice: Random;
  readonly person: Person;
  readonly callId: string;
  readonly wanted: Wanted[];
}

const playOne = async (call: Call): Promise<void> => {
  const { world, integration, liveCalls, dice, person, callId, wanted } = call;
  const number = callId.slice(2, -1);
  const hungUp = new AbortController();
  const isElsewhere = person.isCustomer && dice.chance(0.1);
  const isImpostor = isElsewhere && dice.chance(0.5);
  const phone = isElsewhere ? `+1303555${String(dice.below(10_000)).padStart(4, '0')}` : person.phone;
  const lineOf = (phoneCall: PhoneCall, own: string, signal: AbortSignal): Line => {
    let turn = phoneCall.turn({ signal });
    return {
      world,
      dice,
      callId,
      person,
      phoneCall,
      run: async (name, args = {}, options) => {
        const result = await turn.tools.run(name, args, options);
        world.log.push(`${callId} ${own} ${name} ${JSON.stringify(args)}: ${result.status} ${result.text}`);
        checkWords(world, own, { callId, text: result.text });
        return result;
      },
      hear: (words) => {
        turn = phoneCall.turn({ heard: words, signal });
      },
      hasHungUp: () => signal.aborted,
    };
  };
  // Some platforms say the number late, and each thing that happens in a request of its own.
  const late = !isElsewhere && dice.chance(0.15) ? liveCalls.of({ callId }) : undefined;
  const phoneCall = late?.phoneCall ?? integration.startPhoneCall({ callId, phone });
  const line = lineOf(phoneCall, isImpostor ? '' : person.token, hungUp.signal);
  if (late) await sayNumberLate(line, (number) => liveCalls.of({ callId, phone: number }));
  const hanging = dice.chance(0.12) ? setTimeout(() => hungUp.abort(), dice.below(60)) : undefined;
  const list = person.isCustomer ? jobsOfCustomers : jobsOfProspects;
  const jobs = Array.from({ length: 1 + dice.below(3) }, () => dice.pick(list));
  if (isElsewhere) wanted.push(...(await callFromElsewhere(line, isImpostor)));
  else
    for (const [index, job] of jobs.entries()) {
      if (line.hasHungUp()) break;
      line.hear(`And now number ${index}.`);
      if (dice.chance(0.7)) world.systems.platform.fault(dice.pick(operations), [dice.pick(faults)]);
      wanted.push(...(await job(line, `m${number}q${index}z`)));
    }
  const intruder = !isElsewhere && person.isCustomer ? dice.below(10) : undefined;
  if (intruder === 0) {
    const another = (other: string) =>
      lineOf(integration.startPhoneCall({ callId, phone: other }), '', new AbortController().signal);
    wanted.push(...(await intrude(another)(line, '')));
    wanted.push({ kind: 'stranger', mark: callId, told: [] });
  } else if (intruder === 1) {
    await handOver(line, '');
  }
  clearTimeout(hanging);
  const summary = `task${number}y`;
  let told: Told = 'not';
  let isRelated = false;
  // `finish` says what is left: the application tries again.
  for (let tries = 0; tries < 8; tries += 1) {
    const { complete, unfinished, steps } = await (late ? late.end({ summary }) : phoneCall.finish({ summary }));
    const words = steps.map((step) => `${step.step} ${step.status} ${'error' in step ? step.error.message : ''}`);
    world.log.push(`${callId} ${person.token} finish: ${words.join()}`);
    told = endOfTask(steps, told);
    isRelated = isDone(steps, 'relate');
    if (complete || !unfinished) break;
  }
  // Whose it is was looked for, perhaps without an answer.
  wanted.push({ kind: 'task', mark: summary, told: [told], person: isElsewhere || !isRelated ? undefined : person });
};

const endOfTask = (steps: readonly StepReport[], before: Told): Told => {
  const task = steps.find(({ step }) => step === 'task');
  if (task?.status === 'done') return 'done';
  if (task?.status !== 'failed') return before;
  return task.error instanceof IntegrationError && task.error.outcome !== 'unknown' ? before : 'unknown';
};

const isDone = (steps: readonly StepReport[], name: string): boolean =>
  steps.some(({ step, status }) => step === name && status === 'done');
