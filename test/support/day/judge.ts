import type { HeldRecord } from './systems.ts';
import type { Kind, Person, Sent, Wanted, World } from './world.ts';
import { messageMark } from './jobs.ts';

/** Returns what isn't as it must be: a record that is there twice, missing, with another person, or not as was said. */
export const findWrong = (world: World, wanted: readonly Wanted[]): readonly string[] => [
  ...world.wrong,
  ...recordsThatAreWrong(world, wanted),
  ...appointmentsThatAreWrong(world),
  ...moneyThatIsWrong(world),
  ...wordsThatAreWrong(world),
  ...peopleThatAreWrong(world),
];

type Held = ReturnType<World['systems']['held']>;

/** The owners of all records that hold a mark. */
const ownersOf = ({ systems, messages }: World, held: Held, { kind, mark }: Wanted): readonly unknown[] => {
  const { billing } = systems.platform;
  const withMark = (records: readonly HeldRecord[]) =>
    records.filter(({ text }) => text.includes(mark)).map(({ owner }) => owner);
  switch (kind) {
    case 'payment':
      return billing.payments
        .filter(({ invoice_id, status, isPast }) => invoice_id === mark && status === 'completed' && !isPast)
        .map(({ customer_id }) => customer_id);
    case 'refund':
      return refundsOf(billing)
        .filter((one) => one.mark === mark)
        .map(({ customerId }) => customerId);
    case 'note':
      return withMark(held.notes);
    case 'ticket':
      return withMark(held.tickets);
    case 'case':
      return withMark(held.cases);
    case 'addition':
      return withMark(held.additions);
    case 'task':
      return withMark(held.tasks);
    case 'message':
      return messages.filter((one) => messageMark(partsOf(one)) === mark).map(({ to }) => to);
    case 'lead':
      return held.leads.filter(({ phone }) => phone === mark).map(({ text }) => text);
    case 'proof':
    case 'stranger':
      return [];
  }
};

/** The refunds that give money back, or may. */
const refundsOf = ({ refunds, invoices }: World['systems']['platform']['billing']) =>
  refunds
    .filter(({ status }) => status !== 'failed' && status !== 'canceled')
    .map((refund) => ({
      ...refund,
      mark: `${refund.payment_id} ${refund.amount}`,
      customerId: invoices.find(({ id }) => id === refund.invoice_id)?.customer_id,
    }));

const partsOf = ({ callId, what, text }: Sent) => ({
  callId,
  template: what,
  invoiceId: what === 'payment_page' ? /in_p\d+p_\d+/.exec(text)?.[0] : undefined,
});

const ownerIn: Partial<Record<Kind, (person: Person) => unknown>> = {
  payment: ({ customerId }) => customerId,
  refund: ({ customerId }) => customerId,
  note: ({ contactId }) => contactId,
  ticket: ({ contactId }) => contactId,
  case: ({ crmId }) => crmId,
  addition: ({ crmId }) => crmId,
  task: ({ crmId }) => crmId,
  message: ({ phone }) => phone,
  lead: ({ name }) => name,
};

const recordsThatAreWrong = (all: World, wanted: readonly Wanted[]): readonly string[] => {
  const wrong: string[] = [];
  const held = all.systems.held();
  const judged = wanted.filter(({ kind }) => kind !== 'proof' && kind !== 'stranger');
  // An invoice may be asked for in several calls.
  const byMark = Map.groupBy(judged, ({ kind, mark }) => `${kind} ${mark}`);
  for (const [what, tries] of byMark) {
    const [first] = tries;
    if (!first) continue;
    const { kind } = first;
    const told = tries.flatMap((one) => one.told);
    const owners = ownersOf(all, held, first);
    if (owners.length > 1) wrong.push(`${what} is there ${owners.length} times (${told.join()})`);
    if (told.includes('done') && owners.length === 0) wrong.push(`${what} is missing`);
    if (!told.includes('done') && !told.includes('unknown') && owners.length > 0)
      wrong.push(`${what} is there, and the agent said that it isn't (${told.join()})`);
    const ownerOf = ownerIn[kind];
    const { person } = tries.find((one) => one.person) ?? {};
    // No system knew a prospect before: their records are where the CRM and the help desk put them.
    if (!person || !ownerOf || (!person.isCustomer && kind !== 'message' && kind !== 'lead')) continue;
    if (owners.some((owner) => owner !== ownerOf(person))) wrong.push(`${what} is with another: ${owners.join()}`);
  }
  const { billing } = all.systems.platform;
  const customers = all.people.filter(({ isCustomer }) => isCustomer).length;
  const counts: readonly (readonly [Kind, number])[] = [
    ['payment', billing.payments.filter(({ status, isPast }) => status === 'completed' && !isPast).length],
    ['refund', refundsOf(billing).length],
    ['message', all.messages.length],
    ['ticket', held.tickets.length],
    ['case', held.cases.length - customers],
    ['addition', held.additions.length],
    ['task', held.tasks.length],
    ['lead', held.leads.length],
  ];
  for (const [kind, count] of counts) {
    const most = [...byMark.keys()].filter((key) => key.startsWith(`${kind} `)).length;
    if (count > most) wrong.push(`${count - most} more of ${kind} than anyone asked for`);
  }
  return wrong;
};

const appointmentsThatAreWrong = ({ systems, people }: World): readonly string[] => {
  const wrong: string[] = [];
  const { appointments: live } = systems.held();
  if (new Set(live.map(({ start }) => start)).size !== live.length) wrong.push('a time is booked twice');
  for (const { crmId, appointments, isUncertain, phone } of people) {
    const own = live.filter(({ text }) => text.includes(phone));
    const starts = own.map(({ start }) => start);
    const missing = [...appointments].filter((start) => !starts.includes(start));
    const more = starts.filter((start) => !appointments.has(start));
    if (!isUncertain && (missing.length > 0 || more.length > 0))
      wrong.push(`${phone} has other appointments than the agent said: ${missing.length} missing, ${more.length} more`);
    if (crmId !== undefined && own.some(({ owner }) => owner !== crmId)) wrong.push(`${phone}: is with another`);
  }
  return wrong;
};

const moneyThatIsWrong = ({ systems, refundsTold }: World): readonly string[] => {
  const wrong: string[] = [];
  const { billing } = systems.platform;
  const refunds = refundsOf(billing);
  for (const [payment, own] of Map.groupBy(refunds, ({ payment_id }) => payment_id)) {
    const invoice = billing.invoices.find(({ id }) => id === own[0]?.invoice_id);
    const back = own.reduce((sum, { amount }) => sum + amount, 0);
    if (back > (invoice?.amount ?? 0)) wrong.push(`${back} were given back of ${payment}`);
  }
  for (const { mark, as } of refundsTold) {
    const refund = refunds.find((one) => one.mark === mark);
    const state = refund?.status === 'completed' ? 'completed' : 'pending';
    if (refund && state !== as) wrong.push(`the refund ${mark} is ${state}, and the agent said ${as}`);
  }
  return wrong;
};

const wordsThatAreWrong = ({ systems, messages, codes, people, optOuts }: World): readonly string[] => {
  const wrong: string[] = [];
  const written = JSON.stringify(systems.platform.requests).replaceAll(/[ -]/g, '');
  for (const { text, to, callId } of codes) {
    if (written.includes(text)) wrong.push(`the code ${text} of ${callId} is written down`);
    if (!people.some(({ phone }) => phone === to)) wrong.push(`a code went to ${to}, which is on no file`);
  }
  for (const { to, text } of messages)
    for (const [token] of text.matchAll(/p\d+p/g))
      if (people.find((one) => one.phone === to)?.token !== token) wrong.push(`${to} got a message about ${token}`);
  for (const { callId, to, after } of optOuts)
    if (messages.slice(after).some((one) => one.callId === callId && one.to === to))
      wrong.push(`${to} got a message after they had opted out`);
  return wrong;
};

/** A contact is never made twice, and no one becomes another. */
const peopleThatAreWrong = ({ systems, people }: World): readonly string[] => {
  const { contacts } = systems.held();
  const wrong = [...Map.groupBy(contacts, ({ phone }) => phone)]
    .filter(([phone, own]) => phone && own.length > 1)
    .map(([phone, own]) => `${phone} has ${own.length} contacts`);
  for (const { contactId, phone, email, isCustomer } of people) {
    if (!isCustomer) continue;
    const contact = contacts.find(({ id }) => id === contactId);
    if (contact?.phone !== phone || contact.email !== email)
      wrong.push(`the contact of ${phone} has become ${contact?.phone}, ${contact?.email}`);
  }
  return wrong;
};
