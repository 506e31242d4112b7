/**
 * The preset that makes the messaging client speak to Zendesk.
 *
 * @module
 */
import type { SignatureScheme } from '../../signature/scheme.ts';

export { type ZendeskClientOptions, zendeskToken } from './credential.ts';
export { zendesk, type ZendeskOptions } from './preset.ts';

/**
 * The scheme of Zendesk's webhooks: HMAC-SHA256 over the time of signing and the raw body, with the webhook's signing
 * secret. Source: developer.zendesk.com, "Verifying webhooks".
 *
 * @example
 * authentication: [hmac({ scheme: zendeskSignature, secrets: () => secrets.read('zendesk-webhook') })],
 */
export const zendeskSignature: SignatureScheme = {
  header: 'x-zendesk-webhook-signature',
  algorithm: 'sha256',
  encoding: 'base64',
  label: '',
  signs: '{timestamp}{body}',
  timestamp: { header: 'x-zendesk-webhook-signature-timestamp', unit: 'iso-8601' },
};
