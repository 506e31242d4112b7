import type { ToolResult } from '../../../src/tools/index.ts';
import { type Job, type Line, type Told, toldOf } from './world.ts';

/** Runs a write, and often the same again, as a model does that has lost the answer. */
const write = async ({ run, dice }: Line, name: string, args: object): Promise<readonly Told[]> => {
  const told: Told[] = [];
  for (let times = dice.chance(0.3) ? 2 : 1; times > 0; times -= 1)
    told.push(toldOf(await run(name, args, { toolCallId: `t${dice.below(1e9)}` })));
  return told;
};

export const tokenOf = ({ value }: ToolResult): string | undefined =>
  (Object(value) as { readonly confirmation_token?: string }).confirmation_token;

/** Reads out the question, and sends the token after the caller's yes. Some say no. */
const confirm = async (line: Line, name: string, args: object): Promise<ToolResult> => {
  const { run, hear, dice } = line;
  hear(`Do it ${dice.below(1e9)}.`);
  const asked = await run(name, args);
  const confirmation_token = tokenOf(asked);
  if (confirmation_token === undefined) return asked;
  if (dice.chance(0.2)) {
    hear('No, leave it.');
    return asked;
  }
  hear('Yes, please.');
  return run(name, { ...args, confirmation_token });
};

const identify = ({ run }: Line) => run('identify_caller');

type Listed = Readonly<Record<'id' | 'start', string>> & { readonly amount: number };

const listIn = ({ value }: ToolResult, list: string): readonly Listed[] => {
  const { [list]: found = [] } = Object(value) as Record<string, readonly Listed[] | undefined>;
  return found;
};

export const openInvoices = async ({ run }: Line) => listIn(await run('lookup_customer_invoices'), 'invoices');

export const pay: Job = async (line) => {
  const { dice, person, world } = line;
  const invoices = await openInvoices(line);
  if (invoices.length === 0) return [];
  const { id, amount } = dice.pick(invoices);
  const args = { invoice_id: id, amount };
  if (dice.chance(0.1)) world.systems.platform.billing.nextPayment(dice.pick(['declined', 'pending'] as const));
  const ends = [await confirm(line, 'create_payment', args)];
  if (dice.chance(0.3)) ends.push(await confirm(line, 'create_payment', args));
  return [{ kind: 'payment', mark: id, told: ends.map(toldOf), person }];
};

const payments = async ({ run }: Line) => listIn(await run('get_payment_status'), 'payments');

const refund: Job = async (line) => {
  const { dice, person, world } = line;
  const made = await payments(line);
  if (made.length === 0) return [];
  const { id, amount: paid } = dice.pick(made);
  const amount = dice.pick([paid, paid, 5, 7.5]);
  if (dice.chance(0.25))
    world.systems.platform.billing.nextRefund(dice.pick(['pending', 'failed', 'requires_action'] as const));
  const args = { payment_id: id, amount, reason: 'wrong_amount' };
  const mark = `${id} ${amount}`;
  const ends = [await confirm(line, 'refund_payment', args)];
  if (dice.chance(0.3)) ends.push(await confirm(line, 'refund_payment', args));
  for (const { status, value } of ends) {
    const { refunded, refund_pending } = Object(value) as {
      readonly refunded?: number;
      readonly refund_pending?: number;
    };
    if (status !== 'done') continue;
    if (refunded === amount) world.refundsTold.push({ mark, as: 'completed' });
    else if (refund_pending === amount) world.refundsTold.push({ mark, as: 'pending' });
    else world.wrong.push(`${mark} was done without its amount: ${JSON.stringify(value)}`);
  }
  return [{ kind: 'refund', mark, told: ends.map(toldOf), person }];
};

const note: Job = async (line, mark) => {
  await identify(line);
  return [{ kind: 'note', mark, told: await write(line, 'add_note', { text: `Note ${mark}` }), person: line.person }];
};

const openCase: Job = async (line, mark) => {
  const told = await write(line, 'open_case', { subject: `Case ${mark}`, description: 'As the caller says.' });
  return [{ kind: 'case', mark, told, person: line.person }];
};

const addToCase: Job = async (line, mark) => {
  const { person } = line;
  const told = await write(line, 'add_to_case', { text: `News ${mark}`, case_number: person.caseNumber });
  return [{ kind: 'addition', mark, told, person }];
};

const openTicket: Job = async (line, mark) => {
  await identify(line);
  const told = await write(line, 'create_ticket', { title: `Ticket ${mark}`, description: 'As the caller says.' });
  return [{ kind: 'ticket', mark, told, person: line.person }];
};

/** Nothing of another may be said. */
const ask: Job = async ({ run, dice }) => {
  await run(dice.pick(['get_case_status', 'get_ticket_status', 'get_caller_context', 'lookup_customer_invoices']));
  return [];
};

const startsIn = (result: ToolResult, list: 'slots' | 'appointments'): readonly string[] =>
  listIn(result, list).map(({ start }) => start);

const changeAppointments: Job = async (line) => {
  const { run, person, dice } = line;
  const mine = startsIn(await run('list_my_appointments'), 'appointments');
  const free = startsIn(await run('list_free_slots'), 'slots');
  const [current] = mine;
  const wantedStart = free.length > 0 ? dice.pick(free) : undefined;
  const keep = (told: Told, change: () => void) => {
    if (told === 'done') change();
    if (told === 'unknown') person.isUncertain = true;
  };
  if (current !== undefined && dice.chance(0.3)) {
    const told = toldOf(await confirm(line, 'cancel_appointment', { start: current }));
    keep(told, () => person.appointments.delete(Date.parse(current)));
  } else if (current !== undefined && wantedStart !== undefined && dice.chance(0.5)) {
    const args = { current_start: current, new_start: wantedStart };
    keep(toldOf(await confirm(line, 'reschedule_appointment', args)), () => {
      person.appointments.delete(Date.parse(current));
      person.appointments.add(Date.parse(wantedStart));
    });
  } else if (wantedStart !== undefined) {
    for (const told of await write(line, 'book_appointment', { start: wantedStart }))
      keep(told, () => person.appointments.add(Date.parse(wantedStart)));
  }
  return [];
};

/** A message in the business's words, whose answer the sender sometimes loses. */
const message: Job = async (line, mark) => {
  const { person, dice, callId } = line;
  const template = dice.pick(['address', 'visit', 'payment_page'] as const);
  const [invoice] = template === 'payment_page' ? await openInvoices(line) : [];
  if (template === 'payment_page' && !invoice) return [];
  const fields = template === 'visit' ? { words: `Visit ${mark}` } : invoice ? { invoice_id: invoice.id } : {};
  const told = await write(line, 'send_message', { template, ...fields });
  return [{ kind: 'message', mark: messageMark({ callId, template, invoiceId: invoice?.id }), told, person }];
};

export const messageMark = ({
  callId,
  template,
  invoiceId = '',
}: {
  readonly callId: string;
  readonly template: string;
  readonly invoiceId?: string | undefined;
}): string => `${callId} ${template} ${invoiceId}`;

/** A caller whom no one knows wants to buy, perhaps in several calls. */
const lead: Job = async (line) => {
  const { person, dice } = line;
  const address = dice.chance(0.5) ? { email: person.email } : {};
  const told = await write(line, 'qualify_lead', {
    last_name: person.name,
    company: `Company ${person.token}`,
    summary: 'Wants an oven.',
    ...address,
  });
  return [{ kind: 'lead', mark: person.phone, told, person }];
};

/** A caller proves who they are, with a slip or two. */
const prove: Job = async (line) => {
  await identify(line);
  const { told } = await proveWith(line, { isImpostor: false, slips: line.dice.below(4) });
  return [{ kind: 'proof', mark: line.callId, told: [told], person: line.person }];
};

/** Tries wrong codes, and then the right one, unless the caller can't read it. */
export const proveWith = async (
  line: Line,
  { isImpostor, slips }: { readonly isImpostor: boolean; readonly slips: number },
): Promise<{ readonly told: Told; readonly isProved: boolean }> => {
  const { run, hear, dice, person, callId, world } = line;
  const isProved = (result: ToolResult) =>
    result.status === 'done' && (Object(result.value) as { readonly verified?: unknown }).verified === true;
  const sent = await run('send_verification_code');
  if (isProved(sent)) return { told: 'done', isProved: true };
  const right = world.codes.findLast((one) => one.callId === callId && one.to === person.phone)?.text;
  let tries = 0;
  for (let slip = 0; slip < slips; slip += 1) {
    const wrong = String(1_000_000_000 + dice.below(1e8));
    hear(`It is ${wrong}.`);
    const end = await run('check_verification_code', { code: wrong });
    if (isProved(end)) world.wrong.push(`${callId} proved who is calling with a wrong code`);
    if ((Object(end.value) as { readonly error?: unknown }).error === 'wrong_code') tries += 1;
  }
  if (isImpostor || right === undefined) return { told: 'not', isProved: false };
  const spoken = right.split('').join(dice.pick(['', ' ', '-']));
  hear(`It is ${spoken}.`);
  const end = await run('check_verification_code', { code: spoken });
  const told = toldOf(end);
  if (isProved(end) && tries >= 3) world.wrong.push(`${callId} had a fourth try`);
  if (told === 'done' && line.phoneCall.caller.verified !== 'strong')
    world.wrong.push(`${callId} is verified, and its phone call doesn't know`);
  return { told, isProved: isProved(end) };
};

export const jobsOfCustomers: readonly Job[] = [
  pay,
  pay,
  note,
  openCase,
  addToCase,
  openTicket,
  ask,
  changeAppointments,
  changeAppointments,
  refund,
  refund,
  message,
  message,
  prove,
];

export const jobsOfProspects: readonly Job[] = [lead, lead, ask, changeAppointments, message, note];
