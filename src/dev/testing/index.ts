/**
 * For the tests of an agent: a fake platform on real ports, faults on demand, assertions, signed webhooks. Also checks of
 * an API of your own.
 *
 * @module
 */
export type { FakeApiOptions } from './api-options.ts';
export { assertOn, type MeantPayment, type PlatformAssertions } from './assertions.ts';
export { type BillingCheckOptions, checksOfBilling } from './billing-checks.ts';
export type { Check, LeftOut } from './check.ts';
export {
  checkContract,
  type ContractCheckOptions,
  type ContractReport,
  type ContractSamples,
} from './contract-check.ts';
export {
  compareFingerprints,
  type FingerprintChanges,
  fingerprintSchemas,
  type SchemaFingerprints,
  type ToJsonSchema,
} from './event-fingerprints.ts';
export type { EndedCall, EvalAgent, EvalCall, EvalTurn } from './evals/call.ts';
export { evalCalls } from './evals/calls.ts';
export { type PlayedCall, playCall, playCalls, type Scorecard } from './evals/play.ts';
export { type FakeEvents, signEvent } from './events.ts';
export type {
  Delivery,
  Fault,
} from './faults.ts';
export type { FakeRequest, RecordedRequest } from './fake-request.ts';
export type { ApiName, OperationName } from './operations.ts';
export { createFakePlatform, type FakePlatform } from './platform.ts';
export { checksOfQueue, type QueueCheckOptions } from './queue-checks.ts';
export { checksOfStore, type StoreCheckOptions } from './store-checks.ts';
export {
  type FakeBillingOptions,
  type FakeCrmOptions,
  type FakeMessagingOptions,
  type FakePlatformOptions,
  testCredentials,
} from './platform-options.ts';
export type { FakeHubSpotOptions } from './hubspot/options.ts';
export type { FakeHubSpotPipeline, FakeHubSpotPipelines } from './hubspot/pipelines.ts';
export type { FakeHubSpotRule } from './hubspot/rules.ts';
export type { FakeHubSpot, FakeHubSpotRecord } from './hubspot/view.ts';
export { salesforceFaults } from './salesforce/faults.ts';
export {
  type FakeSalesforceOptions,
  testConnectedApp,
} from './salesforce/options.ts';
export {
  createScriptedModel,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedMoment,
  type ScriptedStep,
} from './scripted-model.ts';
export type { ScriptedRealtime } from './scripted-realtime.ts';
export type { FakeSalesforce } from './salesforce/view.ts';
export { addSharedPhone, type SharedPhone } from './shared-phone.ts';
export {
  forgedWebhooks,
  signedWebhook,
  type SignedWebhookOptions,
} from './signed-webhook.ts';
export type {
  FakeBilling,
  FakeCustomer,
  FakeInvoice,
  FakePayment,
  FakeRefund,
  NewFakeInvoice,
  NewFakePayment,
  PastPayment,
  PaymentResult,
  PaymentRule,
  RefundStatus,
} from './store/billing.ts';
export type { FakeCrm, FakeCrmRecord, NewFakeCrmRecord } from './store/crm.ts';
export type {
  FakeAdmin,
  FakeCompany,
  FakeContact,
  FakeConversation,
  FakeTag,
  FakePart,
  FakeTeam,
  Seed,
} from './store/messaging-records.ts';
export type { FakeArticle, FakeOfficeHours, FakeTicket, FakeTicketType } from './store/help-desk.ts';
export type { FakeStripeOptions } from './stripe/options.ts';
export type { FakeMessaging } from './store/messaging-view.ts';
export type { FakeZendeskOptions } from './zendesk/options.ts';
export type { FakeZendesk } from './zendesk/view.ts';
