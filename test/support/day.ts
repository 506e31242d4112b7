import { apiKey, bearer } from '../../src/auth/index.ts';
import { salesforce } from '../../src/crm/salesforce/index.ts';
import { createFakePlatform, type Fault, type OperationName, testCredentials } from '../../src/dev/testing/index.ts';
import { createIntegration, type PhoneCall } from '../../src/index.ts';
import { intercom } from '../../src/messaging/intercom/index.ts';
import type { ToolResult } from '../../src/tools/index.ts';

/** The end of a piece of work, as the tool's answer says. */
type Told = 'done' | 'not' | 'unknown';

/** A record that a call may have made: what holds it, and the one whose it must be. */
interface Wanted {
  readonly kind: 'note' | 'case' | 'addition' | 'ticket' | 'payment' | 'task';
  /** Words, or an id, that no other record has. */
  readonly mark: string;
  readonly told: readonly Told[];
  readonly person: Person;
}

interface Person {
  readonly phone: string;
  readonly contactId: string;
  readonly crmId: string;
  readonly caseNumber: string;
  readonly customerId: string;
  readonly invoices: string[];
  /** The starts of the appointments that the agent has said. */
  readonly appointments: Set<number>;
  /** The end of a change isn't known. */
  isUncertain: boolean;
}

/** Numbers from a seed, the same on each machine. */
const createRandom = (seed: number) => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    chance: (of: number) => next() < of,
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T,
    below: (end: number) => Math.floor(next() * end),
  };
};

type Random = ReturnType<typeof createRandom>;

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
  'billing.invoices.listOpen',
  'messaging.contacts.search',
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

/**
 * Plays the phone calls of a day, several at once, against three systems that fail now and then, and returns what isn't
 * as it must be: a record that is there twice, missing, with another person, or not as the agent said.
 */
export const playDay = async ({ seed, calls }: { readonly seed: number; readonly calls: number }) => {
  const random = createRandom(seed);
  await using platform = createFakePlatform({ messaging: 'intercom', crm: 'salesforce' });
  const urls = await platform.listen();
  const repairs = platform.messaging.addTicketType({ name: 'Repair' });
  const backoff = { minimumMs: 0, maximumMs: 2 };
  // A day of faults: the breaker has tests of its own.
  const circuit = { minimumVolume: 100_000 };
  await using integration = createIntegration({
    messaging: {
      ...intercom(),
      baseUrl: urls.messaging,
      authenticate: bearer(() => testCredentials.messaging),
      adminId: 'admin_1',
      backoff,
      circuit,
    },
    crm: {
      ...salesforce(),
      baseUrl: urls.crm,
      authenticate: bearer(() => testCredentials.crm),
      backoff,
      circuit,
    },
    billing: {
      baseUrl: urls.billing,
      authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
      version: { path: 'v1' },
      backoff,
      circuit,
    },
    payments: { card: () => 'pm_on_file', below: 5000 },
    onError: () => {},
    phoneCalls: {
      tools: {
        limits: { writes: 100 },
        call: {
          caseStatus: true,
          ticketStatus: true,
          openCase: true,
          addToCase: 'crm',
          ticketTypeId: repairs.id,
          calendar: { ownerId: '005000000000001', timeZone: 'America/New_York', slotMinutes: 30 },
        },
      },
    },
  });

  const people = Array.from({ length: Math.ceil(calls / 3) }, (_, index): Person => {
    const phone = `+1415${String(5_550_000 + index).padStart(7, '0')}`;
    const name = `Person ${index}`;
    const crmId = platform.crm.addContact({ LastName: name, Phone: phone }).Id;
    const customerId = platform.billing.addCustomer({ name, phone }).id;
    const invoices = [10.5, 20, 30.25].map(
      (amount) => platform.billing.addInvoice({ customer_id: customerId, amount, due_date: '2026-01-31' }).id,
    );
    return {
      phone,
      contactId: platform.messaging.addContact({ name, phone }).id,
      crmId,
      caseNumber: String(platform.crm.addCase({ Subject: `Old matter ${index}`, ContactId: crmId })['CaseNumber']),
      customerId,
      invoices,
      appointments: new Set(),
      isUncertain: false,
    };
  });

  const wanted: Wanted[] = [];
  const wrong: string[] = [];
  const lines = new Map<Person, Promise<void>>();

  const playOne = async (number: number, person: Person, dice: Random): Promise<void> => {
    const callId = `CA${number}x`;
    const phoneCall = integration.startPhoneCall({ callId, phone: person.phone });
    const jobs = Array.from({ length: 1 + dice.below(3) }, () => dice.pick(allJobs));
    for (const [index, job] of jobs.entries()) {
      phoneCall.heard(`And now number ${index}.`);
      if (dice.chance(0.7)) platform.fault(dice.pick(operations), [dice.pick(faults)]);
      wanted.push(...(await job({ phoneCall, person, dice, mark: `m${number}q${index}z`, wrong })));
    }
    const summary = `task${number}y`;
    wanted.push({ kind: 'task', mark: summary, told: ['done'], person });
    // `finish` says what is left: the application tries again.
    for (let tries = 0; tries < 8; tries += 1) {
      const { complete, unfinished } = await phoneCall.finish({ summary, transcript: false });
      if (complete || !unfinished) break;
    }
  };

  const running = new Set<Promise<void>>();
  for (let number = 0; number < calls; number += 1) {
    const person = random.pick(people);
    const dice = createRandom(seed * 100_003 + number);
    // One person has one call at a time.
    const played: Promise<void> = (lines.get(person) ?? Promise.resolve()).then(() => playOne(number, person, dice));
    lines.set(person, played);
    const ended = played.finally(() => running.delete(ended));
    running.add(ended);
    if (running.size >= 6) await Promise.race(running);
  }
  await Promise.all(running);
  return { wanted, wrong: [...wrong, ...findWrong(platform, wanted, people)] };
};

interface Job {
  readonly phoneCall: PhoneCall;
  readonly person: Person;
  readonly dice: Random;
  readonly mark: string;
  readonly wrong: string[];
}

const toldOf = ({ status, value }: ToolResult): Told => {
  if (status === 'done') return 'done';
  const { outcome } = Object(value) as { readonly outcome?: unknown };
  return status === 'unknown' || outcome === 'unknown' ? 'unknown' : 'not';
};

/** Runs a write, and often the same again, as a model does that has lost the answer. */
const write = async ({ phoneCall, dice }: Job, name: string, args: object): Promise<readonly Told[]> => {
  const told: Told[] = [];
  for (let times = dice.chance(0.3) ? 2 : 1; times > 0; times -= 1)
    told.push(toldOf(await phoneCall.tools.run(name, args, { toolCallId: `t${dice.below(1e9)}` })));
  return told;
};

const identify = ({ phoneCall }: Job) => phoneCall.tools.run('identify_caller', {});

/** Reads out the question, and sends the token after the caller's yes. */
const confirm = async ({ phoneCall, dice }: Job, name: string, args: object): Promise<ToolResult> => {
  phoneCall.heard(`Do it ${dice.below(1e9)}.`);
  const asked = await phoneCall.tools.run(name, args);
  const { confirmation_token } = Object(asked.value) as { readonly confirmation_token?: string };
  if (confirmation_token === undefined || dice.chance(0.15)) return asked;
  return phoneCall.turn({ heard: 'Yes, please.' }).tools.run(name, { ...args, confirmation_token });
};

const pay = async (job: Job): Promise<readonly Wanted[]> => {
  const { phoneCall, person, dice } = job;
  const looked = await phoneCall.tools.run('lookup_customer_invoices', {});
  const { invoices = [] } = Object(looked.value) as { readonly invoices?: readonly { id: string; amount: number }[] };
  if (invoices.length === 0) return [];
  const { id, amount } = dice.pick(invoices);
  const args = { invoice_id: id, amount };
  const ends = [await confirm(job, 'create_payment', args)];
  if (dice.chance(0.3)) ends.push(await confirm(job, 'create_payment', args));
  return [{ kind: 'payment', mark: id, told: ends.map(toldOf), person }];
};

const note = async (job: Job): Promise<readonly Wanted[]> => {
  await identify(job);
  return [
    {
      kind: 'note',
      mark: job.mark,
      told: await write(job, 'add_note', { text: `Note ${job.mark}` }),
      person: job.person,
    },
  ];
};

const openCase = async (job: Job): Promise<readonly Wanted[]> => {
  const told = await write(job, 'open_case', { subject: `Case ${job.mark}`, description: 'As the caller says.' });
  return [{ kind: 'case', mark: job.mark, told, person: job.person }];
};

const addToCase = async (job: Job): Promise<readonly Wanted[]> => {
  const { mark, person } = job;
  const told = await write(job, 'add_to_case', { text: `News ${mark}`, case_number: person.caseNumber });
  return [{ kind: 'addition', mark, told, person }];
};

const openTicket = async (job: Job): Promise<readonly Wanted[]> => {
  await identify(job);
  const told = await write(job, 'create_ticket', { title: `Ticket ${job.mark}`, description: 'As the caller says.' });
  return [{ kind: 'ticket', mark: job.mark, told, person: job.person }];
};

/** Nothing of another may be said. */
const ask = async ({ phoneCall, person, wrong }: Job): Promise<readonly Wanted[]> => {
  const { text } = await phoneCall.tools.run('get_case_status', {});
  const own = `Old matter ${Number(person.phone.slice(-7)) - 5_550_000}"`;
  for (const [said] of text.matchAll(/Old matter \d+"/g)) if (said !== own) wrong.push(`${person.phone} got ${said}`);
  return [];
};

const startsIn = ({ value }: ToolResult, list: 'slots' | 'appointments'): readonly string[] => {
  const { [list]: found = [] } = Object(value) as Record<string, readonly { readonly start: string }[] | undefined>;
  return found.map(({ start }) => start);
};

const changeAppointments = async (job: Job): Promise<readonly Wanted[]> => {
  const { phoneCall, person, dice } = job;
  const { tools } = phoneCall;
  const mine = startsIn(await tools.run('list_my_appointments', {}), 'appointments');
  const free = startsIn(await tools.run('list_free_slots', {}), 'slots');
  const [current] = mine;
  const wantedStart = free.length > 0 ? dice.pick(free) : undefined;
  const keep = (told: Told, change: () => void) => {
    if (told === 'done') change();
    if (told === 'unknown') person.isUncertain = true;
  };
  if (current !== undefined && dice.chance(0.3)) {
    const told = toldOf(await confirm(job, 'cancel_appointment', { start: current }));
    keep(told, () => person.appointments.delete(Date.parse(current)));
  } else if (current !== undefined && wantedStart !== undefined && dice.chance(0.5)) {
    const args = { current_start: current, new_start: wantedStart };
    keep(toldOf(await confirm(job, 'reschedule_appointment', args)), () => {
      person.appointments.delete(Date.parse(current));
      person.appointments.add(Date.parse(wantedStart));
    });
  } else if (wantedStart !== undefined) {
    for (const told of await write(job, 'book_appointment', { start: wantedStart }))
      keep(told, () => person.appointments.add(Date.parse(wantedStart)));
  }
  return [];
};

const allJobs = [pay, pay, note, openCase, addToCase, openTicket, ask, changeAppointments, changeAppointments];

type Platform = ReturnType<typeof createFakePlatform>;

/** The owners of all records that hold a mark. */
const ownersOf = ({ billing, crm, messaging }: Platform, { kind, mark }: Wanted): readonly unknown[] => {
  const holds = (text: unknown) => String(text).includes(mark);
  switch (kind) {
    case 'payment':
      return billing.payments
        .filter(({ invoice_id, status }) => invoice_id === mark && status === 'completed')
        .map(({ customer_id }) => customer_id);
    case 'note':
      return messaging.conversations.flatMap(({ parts, contact_id }) =>
        parts.filter(({ type, body }) => type === 'note' && holds(body)).map(() => contact_id),
      );
    case 'ticket':
      return messaging.tickets
        .filter(({ attributes }) => holds(JSON.stringify(attributes)))
        .map(({ contact_id }) => contact_id);
    case 'case':
      return crm.cases.filter(({ Subject }) => holds(Subject)).map(({ ContactId }) => ContactId);
    case 'addition':
      return crm
        .records('CaseComment')
        .filter(({ CommentBody }) => holds(CommentBody))
        .map(({ ParentId }) => crm.cases.find(({ Id }) => Id === ParentId)?.['ContactId']);
    case 'task':
      return crm.tasks.filter(({ Description }) => holds(Description)).map(({ WhoId }) => WhoId);
  }
};

const ownerIn: Readonly<Record<Wanted['kind'], (person: Person) => string>> = {
  payment: ({ customerId }) => customerId,
  note: ({ contactId }) => contactId,
  ticket: ({ contactId }) => contactId,
  case: ({ crmId }) => crmId,
  addition: ({ crmId }) => crmId,
  task: ({ crmId }) => crmId,
};

const findWrong = (platform: Platform, wanted: readonly Wanted[], people: readonly Person[]): readonly string[] => {
  const wrong: string[] = [];
  // An invoice may be asked for in several calls.
  const byMark = Map.groupBy(wanted, ({ kind, mark }) => `${kind} ${mark}`);
  for (const [what, all] of byMark) {
    const [first] = all;
    if (!first) continue;
    const told = all.flatMap((one) => one.told);
    const owners = ownersOf(platform, first);
    if (owners.length > 1) wrong.push(`${what} is there ${owners.length} times`);
    if (told.includes('done') && owners.length === 0) wrong.push(`${what} is missing`);
    if (!told.includes('done') && !told.includes('unknown') && owners.length > 0)
      wrong.push(`${what} is there, and the agent said that it isn't (${told.join()})`);
    if (owners.some((owner) => owner !== ownerIn[first.kind](first.person))) wrong.push(`${what} is with another`);
  }
  const { billing, crm, messaging } = platform;
  const live = crm.events.filter(({ ShowAs }) => ShowAs !== 'Free');
  const startOf = ({ StartDateTime }: (typeof live)[number]) => Date.parse(String(StartDateTime));
  if (new Set(live.map(startOf)).size !== live.length) wrong.push('a time is booked twice');
  for (const { crmId, appointments, isUncertain, phone } of people) {
    const own = live.filter(({ WhoId }) => WhoId === crmId).map(startOf);
    const missing = [...appointments].filter((start) => !own.includes(start));
    const more = own.filter((start) => !appointments.has(start));
    if (!isUncertain && (missing.length > 0 || more.length > 0))
      wrong.push(`${phone} has other appointments than the agent said: ${missing.length} missing, ${more.length} more`);
  }
  const known = new Set(wanted.map(({ kind }) => kind));
  const counts: readonly (readonly [Wanted['kind'], number])[] = [
    ['payment', billing.payments.filter(({ status }) => status === 'completed').length],
    ['ticket', messaging.tickets.length],
    ['case', crm.cases.length - people.length],
    ['addition', crm.records('CaseComment').length],
    ['task', crm.tasks.length],
  ];
  for (const [kind, count] of counts) {
    const most = [...byMark.keys()].filter((key) => key.startsWith(`${kind} `)).length;
    if (known.has(kind) && count > most) wrong.push(`${count - most} more of ${kind} than anyone asked for`);
  }
  if (messaging.contacts.length !== people.length) wrong.push('there are more contacts than people');
  return wrong;
};
