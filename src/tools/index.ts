/**
 * Tools for a language model over the clients and the phone call, tools of your own, and the toolbox that checks and
 * runs them. What a provider is sent is made by its own subpath, such as `voice-agent-integrations/tools/openai`.
 *
 * @module
 */
export { type BillingToolsOptions, billingTools } from './ready/billing-tools.ts';
export type {
  Appointment,
  Attendee,
  Calendar,
  KeptAppointment,
  MovedAppointment,
  NewAppointment,
  OwnAppointments,
  Slot,
  WantedAppointment,
} from './ready/calendar.ts';
export type { CallSteps, CallToolsOptions } from './ready/call-tools-options.ts';
export { callTools } from './ready/call-tools.ts';
export type { CrmCalendarOptions } from './ready/crm-calendar.ts';
export { pick, type ResultBudget } from './compact.ts';
export type { Approve } from './agreement/approval.ts';
export type { Approval } from './agreement/consent.ts';
export type {
  QuestionAnswer,
  SettledTool,
  SlowTool,
  ToolCallContext,
  ToolCaller,
  ToolContext,
  ToolQuestion,
  ToolResult,
  ToolStatus,
} from './context.ts';
export { createToolbox, type ToolboxOptions } from './create-toolbox.ts';
export { defineTool } from './define-tool.ts';
export type { ExistingToolOptions } from './existing-tool.ts';
export type { ToolLimits } from './limits.ts';
export {
  type CallerMessage,
  type MessageEnd,
  type MessageTemplate,
  messageTemplate,
  type MessageTemplateOptions,
  type PaymentPage,
  paymentPage,
  type SendMessageOptions,
} from './messages/message-options.ts';
export type { CardToCharge, PaymentRules, Payments, PaymentsOfCall, RefundRules } from './payment-rules.ts';
export type { StoreOption } from './store-option.ts';
export {
  type BoundArgument,
  type Confirm,
  type FieldProblem,
  type OriginalPayment,
  type ParametersSchema,
  type PropertySchema,
  type Refusal,
  refused,
  type Tool,
  type ToolEffect,
  type ToolInfo,
  type ToolOptions,
  type ToolRule,
} from './tool.ts';
export {
  type ExistingTool,
  toolFrom,
  type ToolFrom,
  type ToolFromArguments,
  type ToolFromOptions,
} from './tool-from.ts';
export type { CallTransfer, TransferOptions } from './ready/call-tools-options.ts';
export type { Toolbox } from './toolbox.ts';
export { type AgentJob, toolsByJob } from './tools-by-job.ts';
export type {
  CodeToCheck,
  CodeToSend,
  CodeVerdict,
  PersonOnRecord,
  PersonToProve,
  SecurityQuestion,
  SentCode,
  VerifyByCode,
  VerifyByQuestions,
  VerificationOptions,
} from './verification/verify-options.ts';
export type { WithTools } from './with-tools.ts';
export type { ToolWords, WordsOfTools } from './tool-words.ts';
export type { ErrorPlace, ErrorSite, OnError } from './on-error.ts';
export type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';
