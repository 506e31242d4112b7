/**
 * Tools for a language model over the clients and the phone call, tools of your own, and the toolbox that checks and
 * runs them. What a provider is sent is made by its own subpath, such as `voice-agent-integrations/tools/openai`.
 *
 * @module
 */
export { type BillingToolsOptions, billingTools } from './billing-tools.ts';
export type { Appointment, Attendee, Calendar, NewAppointment, Slot, WantedAppointment } from './calendar.ts';
export type { CallSteps, CallToolsOptions } from './call-steps.ts';
export { callTools } from './call-tools.ts';
export type { CrmCalendarOptions } from './crm-calendar.ts';
export { pick, type ResultBudget } from './compact.ts';
export type { Approve } from './approval.ts';
export type { Approval } from './consent.ts';
export type { ConfirmationOptions } from './confirmation.ts';
export type {
  SettledTool,
  SlowTool,
  ToolCallContext,
  ToolCaller,
  ToolContext,
  ToolResult,
  ToolStatus,
} from './context.ts';
export { createToolbox, type ToolboxOptions } from './create-toolbox.ts';
export { defineTool } from './define-tool.ts';
export type { ToolLimits } from './limits.ts';
export type { PaymentPage, SendPaymentPage } from './payment-page-tool.ts';
export type { PaymentToolOptions } from './payment-tool.ts';
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
export { toolFrom, type ToolFromArguments, type ToolFromOptions } from './tool-from.ts';
export type { CallTransfer, TransferOptions } from './transfer.ts';
export type { Toolbox } from './toolbox.ts';
export type { ToolWords, WordsOfTools } from './tool-words.ts';
export type { ErrorPlace, ErrorSite, OnError } from './on-error.ts';
export type { IdempotencyStore } from '../ports/idempotency-store.ts';
