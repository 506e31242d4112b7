/**
 * Webhooks that arrive: a receiver verifies deliveries and handles each event once. Also ways to authenticate, and
 * waiting for a callback within a phone call. Mounted by a subpath of its own for each framework.
 *
 * @module
 */
export type { EventExchange } from '../stores/ports/event-exchange.ts';
export type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';
export type { MessageQueue } from '../stores/ports/message-queue.ts';
export {
  hubSignature,
  retell,
  type SignatureScheme,
  standardWebhooks,
  timestamped,
  xSignature,
} from '../signature/scheme.ts';
export type { ReadSecret, Secret } from '../core/secret.ts';
export { sign, type SignOptions } from '../signature/sign.ts';
export { type Verdict, verifySignature } from '../signature/verify.ts';
export { hmac } from './authentication/hmac.ts';
export { hubspotSignature, type HubSpotSignatureOptions } from './authentication/hubspot-signature.ts';
export { ipAllowlist } from './authentication/ip-allowlist.ts';
export type { Authentication } from './authentication/method.ts';
export { mutualTls } from './authentication/mutual-tls.ts';
export { oauthBearer } from './authentication/oauth-bearer.ts';
export { sharedSecret } from './authentication/shared-secret.ts';
export { telnyxSignature, type TelnyxSignatureOptions } from './authentication/telnyx-signature.ts';
export { type Envelope, readDataEnvelope, type ReadEnvelope, readEnvelope, readHubSpotEvents } from './envelope.ts';
export type { EventOf, EventSchemas, ReceivedEvent } from './event-schemas.ts';
export { createEventWaits, type EventWaits } from './event-waits.ts';
export type { WorkerOptions } from './event-worker.ts';
export type {
  MessagingEventName,
  MessagingEvents,
} from './messaging-events/events.ts';
export { messagingEvents } from './messaging-events/messaging-events.ts';
export {
  type AppointmentConfirmed,
  notificationEvents,
  type PaymentConfirmed,
  type StatusChanged,
} from './notifications.ts';
export type { Peer } from './peer.ts';
export { createWebhookReceiver, type WebhookReceiver } from './receiver.ts';
export type {
  AcceptedEvent,
  EventContext,
  EventHandler,
  EventRule,
  RefusedDelivery,
  WebhookReceiverOptions,
} from './receiver-options.ts';
