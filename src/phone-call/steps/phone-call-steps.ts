import type { CreatedRecord, CrmSchemas } from '../../crm/index.ts';
import type { Conversation } from '../../messaging/index.ts';
import {
  type CallerContext,
  type CallerContextInput,
  type CallerContextOptions,
  callerContextStep,
  type TakeContext,
} from './caller-context.ts';
import { type EnsuredConversation, ensureConversationStep } from './ensure-conversation.ts';
import {
  type IdentifiedCaller,
  type IdentifyCallerInput,
  identifyCallerStep,
  type TakeContact,
} from './identify-caller.ts';
import { type LogCallOptions, logCallStep } from './log-call.ts';
import type { OngoingCall } from './ongoing-call.ts';
import { type OpenCaseInput, type OpenCaseOptions, openCaseStep } from './open-case.ts';
import type { QualifiedLead } from './qualified-lead.ts';
import { type QualifyLeadInput, type QualifyLeadOptions, qualifyLeadStep } from './qualify-lead.ts';
import { type RecordCallInput, type RecordCallOptions, type RecordedCall, recordCallStep } from './record-call.ts';
import {
  type RouteConversationInput,
  type RouteConversationOptions,
  routeConversationStep,
} from './route-conversation.ts';
import type { StepOptions } from './step.ts';
import { type PaymentResult, type TakePaymentInput, type TakePaymentOptions, takePaymentStep } from './take-payment.ts';
import type { LoggedCall } from './task-claim.ts';
import type { LogCallInput } from './task-fields.ts';

/** The steps of a phone call. What each learns is passed on to the others. */
export interface PhoneCallSteps<Schemas extends CrmSchemas = CrmSchemas> {
  /** Finds or creates the caller's contact, by the phone and e-mail that are known so far. */
  identifyCaller(input?: IdentifyCallerInput, options?: StepOptions): Promise<IdentifiedCaller>;
  /** Reads everything that the messaging platform knows of the caller, who must be identified, or given. */
  callerContext(input?: CallerContextInput, options?: CallerContextOptions): Promise<CallerContext>;
  /** Charges a payment method. The same payment again in this phone call is the same payment. */
  takePayment(input: TakePaymentInput, options?: TakePaymentOptions): Promise<PaymentResult>;
  /** Turns what was learned into the right record; the caller's phone and e-mail are filled in. */
  qualifyLead(input: QualifyLeadInput<Schemas>, options?: QualifyLeadOptions<Schemas>): Promise<QualifiedLead>;
  /** Opens a case for the caller. */
  openCase(input: OpenCaseInput<Schemas>, options?: OpenCaseOptions): Promise<CreatedRecord>;
  /** Writes what is known so far to the phone call's one Task. */
  logCall(input?: LogCallInput, options?: LogCallOptions<Schemas>): Promise<LoggedCall>;
  /** Records the phone call in the messaging platform. What it has recorded, `finish` does not record again. */
  recordCall(input: RecordCallInput, options?: RecordCallOptions): Promise<RecordedCall>;
  /**
   * Gives the phone call's conversation, and starts it on first use, so that notes, replies and teams work before
   * `recordCall`. There is one per phone call, also when several steps need it at once. Identifies the caller where that
   * hasn't happened yet. What `recordCall` and `finish` write later goes into a note in it.
   * Throws `InvalidArgumentError` naming `contactId` when several contacts match.
   */
  ensureConversation(options?: StepOptions): Promise<EnsuredConversation>;
  /** Hands the phone call's conversation, or a given one, to a team. Starts the conversation if there is none yet. */
  routeConversation(input: RouteConversationInput, options?: RouteConversationOptions): Promise<Conversation>;
}

/** Records that a phone call reads before a step needs them. Each is used once. */
export interface Prefetched {
  readonly takeContact: TakeContact;
  readonly takeContext: TakeContext;
}

/** The steps of one phone call, or of one turn of it. */
export const stepsOf = (call: OngoingCall, ahead: Prefetched | undefined): PhoneCallSteps => {
  const identifyCaller = identifyCallerStep(call, ahead?.takeContact);
  const ensureConversation = ensureConversationStep(call, identifyCaller);
  return {
    identifyCaller,
    callerContext: callerContextStep(call, ahead?.takeContext),
    takePayment: takePaymentStep(call),
    qualifyLead: qualifyLeadStep(call),
    openCase: openCaseStep(call),
    logCall: logCallStep(call),
    recordCall: recordCallStep(call),
    ensureConversation,
    routeConversation: routeConversationStep(call, ensureConversation),
  };
};
