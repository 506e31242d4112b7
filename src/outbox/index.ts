/**
 * Webhooks that leave: events are stored first and delivered until every destination has them, or wait as dead letters
 * for a person to decide.
 *
 * @module
 */
export type { Json } from '../stores/ports/json.ts';
export type {
  Consumer,
  ConsumeOptions,
  DeadLetter,
  GroupStats,
  Handled,
  Lease,
  MessageHandler,
  MessageQueue,
  MessageQueueWithAdmin,
  Page,
  QueueAdmin,
  QueuedMessage,
  QueueStats,
  Selection,
  StoredMessage,
} from '../stores/ports/message-queue.ts';
export { runHandler } from '../stores/run-handler.ts';
export { hubSignature, standardWebhooks, timestamped, xSignature } from '../signature/scheme.ts';
export type { DeadLetters, UndeliveredMessage } from './dead-letters.ts';
export { retryDelaysMs } from './decide.ts';
export {
  defineEvent,
  type EventDefinition,
  type EventVersions,
} from './define-event.ts';
export type { Delivery, Destination, Signing } from './destination.ts';
export {
  createOutbox,
  type Outbox,
  type OutboxOptions,
} from './outbox.ts';
export type { Publication, Published } from './publish.ts';
export type { Alert } from './worker.ts';
