import { hash } from 'node:crypto';
import { closest } from '../core/closest.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { Refusal } from './answer.ts';
import type { Envelope } from './envelope.ts';
import { type EventSchema, type EventSchemas, type ReceivedEvent, schemaFor, validate } from './event-schemas.ts';
import type { EventHandler, EventRule, EventSource, WebhookReceiverOptions } from './receiver-options.ts';
import { type EventChecks, implausibleField, valuesAt } from './sanity.ts';

/** The receiver's options that are about events, without their types. */
export interface EventDefinitions {
  readonly events: Readonly<Record<string, EventSchema>>;
  readonly checks: Readonly<Record<string, EventChecks | undefined>>;
  readonly rules: Readonly<Record<string, readonly EventRule<ReceivedEvent>[] | undefined>>;
  readonly recordExists:
    | ((record: { readonly type: string; readonly id: string }, source: EventSource) => boolean | Promise<boolean>)
    | undefined;
  readonly eventId: ((event: Omit<ReceivedEvent, 'id'>) => string | undefined) | undefined;
  readonly futureToleranceMs: number;
  readonly retainMs: number;
}

/**
 * Prepares the options for look-ups by the name of an event. Throws `InvalidArgumentError` for an event without a
 * handler, and for options of an event that isn't listed. Checks that name records need `recordExists`.
 */
export const toEventDefinitions = <Events extends EventSchemas>(
  {
    events,
    on,
    checks = {},
    rules = {},
    recordExists,
    eventId,
    futureToleranceMs = 300_000,
  }: WebhookReceiverOptions<Events>,
  retainMs: number,
): EventDefinitions & { readonly handlers: Readonly<Record<string, EventHandler<ReceivedEvent>>> } => {
  for (const [field, named] of Object.entries({ events, on }))
    if (named === undefined) throw new InvalidArgumentError(field, 'must be given: it has an entry for each event');
  for (const [field, named] of Object.entries({ on, checks, rules })) {
    for (const name of Object.keys(named))
      if (!Object.hasOwn(events, name))
        throw new InvalidArgumentError(`${field}.${name}`, unlisted(name, Object.keys(events)));
  }
  // What is looked up under the name of an event is given nothing but that event: its schema made it.
  const handlers = on as object as Readonly<Record<string, EventHandler<ReceivedEvent>>>;
  for (const name of Object.keys(events)) {
    if (typeof handlers[name] !== 'function')
      throw new InvalidArgumentError(`on.${name}`, 'must be a function: what is acknowledged must be handled');
  }
  const ownChecks: EventDefinitions['checks'] = checks;
  if (!recordExists && Object.values(ownChecks).some((check) => check?.records))
    throw new InvalidArgumentError('recordExists', 'must be given, since checks name records');
  return {
    events,
    handlers,
    checks: ownChecks,
    rules: rules as object as Readonly<Record<string, readonly EventRule<ReceivedEvent>[] | undefined>>,
    recordExists,
    eventId,
    futureToleranceMs,
    retainMs,
  };
};

/** Says what to do about an entry for an event that the receiver doesn't take. */
const unlisted = (name: string, listed: readonly string[]): string => {
  const meant = closest(name, listed);
  return `is not listed in events: ${meant === undefined ? 'give its schema there, or leave it out here' : `did you mean ${meant}?`}`;
};

/** Everything that is known of a verified delivery. */
export interface VerifiedDelivery {
  readonly envelope: Envelope;
  readonly source: EventSource;
  /** A signed id of the delivery. */
  readonly deliveryId: string | undefined;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly now: number;
  /** The time for which an event with an id is remembered. */
  readonly rememberedMs: number;
}

/**
 * Checks the schema, then plausibility, then records, then the application's rules. Returns the event when it passes
 * them all, and throws {@link Refusal} for the first that doesn't hold.
 */
export const acceptEvent = async (
  definitions: EventDefinitions,
  delivery: VerifiedDelivery,
): Promise<{ readonly event: ReceivedEvent; readonly identity: EventIdentity }> => {
  const { envelope, source, now, deliveryId: signed, headers, bytes } = delivery;
  const event = await validateEvent(definitions, envelope);
  const { futureToleranceMs, retainMs } = definitions;
  const { occurredAt = now } = event;
  if (occurredAt > now + futureToleranceMs) throw invalid('from_the_future');
  if (occurredAt < now - retainMs) throw invalid('older_than_what_is_remembered');
  const checks = own(definitions.checks, event.type) ?? {};
  const field = implausibleField(event.payload, checks, { now, toleranceMs: futureToleranceMs });
  if (field !== undefined) throw invalid('not_sane', field);
  await assertRecords(definitions, checks, event.payload, source);
  const fromBody = [definitions.eventId?.(event), envelope.id];
  const { payload } = envelope;
  const identity = identifyEvent(
    { fromBody, signed, headers, bytes, payload },
    { retainMs: delivery.rememberedMs, now },
  );
  const accepted: ReceivedEvent = { ...event, id: identity.id };
  for (const rule of own(definitions.rules, event.type) ?? []) {
    const problem = await rule(accepted, source);
    if (problem !== undefined) throw new Refusal('forbidden', problem);
  }
  return { event: accepted, identity };
};

/** Returns the event as its schema outputs it; throws {@link Refusal} when it has none or does not fit. */
export const validateEvent = async (
  { events }: Pick<EventDefinitions, 'events'>,
  { type, version, occurredAt, payload }: Envelope,
): Promise<Omit<ReceivedEvent, 'id'>> => {
  const schemas = own(events, type);
  if (!schemas) throw invalid('unlisted_event');
  const found = schemaFor(schemas, version);
  if (!found) throw invalid('unknown_version', 'version');
  const result = await validate(found.schema, payload);
  if ('field' in result) throw invalid('schema', result.field);
  return { type, version: found.version, occurredAt, payload: result.value };
};

/** No name that an object has from elsewhere, such as `constructor`. */
export const own = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

const assertRecords = async (
  { recordExists }: EventDefinitions,
  { records = {} }: EventChecks,
  payload: unknown,
  source: EventSource,
): Promise<void> => {
  for (const [path, type] of Object.entries(records)) {
    for (const id of valuesAt(payload, path)) {
      if (id === undefined || id === null) continue;
      const isId = typeof id === 'string' || typeof id === 'number';
      const exists = isId && (await recordExists?.({ type, id: String(id) }, source));
      if (exists !== true) throw invalid('unknown_record', path);
    }
  }
};

const invalid = (reason: string, field?: string) => new Refusal('invalid_event', reason, { field });

/** The id of an event, and its kind. */
export interface EventIdentity {
  readonly id: string;
  /** The time for which the id is remembered once the event was handled. */
  readonly retainMs: number;
  /** Set when the id isn't signed: the same id for another event is a conflict, and is refused. */
  readonly contentDigest: string | undefined;
  /** Set when the id is the body's own hash: another one after each {@link sameBodyMs}, for the queue's longer memory. */
  readonly period: number | undefined;
}

/**
 * Picks the id of a verified delivery. The application or the envelope reads it from the body; then comes a signed id,
 * then the header that senders use. The hash of the body is the last. An event may repeat a body on purpose (`shipped`,
 * `delayed`, `shipped`), so a hash counts for minutes only.
 */
const identifyEvent = (
  { fromBody, signed, headers, bytes, payload }: EventIdSources,
  { retainMs, now }: { readonly retainMs: number; readonly now: number },
): EventIdentity => {
  const trusted = [...fromBody, signed].find(isNamed);
  if (trusted !== undefined) return { id: bounded(trusted), retainMs, contentDigest: undefined, period: undefined };
  const claimed = idHeaders.map((name) => headers.get(name)).find(isNamed);
  if (claimed !== undefined)
    return { id: bounded(claimed), retainMs, contentDigest: digest(contentOf(payload) ?? bytes), period: undefined };
  return {
    id: digest(bytes),
    retainMs: Math.min(retainMs, sameBodyMs),
    contentDigest: undefined,
    period: Math.floor(now / sameBodyMs),
  };
};

/** The places for the id of a verified delivery; the first with one counts. */
export interface EventIdSources {
  readonly fromBody: readonly (string | undefined)[];
  readonly signed: string | undefined;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly payload: unknown;
}

/** Returns what stays the same when an event is delivered again; `undefined` for what is nested too deeply. */
const contentOf = (payload: unknown): string | undefined => {
  try {
    return JSON.stringify(payload, (name, value: unknown) => (isOfDelivery(name) ? undefined : value));
  } catch {
    return undefined;
  }
};

const isOfDelivery = (name: string): boolean => deliveryFields.has(name.replaceAll(/[^A-Za-z]/g, '').toLowerCase());

/** Fields that count deliveries or say when one was sent, without case and marks. */
const deliveryFields: ReadonlySet<string> = new Set([
  'attempt',
  'attempts',
  'attemptnumber',
  'attemptcount',
  'attemptid',
  'deliveryattempt',
  'deliveryattempts',
  'deliverycount',
  'deliveryid',
  'deliveredat',
  'redelivery',
  'redelivered',
  'retry',
  'retries',
  'retrycount',
  'retrynumber',
  'retryattempt',
  'sent',
  'sentat',
  'timestamp',
  'ts',
]);

/**
 * The time for which the same body without an id is the same event. Longer than a sender takes for its first
 * repetitions.
 */
const sameBodyMs = 300_000;

/** In the order they count: the default API's, those of Standard Webhooks and its hosts, and a common one. */
const idHeaders = ['idempotency-key', 'webhook-id', 'svix-id', 'x-event-id'];

const isNamed = (id: string | null | undefined): id is string => id !== undefined && id !== null && id !== '';

/** It becomes a key of the store, so a longer one is replaced by its hash. */
const bounded = (id: string): string => (id.length > 255 ? digest(id) : id);

const digest = (content: Uint8Array | string): string => hash('sha256', content, 'hex');
