/**
 * Webhooks that arrive: a receiver that believes only what is genuine and handles each event once, the ways to
 * authenticate, and waiting for a callback within a phone call. Mounted by a subpath of its own for each framework.
 *
 * @module
 */
export type { JwtClaims } from '../jwt.ts';
export type { EventExchange } from '../ports/event-exchange.ts';
export type { IdempotencyStore } from '../ports/idempotency-store.ts';
export type { Consumer, MessageQueue } from '../ports/message-queue.ts';
export type { HeaderSource } from '../signature/header-source.ts';
export type { RawBody } from '../signature/raw-body.ts';
export {
  hubSignature,
  retell,
  type SignatureScheme,
  standardWebhooks,
  timestamped,
  xSignature,
} from '../signature/scheme.ts';
export type { ReadSecrets, Secret, SecretReader } from '../signature/secrets.ts';
export { createSigner, type Sign, sign, type SignerOptions, type SignOptions } from '../signature/sign.ts';
export {
  createVerifier,
  type SignatureProblem,
  type Verdict,
  type VerifierOptions,
  type Verify,
  verifySignature,
} from '../signature/verify.ts';
export {
  createMemoryIdempotencyStore,
  type MemoryIdempotencyStoreOptions,
} from '../stores/memory-idempotency-store.ts';
export { hmac, type HmacOptions } from './authentication/hmac.ts';
export { ipAllowlist, type IpAllowlistOptions } from './authentication/ip-allowlist.ts';
export type { Authentication, AuthenticationResult, AuthenticationStep } from './authentication/method.ts';
export { type AllowedCertificates, mutualTls, type MutualTlsOptions } from './authentication/mutual-tls.ts';
export { oauthBearer, type OauthBearerOptions } from './authentication/oauth-bearer.ts';
export type { SecretsOwner } from './authentication/read-secrets.ts';
export { sharedSecret, type SharedSecretOptions } from './authentication/shared-secret.ts';
export { type Envelope, readDataEnvelope, type ReadEnvelope, readEnvelope } from './envelope.ts';
export type { EventOf, EventSchema, EventSchemas, ReceivedEvent } from './event-schemas.ts';
export { createEventWaits, type EventWaits, type EventWaitsOptions } from './event-waits.ts';
export type { WorkerOptions } from './event-worker.ts';
export type {
  AttributeEvent,
  ContactEvent,
  ConversationEvent,
  MessagingActor,
  MessagingEventName,
  MessagingEvents,
} from './messaging-events/events.ts';
export {
  messagingEvents,
  type MessagingEventsOptions,
  type MessagingEventsPart,
} from './messaging-events/messaging-events.ts';
export {
  type AppointmentConfirmed,
  notificationEvents,
  type PaymentConfirmed,
  type StatusChanged,
} from './notifications.ts';
export type { Arrival, ClientCertificate, Peer } from './peer.ts';
export { createWebhookReceiver, type WebhookReceiver } from './receiver.ts';
export type {
  EventContext,
  EventHandler,
  EventRule,
  EventSource,
  RefusedDelivery,
  WebhookReceiverOptions,
} from './receiver-options.ts';
export type { EventChecks } from './sanity.ts';
