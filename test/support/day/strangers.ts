import { InvalidArgumentError } from '../../../src/core/errors.ts';
import { openInvoices, pay, proveWith, tokenOf } from './jobs.ts';
import { type Job, type Line, toldOf, type Wanted } from './world.ts';

/**
 * Another person is on the line of the same call id, as when a platform uses an id again or mixes two calls up. They know
 * everything that the first one heard, and get nothing of it.
 */
export const intrude =
  (open: (phone: string) => Line): Job =>
  async (line) => {
    const { person, dice, world, callId } = line;
    const [invoice] = await openInvoices(line);
    const mine = await line.run('get_payment_status');
    const [payment] = (Object(mine.value) as { readonly payments?: readonly { readonly id: string }[] }).payments ?? [];
    const question = invoice
      ? await line.run('create_payment', { invoice_id: invoice.id, amount: invoice.amount })
      : undefined;

    const stranger = open(`+1202555${String(dice.below(10_000)).padStart(4, '0')}`);
    stranger.hear('Yes, please.');
    const tries: readonly (readonly [string, object])[] = [
      ['lookup_customer_invoices', {}],
      ['get_payment_status', {}],
      ['get_case_status', { case_number: person.caseNumber }],
      ['get_ticket_status', {}],
      ['list_my_appointments', {}],
      ['list_recent_conversations', {}],
      ['get_caller_context', {}],
      ['add_to_case', { text: 'From a stranger', case_number: person.caseNumber }],
      ...[...person.appointments].map((at) => ['cancel_appointment', { start: new Date(at).toISOString() }] as const),
      ['send_message', { template: 'payment_page', invoice_id: invoice?.id }],
      ['send_verification_code', {}],
      ['refund_payment', { payment_id: payment?.id, amount: 5, reason: 'goodwill' }],
      [
        'create_payment',
        {
          invoice_id: invoice?.id,
          amount: invoice?.amount,
          confirmation_token: question && tokenOf(question),
        },
      ],
    ];
    for (const [name, args] of tries) {
      const end = await stranger.run(name, args);
      const isWrite = !/^(?:get|list|lookup)_/.test(name);
      if (isWrite && toldOf(end) !== 'not') world.wrong.push(`${callId}: a stranger’s ${name} was ${end.text}`);
      if (tokenOf(end) && name !== 'cancel_appointment')
        world.wrong.push(`${callId}: a stranger was asked for a yes to ${name}`);
    }
    return invoice ? [{ kind: 'payment', mark: invoice.id, told: ['not'], person }] : [];
  };

/** Someone else takes the phone: from then on the line is no proof of anyone. */
export const handOver: Job = async (line) => {
  const { phoneCall, world, callId, run } = line;
  const invoices = await openInvoices(line);
  phoneCall.verifyCaller('no');
  line.hear('It is her husband now.');
  for (const name of ['lookup_customer_invoices', 'get_payment_status', 'get_case_status', 'list_my_appointments']) {
    const { status, text } = await run(name);
    if (status === 'done') world.wrong.push(`${callId}: the next person got ${text}`);
  }
  for (const [name, args] of [
    ['create_payment', { invoice_id: invoices[0]?.id, amount: invoices[0]?.amount }],
    ['send_message', { template: 'address' }],
  ] as const)
    if (toldOf(await run(name, args)) !== 'not') world.wrong.push(`${callId}: the next person did ${name}`);
  return [];
};

/** A customer calls from a phone that isn't theirs, says their address, and proves it. An impostor can't. */
export const callFromElsewhere = async (line: Line, isImpostor: boolean): Promise<readonly Wanted[]> => {
  const { person, world, callId } = line;
  await line.run('identify_caller', { email: person.email });
  const { isProved } = await proveWith(line, { isImpostor, slips: isImpostor ? 4 : line.dice.below(3) });
  if (!isProved) {
    for (const name of ['lookup_customer_invoices', 'get_payment_status', 'get_case_status', 'list_my_appointments']) {
      const { text } = await line.run(name);
      if (text.includes(person.token)) world.wrong.push(`${callId}: someone unproved got ${text}`);
    }
    return [];
  }
  return pay(line, '');
};

/** The number of the line comes late. Before it no one is known, and after it another number is no number of this call. */
export const sayNumberLate = async (line: Line, say: (phone: string) => unknown): Promise<void> => {
  const { person, world, callId, run } = line;
  for (const name of ['lookup_customer_invoices', 'get_case_status', 'list_my_appointments']) {
    const { status, text } = await run(name);
    if (status === 'done') world.wrong.push(`${callId}: a line without a number got ${text}`);
  }
  say(person.phone);
  try {
    say('+12025550000');
    world.wrong.push(`${callId} took a second number`);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
  }
};
