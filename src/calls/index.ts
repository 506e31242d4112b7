/**
 * The steps of a phone call as functions without a state of their own, for applications that keep theirs elsewhere.
 * `startPhoneCall` of the root does them in order.
 *
 * @module
 */
export type { CallAttributes } from './call-attributes.ts';
export type { Moment } from './call-day.ts';
export {
  type CallerContext,
  type CallerContextInput,
  type CallerContextOptions,
  callerContext,
} from './caller-context.ts';
export type { CallWords } from './describe-call.ts';
export type { MatchedBy } from './find-person.ts';
export {
  type FinishCallInput,
  type FinishCallOptions,
  type FinishedCall,
  type FinishSettings,
  type FinishStep,
  finishCall,
} from './finish-call.ts';
export { type IdentifiedCaller, type IdentifyCallerInput, identifyCaller } from './identify-caller.ts';
export type { NewLeadOptions } from './lead-fields.ts';
export { type LogCallOptions, logCall } from './log-call.ts';
export { type OpenCaseInput, type OpenCaseOptions, openCase } from './open-case.ts';
export type { QualifiedAs, QualifiedLead, QualifyStep } from './qualified-lead.ts';
export { type QualifyLeadInput, type QualifyLeadOptions, qualifyLead } from './qualify-lead.ts';
export {
  type RecordCallInput,
  type RecordCallOptions,
  type RecordedCall,
  type RecordStep,
  recordCall,
} from './record-call.ts';
export { type RouteConversationInput, type RouteConversationOptions, routeConversation } from './route-conversation.ts';
export type { StepOptions } from './step-options.ts';
export { stepsThatMayBeDone } from './safe-to-repeat.ts';
export {
  type DoneStep,
  type FailedStep,
  isDone,
  type SkippedStep,
  type SkipReason,
  type StepReport,
} from './step-report.ts';
export type { EarlierTries } from './step-runner.ts';
export {
  type CompletedPayment,
  type PaymentResult,
  paymentKey,
  type RefusedPayment,
  type TakePaymentInput,
  type TakePaymentOptions,
  takePayment,
  type UnknownPayment,
} from './take-payment.ts';
export { createTaskClaim, type LoggedCall, type TaskClaim, type TaskClaimOptions } from './task-claim.ts';
export type { CallDirection, CallFacts, LogCallInput, RelatedRecords, TaskOptions } from './task-fields.ts';
