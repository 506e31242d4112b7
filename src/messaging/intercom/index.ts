/**
 * The preset that makes the messaging client speak to Intercom.
 *
 * @module
 */

/** The scheme of Intercom's webhooks: HMAC-SHA1 over the raw body with the app's client secret. */
export { hubSignature as intercomSignature } from '../../signature/scheme.ts';
export { goneContact, type GoneContact, hasIntercomCode, type IntercomErrorCode } from './errors.ts';
export { intercom, type IntercomOptions } from './preset.ts';
