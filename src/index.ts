/**
 * Where an application begins: one integration of the three clients, or one for each tenant, phone calls and their
 * turns, deadlines, errors and their guards, and what is logged, measured and watched.
 *
 * @module
 */
export type { Clock, Sleep } from './clock.ts';
export {
  AbortedError,
  AttemptFailedError,
  AuthenticationError,
  CircuitOpenError,
  ClientError,
  DeadlineExceededError,
  IntegrationError,
  InvalidArgumentError,
  QuotaExceededError,
  RateLimitedError,
  RetriesExhaustedError,
  StoreError,
  TenantUnavailableError,
  UnexpectedResponseError,
  isAbortedError,
  isAttemptFailedError,
  isAuthenticationError,
  isCircuitOpenError,
  isClientError,
  isDeadlineExceededError,
  isIntegrationError,
  isInvalidArgumentError,
  isQuotaExceededError,
  isRateLimitedError,
  isRetriesExhaustedError,
  isStoreError,
  isTenantUnavailableError,
  isUnexpectedResponseError,
  type ApiProblem,
  type ExhaustedReason,
  type IntegrationErrorFields,
  type Outcome,
} from './errors.ts';
export type { Classification, Classify } from './http/classify.ts';
export type { Credential } from './http/credential.ts';
export { deadlineIn, type Deadline } from './http/deadline.ts';
export type { ApiUsage, HttpDialect } from './http/dialect.ts';
export { path } from './http/path.ts';
export type { CallPlan } from './http/plan.ts';
export type {
  CircuitOptions,
  ConnectionOptions,
  CustomRequest,
  Endpoint,
  HedgeOptions,
  HttpClientStatus,
  Limit,
  Repeat,
  RequestOptions,
  ResponseInfo,
  RetryBudgetOptions,
  Settled,
  WarmUp,
  WarmUpOptions,
} from './http/operation.ts';
export type { Effect, HttpRequest, Middleware, Transport } from './http/request.ts';
export type { HttpResponse } from './http/response.ts';
export { channelNames, subscribeToEvents } from './observability/channels.ts';
export type {
  AttemptEvent,
  CallEvent,
  CircuitEvent,
  CircuitState,
  CredentialRenewalFailedEvent,
  CredentialRenewedEvent,
  CredentialUsedEvent,
  DeliveryEvent,
  DestinationDisabledEvent,
  EventError,
  EventListeners,
  EventType,
  IntegrationEvent,
  MessageDeadEvent,
  MessagePublishedEvent,
  OnEvent,
  RateLimitEvent,
  SchemaDriftEvent,
  SettledEvent,
  ToolRunEvent,
  VersionWarningEvent,
  WaitReason,
  WebhookReceivedEvent,
} from './observability/events.ts';
export { logTo, type Logger, type LogLevel, type LogOptions } from './observability/log-to.ts';
export {
  createMetrics,
  type Metrics,
  type MetricsOptions,
  type OutboxStatusSource,
} from './observability/metrics/create-metrics.ts';
export type {
  CallMetrics,
  CircuitMetrics,
  CredentialMetrics,
  DeliveryMetrics,
  DestinationMetrics,
  EndpointMetrics,
  Latency,
  MetricsSnapshot,
  ToolMetrics,
  WebhookMetrics,
} from './observability/metrics/snapshot.ts';
export { createRedactor, type Redact, type RedactOptions, type Redactor } from './observability/redactor.ts';
export { type Watch, type WatchAlert, type WatchedOutbox, type WatchLimits, watch } from './observability/watch.ts';
export {
  createIntegration,
  type Integration,
  type IntegrationOptions,
  type IntegrationStatus,
  type SharedOptions,
} from './integration.ts';
export {
  type Caller,
  type CallCompleted,
  callCompleted,
  type EnsuredConversation,
  type FinishInput,
  type FinishLater,
  type FinishOptions,
  type FinishWorkerOptions,
  type PhoneCall,
  type PhoneCallClients,
  type PhoneCallOptions,
  type PhoneCallSettings,
  type PhoneCallSteps,
  type PhoneCallToolOptions,
  type PrefetchPart,
  type StepSettings,
  startFinishWorker,
  startPhoneCall,
  type Turn,
  type TurnOptions,
} from './phone-call.ts';
export type { Lane, RateLimiter, RateLimiterState } from './ports/rate-limiter.ts';
export { createMemoryRateLimiter, type MemoryRateLimiterOptions } from './stores/memory-rate-limiter.ts';
export type { RecordList, StandardResult, StandardSchema } from './schema.ts';
export {
  createTenants,
  type Tenant,
  type TenantOptions,
  type Tenants,
  type TenantsOptions,
  type TenantsSettings,
  type TenantsStatus,
  type TenantStatus,
} from './tenants.ts';
export { version } from './version.ts';
