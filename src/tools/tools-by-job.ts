/** A job of a phone agent. */
export type AgentJob = 'know' | 'prove' | 'pay' | 'book' | 'write' | 'follow' | 'answer' | 'handOver' | 'record';

const messaging = 'createIntegration messaging';
const crm = 'createIntegration crm';
const calendar = 'phoneCalls.tools.call calendar';
const byCode = 'phoneCalls.tools.call verify: { sendCode, checkCode }';
const byQuestions = 'phoneCalls.tools.call verify: { questions }';

/** The ready tools of each job, each with what the application must give for it. A new tool is a line here. */
const needs: Readonly<Record<AgentJob, Readonly<Record<string, string>>>> = {
  know: {
    identify_caller: messaging,
    get_caller_context: messaging,
    list_recent_conversations: messaging,
  },
  prove: {
    send_verification_code: byCode,
    check_verification_code: byCode,
    ask_security_question: byQuestions,
    check_security_answer: byQuestions,
  },
  pay: {
    lookup_customer_invoices: 'createIntegration billing',
    create_payment: 'createIntegration payments: { card, below }',
    get_payment_status: 'createIntegration payments: { refund }, or phoneCalls.tools.billing paymentStatus',
    refund_payment: 'createIntegration payments: { below, refund: { below } }',
  },
  book: {
    list_free_slots: calendar,
    book_appointment: calendar,
    list_my_appointments: `${calendar} that has list`,
    reschedule_appointment: `${calendar} that has list and move`,
    cancel_appointment: `${calendar} that has list and cancel`,
  },
  write: {
    reply_to_customer: messaging,
    send_message: 'phoneCalls.tools.call sendMessage: { templates, send }',
  },
  follow: {
    create_ticket: `${messaging}, and phoneCalls.tools.call ticketTypeId`,
    get_case_status: `${crm}, and phoneCalls.tools.call caseStatus`,
    get_ticket_status: `${messaging}, and phoneCalls.tools.call ticketStatus`,
    open_case: `${crm}, and phoneCalls.tools.call openCase`,
    add_to_case: 'phoneCalls.tools.call addToCase',
  },
  answer: {
    search_help_center: messaging,
  },
  handOver: {
    route_to_team: `${messaging}, and phoneCalls.tools.call teams`,
    transfer_to_human: 'phoneCalls.tools.call transfer',
  },
  record: {
    add_note: messaging,
    qualify_lead: crm,
    log_call: crm,
  },
};

const needsByName: ReadonlyMap<string, string> = new Map(
  Object.values(needs).flatMap((tools) => Object.entries(tools)),
);

/** Returns what a ready tool needs from the application. `undefined` for other names. */
export const needsOf = (name: string): string | undefined => needsByName.get(name);

/** Returns whether a tool of a phone call has this name, with some options or other. */
export const isBuiltIn = (name: string): boolean => needsByName.has(name);

/**
 * The names of the ready tools, by job, for `toolbox.only` and `toolbox.without`. A toolbox may have fewer of them.
 *
 * @example
 * const reception = phoneCall.tools.only([...toolsByJob.know, ...toolsByJob.answer]);
 */
export const toolsByJob: Readonly<Record<AgentJob, readonly string[]>> = Object.freeze(
  // It has the jobs of `needs`, which the compiler has checked.
  Object.fromEntries(Object.entries(needs).map(([job, tools]) => [job, Object.freeze(Object.keys(tools))])) as Record<
    AgentJob,
    readonly string[]
  >,
);
