/**
 * Webhooks that leave: events are stored first and delivered until every destination has them, or wait as dead letters
 * for a person to decide.
 *
 * @module
 */
export type { Json, JsonObject } from '../ports/json.ts';
export type {
  Consumer,
  ConsumeOptions,
  Dead,
  DeadLetter,
  Done,
  GroupStats,
  Handled,
  Lease,
  MessageHandler,
  MessageQueue,
  Page,
  QueuedMessage,
  QueueStats,
  RetryAt,
  Selection,
  StoredMessage,
} from '../ports/message-queue.ts';
export type { StandardSchema } from '../schema.ts';
export { hubSignature, type SignatureScheme, standardWebhooks, timestamped, xSignature } from '../signature/scheme.ts';
export type { ReadSecrets, Secret, SecretReader } from '../signature/secrets.ts';
export { createMemoryMessageQueue, type MemoryMessageQueueOptions } from '../stores/memory-message-queue.ts';
export type { Alert } from './alert.ts';
export type { DeadLetters, UndeliveredMessage, UndeliveredSelection } from './dead-letters.ts';
export { maximumAttempts, retryDelaysMs } from './decide.ts';
export {
  defineEvent,
  type EventDefinition,
  type EventVersion,
  type EventVersions,
  type PayloadOf,
} from './define-event.ts';
export type { Delivery, Destination, Signing } from './destination.ts';
export {
  compareFingerprints,
  type FingerprintChanges,
  fingerprintSchemas,
  type SchemaFingerprints,
  type ToJsonSchema,
} from './fingerprint.ts';
export type { ResolveHost } from './guarded-transport.ts';
export {
  createOutbox,
  type DestinationStatus,
  type Outbox,
  type OutboxOptions,
} from './outbox.ts';
export type { Publication, Published } from './publish.ts';
