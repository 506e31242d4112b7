/**
 * The front door of an application: one integration of the three clients, or one for each tenant. Phone calls and their
 * turns, deadlines, errors, logs and metrics are here too.
 *
 * @module
 */
export type {
  ApiCallOptions,
  ApiClient,
  ApiClientOptions,
  ApiEndpoint,
  ApiEndpoints,
  ApiMethod,
  ApiPages,
  ApiPromise,
} from './api/api-client.ts';
export { createApiClient } from './api/create-api-client.ts';
export { toOperation } from './api/entry.ts';
export type { ApiVersion } from './api/version.ts';
export { callerNumber } from './phone-call/steps/caller-number.ts';
export {
  AbortedError,
  AmbiguousError,
  AttemptFailedError,
  AuthenticationError,
  CircuitOpenError,
  ClientError,
  DeadlineExceededError,
  type Finding,
  IntegrationError,
  InvalidArgumentError,
  NotReadyError,
  QuotaExceededError,
  RateLimitedError,
  RetriesExhaustedError,
  StoreError,
  TenantUnavailableError,
  UnexpectedResponseError,
  type Outcome,
} from './core/errors.ts';
export type { Classify } from './http/dialect.ts';
export type { Credential } from './http/credential.ts';
export { deadlineIn, type Deadline } from './http/deadline.ts';
export type { ApiUsage, HttpDialect } from './http/dialect.ts';
export { path } from './http/path.ts';
export type {
  ConnectionOptions,
  CustomRequest,
  Endpoint,
  RequestOptions,
} from './http/operation.ts';
export type { HttpRequest, HttpResponse, Middleware, Transport } from './http/request.ts';
export { subscribeToEvents } from './observability/emitter.ts';
export type { EventType, IntegrationEvent } from './observability/events.ts';
export type { EventListeners, OnEvent } from './observability/listeners.ts';
export { logTo, type Logger, type LogOptions } from './observability/log-to.ts';
export {
  createMetrics,
  type Metrics,
  type MetricsOptions,
  type MetricsSnapshot,
} from './observability/metrics/create-metrics.ts';
export { createRedactor, type Redact, type RedactOptions, type Redactor } from './observability/redaction/redactor.ts';
export {
  createIntegration,
  type Integration,
  type IntegrationOf,
  type IntegrationOptions,
} from './integration.ts';
export type { CheckReport } from './phone-call/check/check-integration.ts';
export type { CallerContext } from './phone-call/steps/caller-context.ts';
export {
  finishCall,
  type FinishedCall,
  type FinishInput,
  type UnfinishedCall,
} from './phone-call/steps/finish-call.ts';
export type { IdentifiedCaller } from './phone-call/steps/identify-caller.ts';
export type { QualifiedLead } from './phone-call/steps/qualified-lead.ts';
export type { StepReport } from './phone-call/steps/step-report.ts';
export type { PaymentResult } from './phone-call/steps/take-payment.ts';
export {
  type PhoneCall,
  type PhoneCallOf,
  type PhoneCallOptions,
  startPhoneCall,
  type Turn,
  type TurnOf,
} from './phone-call/start-phone-call.ts';
export type {
  LiveCall,
  LiveCallOf,
  LiveCalls,
  LiveCallsOf,
  LiveCallsOptions,
  LiveTurn,
  LiveTurnOf,
} from './phone-call/live-calls.ts';
export type { Caller } from './phone-call/steps/state.ts';
export { type CallCompleted, callCompleted, type FinishLater } from './phone-call/finish-later.ts';
export { type MayCall, mayCall, type OptOut, type PersonToCall } from './phone-call/may-call.ts';
export type { CallNotices } from './phone-call/steps/describe-call.ts';
export type { PhoneCallSteps } from './phone-call/steps/phone-call-steps.ts';
export type { ErrorPlace, OnError } from './tools/on-error.ts';
export type { Lane, RateLimiter } from './stores/ports/rate-limiter.ts';
export type { RecordList, StandardSchema } from './core/schema.ts';
export { createTenants, type Tenants, type TenantsOptions } from './tenants/create-tenants.ts';
export type { Tenant, TenantOf } from './tenants/lease.ts';
export type { TenantOptions } from './tenants/tenant-options.ts';
export { version } from './core/version.ts';
