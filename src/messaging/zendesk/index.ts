/**
 * The preset that makes the messaging client speak to Zendesk.
 *
 * @module
 */
export { zendesk, type ZendeskOptions, zendeskToken } from './preset.ts';
export { zendeskSignature } from './signature.ts';
