/**
 * The preset that makes the CRM client speak to Salesforce, and what only Salesforce has: platform events, its codes
 * and its refusals.
 *
 * @module
 */
export type { ObjectWithPhone } from '../queries.ts';
export { duplicateIds, hasErrorCode, isDuplicate, type RuleRefusal, ruleRefusals } from './error-codes.ts';
export type { SalesforceErrorCode } from './error-codes.ts';
export { instanceUrl } from './instance-url.ts';
export { phoneFormats } from './phone-formats.ts';
export {
  type DeliveredEvent,
  type PlatformEventDestination,
  type PlatformEventDestinationOptions,
  type PlatformEventName,
  type PlatformEvents,
  platformEventDestination,
  platformEvents,
  type PublishedPlatformEvent,
} from './platform-events.ts';
export { salesforce, type SalesforceOptions, type SalesforcePreset } from './salesforce.ts';
export { salesforceVersions } from './versions.ts';
