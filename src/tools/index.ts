/**
 * Tools for a language model over the clients and the phone call, tools of your own, and the toolbox that checks and
 * runs them. What a provider is sent is made by its own subpath, such as `voice-agent-integrations/tools/openai`.
 *
 * @module
 */
export {
  type BillingToolName,
  type BillingToolsOptions,
  billingTools,
  type PaymentToolOptions,
} from './billing-tools.ts';
export type { CallSteps } from './call-steps.ts';
export { type CallToolName, type CallToolsOptions, callTools } from './call-tools.ts';
export { pick, type ResultBudget } from './compact.ts';
export type { ConfirmationOptions } from './confirmation.ts';
export type { LateEnd, SettledTool, SlowTool, ToolCallContext, ToolCaller, ToolContext } from './context.ts';
export { createToolbox, type ToolboxOptions } from './create-toolbox.ts';
export { defineTool } from './define-tool.ts';
export type { DialectParameters } from './dialects.ts';
export type { ParametersSchema, PropertySchema } from './json-schema.ts';
export type { ToolLimits } from './limits.ts';
export { refused } from './refused.ts';
export type { ToolResult, ToolStatus } from './result.ts';
export type { LookUp } from './right-person.ts';
export type { VerifyIds } from './seen-billing.ts';
export type {
  ArgumentsSchema,
  BoundArgument,
  CheckedArguments,
  FieldProblem,
  Objections,
  Refusal,
  Tool,
  ToolDefinition,
  ToolEffect,
  ToolInfo,
  ToolOptions,
  ToolRule,
  ToolWork,
  WorkOutcome,
} from './tool.ts';
export type { Toolbox } from './toolbox.ts';
export type { ErrorSite } from './tool-run.ts';
export type { IdempotencyStore } from '../ports/idempotency-store.ts';
export {
  createMemoryIdempotencyStore,
  type MemoryIdempotencyStoreOptions,
} from '../stores/memory-idempotency-store.ts';
