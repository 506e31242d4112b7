/**
 * The preset that makes the messaging client speak to Zendesk.
 *
 * @module
 */
export { type ZendeskClientOptions, zendeskToken } from './credential.ts';
export { zendesk, type ZendeskOptions } from './preset.ts';
export { zendeskSignature } from './signature.ts';
