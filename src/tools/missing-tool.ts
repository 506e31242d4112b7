import { InvalidArgumentError } from '../core/errors.ts';

/**
 * The error for a tool of this package that the model asked for and the phone call doesn't have, with what it takes.
 * `undefined` for other names: the model made them up.
 */
export const missingTool = (name: string, callId: string | undefined): InvalidArgumentError | undefined => {
  const needed = Object.hasOwn(needs, name) ? needs[name] : undefined;
  if (needed === undefined) return undefined;
  const call = callId === undefined ? 'this toolbox' : `call ${callId}`;
  return new InvalidArgumentError(`tools.${name}`, `is missing: give ${needed}`, {
    message: `the model asked for ${name}, which ${call} doesn't have: give ${needed}`,
  });
};

const messaging = 'createIntegration messaging';
const crm = 'createIntegration crm';

/** The options that each tool needs from the application. Its names are those of all tools of a phone call. */
const needs: Readonly<Record<string, string | undefined>> = {
  lookup_customer_invoices: 'createIntegration billing',
  create_payment: 'createIntegration payments: { card, below }',
  send_payment_page: 'createIntegration billing, and phoneCalls.tools.billing sendPaymentPage',
  identify_caller: messaging,
  get_caller_context: messaging,
  add_note: messaging,
  reply_to_customer: messaging,
  search_help_center: messaging,
  list_recent_conversations: messaging,
  route_to_team: `${messaging}, and phoneCalls.tools.call teams`,
  create_ticket: `${messaging}, and phoneCalls.tools.call ticketTypeId`,
  transfer_to_human: 'phoneCalls.tools.call transfer',
  list_free_slots: 'phoneCalls.tools.call calendar',
  book_appointment: 'phoneCalls.tools.call calendar',
  qualify_lead: crm,
  log_call: crm,
  get_case_status: `${crm}, and phoneCalls.tools.call caseStatus`,
};

/** Returns whether a tool of a phone call has this name, with some options or other. */
export const isBuiltIn = (name: string): boolean => Object.hasOwn(needs, name);
