/**
 * The preset that makes the CRM client speak to Salesforce, and what only Salesforce has: platform events, its codes
 * and its refusals.
 *
 * @module
 */
export { duplicateIds, hasErrorCode, isDuplicate, ruleRefusals } from './error-codes.ts';
export type { SalesforceErrorCode } from './error-codes.ts';
export { instanceUrl, salesforceLogin } from './login.ts';
export { phoneFormats } from './routes.ts';
export {
  type PlatformEventDestinationOptions,
  platformEventDestination,
  platformEvents,
} from './platform-events.ts';
export { salesforce, type SalesforceOptions, type SalesforcePreset, salesforceVersions } from './salesforce.ts';
