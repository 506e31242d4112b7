import type { PhoneCallSteps } from '../../phone-call/steps/phone-call-steps.ts';
import type { StepOptions } from '../../phone-call/steps/step.ts';
import type { CrmClient } from '../../crm/index.ts';
import type { Admin, MessagingClient } from '../../messaging/index.ts';
import type { Confirm } from '../tool.ts';
import type { Calendar } from './calendar.ts';
import type { CrmCalendarOptions } from './crm-calendar.ts';
import type { ToolContext } from '../context.ts';
import type { LookUp } from './right-person.ts';

/** The steps that the tools of a phone call take. A phone call, and a turn of one, have them. */
export interface CallSteps
  extends Pick<PhoneCallSteps, 'identifyCaller' | 'callerContext' | 'qualifyLead' | 'openCase' | 'logCall'> {
  /** Returns the phone call's conversation, and starts it on first use. */
  ensureConversation(options: StepOptions): Promise<{ readonly conversationId: string }>;
  /** Hands the conversation to a team. */
  routeConversation(
    input: { readonly teamId: string; readonly conversationId: string },
    options: StepOptions,
  ): Promise<unknown>;
}

/** The tools of a phone call, and their parts. */
export interface CallToolsOptions {
  /** The phone call that a tool call belongs to, or a turn of it. */
  readonly phoneCall: (context: ToolContext) => CallSteps;
  /** For notes, replies, the help center and tickets; without it there are no tools for them. */
  readonly messaging?:
    | Pick<MessagingClient, 'conversations' | 'articles' | 'tickets' | 'teams' | 'officeHours'>
    | undefined;
  /** The ids of the teams, by names for the model; without it there is no `route_to_team`. */
  readonly teams?: Readonly<Record<string, string>> | undefined;
  /** The kind of ticket that `create_ticket` opens; without it there is none. */
  readonly ticketTypeId?: string | undefined;
  /** The way to a person; without it there is no `transfer_to_human`. */
  readonly transfer?: TransferOptions | undefined;
  /** For appointments: a calendar, or what `crmCalendar` takes. Without it there are no tools for them. */
  readonly calendar?: Calendar | CrmCalendarOptions | undefined;
  /** The people who have to agree before an appointment is moved or cancelled. @defaultValue 'two-step' */
  readonly confirmChanges?: Confirm | undefined;
  /** For a calendar in the CRM, and for cases. */
  readonly crm?: CrmClient | undefined;
  /** Adds `get_case_status`: a caller learns about their own cases in the CRM. @defaultValue false */
  readonly caseStatus?: boolean | undefined;
  /** Adds `get_ticket_status`: a caller learns about their own tickets at the help desk. @defaultValue false */
  readonly ticketStatus?: boolean | undefined;
  /** Adds `open_case`: a case in the CRM, for the caller's contact. @defaultValue false */
  readonly openCase?: boolean | undefined;
  /**
   * Adds `add_to_case`: an internal note on the caller's open case in the CRM, or ticket at the help desk.
   * @defaultValue there is none
   */
  readonly addToCase?: 'crm' | 'messaging' | undefined;
  /** Only these. @defaultValue all that can work */
  readonly only?: readonly CallToolName[] | undefined;
  /**
   * The people that `identify_caller` may look for.
   * @defaultValue 'caller', or anyone once the caller has proved who they are
   */
  readonly lookup?: LookUp | undefined;
  /** The custom attributes of the contact that a model may read. @defaultValue those of `callAttributes` */
  readonly attributes?: readonly string[] | undefined;
  /** The time zone of the business, as an IANA name: messages have the time there. @defaultValue 'UTC' */
  readonly timeZone?: string | undefined;
}

/** A phone call that is to go on with a person. */
export interface CallTransfer {
  readonly callId: string;
  /** The team's name in `teams`; `undefined` if there are none. */
  readonly team: string | undefined;
  readonly teamId: string | undefined;
  /** The colleagues of the team who are there. Empty if the platform doesn't say. */
  readonly colleagues: readonly Admin[];
  /** The caller's request, in the words of the model. It's in a note, unless that failed. */
  readonly summary: string;
  /** `undefined` where the caller isn't identified, or the platform is down. */
  readonly conversationId: string | undefined;
}

/** The way to a person, and the answer when no one is there. */
export interface TransferOptions {
  /**
   * Moves the phone call, as only your telephony can. `false`: it couldn't be moved, such as when no one picks up; the
   * caller is still on the line.
   */
  readonly moveCall: (transfer: CallTransfer, context: ToolContext) => boolean | Promise<boolean>;
  /** The schedule by which people answer, as the messaging platform has it. @defaultValue always open */
  readonly officeHoursId?: string | undefined;
  /** The next step if no one is there, for the model to say: `A colleague calls back the next working day.` */
  readonly whenUnavailable: string;
}

/** The names of the tools that `callTools` gives. */
export type CallToolName =
  | 'identify_caller'
  | 'get_caller_context'
  | 'add_note'
  | 'reply_to_customer'
  | 'route_to_team'
  | 'qualify_lead'
  | 'log_call'
  | 'list_free_slots'
  | 'book_appointment'
  | 'list_my_appointments'
  | 'reschedule_appointment'
  | 'cancel_appointment'
  | 'get_case_status'
  | 'get_ticket_status'
  | 'open_case'
  | 'add_to_case'
  | 'search_help_center'
  | 'list_recent_conversations'
  | 'create_ticket'
  | 'transfer_to_human'
  | PhoneCallToolName;

/** The names of the tools that only a phone call has: with `verify`, and with `sendMessage`. */
export type PhoneCallToolName =
  | 'send_message'
  | 'send_verification_code'
  | 'check_verification_code'
  | 'ask_security_question'
  | 'check_security_answer';

/** Each name, once. */
const isTool: Readonly<Record<CallToolName, true>> = {
  identify_caller: true,
  get_caller_context: true,
  add_note: true,
  reply_to_customer: true,
  route_to_team: true,
  qualify_lead: true,
  log_call: true,
  list_free_slots: true,
  book_appointment: true,
  list_my_appointments: true,
  reschedule_appointment: true,
  cancel_appointment: true,
  get_case_status: true,
  get_ticket_status: true,
  open_case: true,
  add_to_case: true,
  search_help_center: true,
  list_recent_conversations: true,
  create_ticket: true,
  transfer_to_human: true,
  send_verification_code: true,
  check_verification_code: true,
  ask_security_question: true,
  check_security_answer: true,
  send_message: true,
};

export const callToolNames: readonly string[] = Object.keys(isTool);

export const stepOptions = ({ deadline, signal }: ToolContext): StepOptions => ({ deadline, signal });
