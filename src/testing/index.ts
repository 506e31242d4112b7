/**
 * For the tests of an agent: a fake platform on real ports with faults on demand, assertions, signed webhooks, a
 * virtual clock, and checks of an API of your own.
 *
 * @module
 */
export type { Limit } from '../http/operation.ts';
export type { FakeApiOptions } from './api-options.ts';
export { assertOn, type MeantPayment, type PlatformAssertions } from './assertions.ts';
export { type BillingCheck, type BillingCheckOptions, checksOfBilling, type OpenInvoice } from './billing-checks.ts';
export {
  checkContract,
  type ContractCheckOptions,
  type ContractDifference,
  type ContractProbe,
  type ContractReport,
  type ContractSamples,
  type KnownWorkspace,
} from './contract-check.ts';
export type { AbsentAnswer } from './contract/billing.ts';
export type { Envelope } from './contract/envelope.ts';
export type { EventTopic, IntercomTopic } from './event-wording.ts';
export { type EventDelivery, type EventReceiver, type FakeEvents, signEvent } from './events.ts';
export type {
  Delivery,
  ExecuteThenDropFault,
  Fault,
  OtherCredentialFault,
  ResetFault,
  StallFault,
  StatusFault,
  TruncateFault,
  UsualAnswerFault,
} from './faults.ts';
export type { FakeRequest, Handled, RecordedRequest } from './fake-request.ts';
export type { ApiName, OperationName } from './operations.ts';
export { type BaseUrls, createFakePlatform, type FakePlatform } from './platform.ts';
export {
  type FakeBillingOptions,
  type FakeCrmOptions,
  type FakeMessagingOptions,
  type FakePlatformOptions,
  testCredentials,
} from './platform-options.ts';
export type { FakePlatformEvent } from './salesforce/contract.ts';
export type { DuplicateMatch } from './salesforce/duplicates.ts';
export { salesforceFaults } from './salesforce/faults.ts';
export {
  type DuplicateSpelling,
  type FakeConnectedApp,
  type FakeSalesforceOptions,
  testConnectedApp,
} from './salesforce/options.ts';
export type { FakeSalesforce } from './salesforce/view.ts';
export { addSharedPhone, type SharedPhone } from './shared-phone.ts';
export {
  forgedWebhooks,
  type ForgedWebhook,
  type SignedWebhook,
  signedWebhook,
  type SignedWebhookOptions,
} from './signed-webhook.ts';
export type {
  FakeCustomer,
  FakeInvoice,
  FakePayment,
  NewFakeInvoice,
  NewFakePayment,
  PaymentResult,
  PaymentRule,
  SettledResult,
} from './store/billing.ts';
export type { Conversion, FakeCrmRecord } from './store/crm.ts';
export type {
  AttributeValue,
  FakeAdmin,
  FakeCompany,
  FakeContact,
  FakeConversation,
  FakePart,
  FakeTag,
  FakeTeam,
  MessagingTopic,
  Seed,
} from './store/messaging.ts';
export type { FakeBilling } from './view/billing.ts';
export type { FakeCrm, NewFakeCrmRecord } from './view/crm.ts';
export type { FakeMessaging } from './view/messaging.ts';
export { createVirtualClock, type VirtualClock } from './virtual-clock.ts';
