import type { Clock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import { eventError } from '../http/event-error.ts';
import { assertHeaderValue } from '../http/headers.ts';
import type { Tell } from '../observability/teller.ts';
import { type Span, within } from '../observability/tracer.ts';
import type { Json } from '../ports/json.ts';
import type { MessageQueue } from '../ports/message-queue.ts';
import type { Confirmations } from './confirmations.ts';
import { type EventDefinition, type EventVersions, type PayloadOf, versionsOf } from './define-event.ts';
import { type Destination, wantedVersion } from './destination.ts';
import { idOf, type OutboxMessage, toQueued } from './message.ts';
import { toVersions } from './to-version.ts';
import { writeBody } from './write-body.ts';

/** One event to be delivered. */
export interface Publication<Versions extends EventVersions = EventVersions> {
  /** Made by `defineEvent`. */
  readonly event: EventDefinition<Versions>;
  /** Checked against the schema of its version before anything is stored. */
  readonly payload: PayloadOf<Versions>;
  /** The version that the payload is given in. @defaultValue the newest */
  readonly version?: keyof Versions & number;
  /** Stands for this event: publishing it again stores nothing, and every delivery carries it. */
  readonly idempotencyKey: string;
  /** The phone call that it is about: told with every delivery. */
  readonly callId?: string;
  /**
   * Waits for the delivery, at most until so long after the call: for what a person on the phone is told.
   * @defaultValue resolves as soon as the event is stored
   */
  readonly confirmWithinMs?: number;
}

/** What has become of an event by now. It is stored in either case. */
export interface Published {
  /** `delivered`: every destination that wants it has acknowledged it. `queued`: the others will get it. */
  readonly status: 'delivered' | 'queued';
  /** By the name of the destination; only those that want the event. */
  readonly destinations: Readonly<Record<string, 'delivered' | 'queued'>>;
}

/** Stores an event for every destination that wants it. */
export type Publish = <Versions extends EventVersions>(publication: Publication<Versions>) => Promise<Published>;

export interface PublishOptions {
  readonly queue: MessageQueue;
  readonly destinations: readonly Destination[];
  /** Whether this process delivers too: only then can it wait for a delivery. */
  readonly delivers: boolean;
  readonly confirmations: Confirmations;
  readonly tell: Tell;
  readonly clock: Clock;
}

/** Makes one message per destination out of an event: checked, in the version that it wants, stored before anything else. */
export const createPublish = ({
  queue,
  destinations,
  delivers,
  confirmations,
  tell,
  clock,
}: PublishOptions): Publish => {
  const messagesFor = async ({
    event,
    payload,
    version,
    idempotencyKey,
    callId,
  }: Publication): Promise<Addressed[]> => {
    const wanting = destinations.flatMap((destination) => {
      const wanted = wantedVersion(destination, event.name);
      return wanted === undefined ? [] : [{ destination, version: wanted }];
    });
    const given = version ?? versionsOf(event)[0] ?? 0;
    const forms = await toVersions(event, payload, { given, wanted: wanting.map((each) => each.version) });
    const publishedAt = new Date(clock.wallNow()).toISOString();
    return wanting.map(({ destination, version }) => {
      const form: Json = forms.get(version) ?? null;
      const delivery = { id: idempotencyKey, event: event.name, version, publishedAt, payload: form };
      const message = {
        event: event.name,
        version,
        idempotencyKey,
        ...(callId !== undefined && { callId }),
        body: writeBody(destination, delivery),
      };
      return { destination: destination.name, message };
    });
  };

  const store = async (event: string, addressed: readonly Addressed[]): Promise<void> => {
    const span = tell.begin({ type: 'message-published', event });
    const trace = span?.headers() ?? {};
    const stored = Object.keys(trace).length > 0 ? { trace } : {};
    try {
      await within(span, () =>
        queue.enqueue(addressed.map(({ destination, message }) => toQueued(destination, { ...message, ...stored }))),
      );
    } catch (error) {
      span?.end(undefined, eventError(error));
      throw error;
    }
    for (const { destination, message } of addressed) tellPublished(destination, message, span);
    span?.end();
  };

  /** Published before, it may have been delivered long ago. It is stored: a queue that fails now makes it no error. */
  const wasDelivered = async (id: string) =>
    queue.get(id).then(
      (message) => message?.state === 'done',
      () => false,
    );

  const tellPublished = (destination: string, { body: _body, ...named }: OutboxMessage, span: Span | undefined) =>
    tell({ type: 'message-published', operation: 'outbox.publish', destination, ...named }, span);

  return async (publication) => {
    const { idempotencyKey, confirmWithinMs } = publication;
    checkKey(idempotencyKey);
    const startedAt = clock.now();
    // The type of its payload is that of its event, and is checked by its schemas.
    const addressed = await messagesFor(publication as Publication);
    const confirming = confirmWithinMs !== undefined && delivers;
    // Listening begins before the message is stored: it may be delivered at once.
    const waits = addressed.map(({ destination, message }) => {
      const id = idOf(destination, message);
      return { destination, id, ...(confirming && { confirmation: confirmations.expect(id) }) };
    });
    try {
      await store(publication.event.name, addressed);
      const leftMs = (confirmWithinMs ?? 0) - (clock.now() - startedAt);
      const statuses = await Promise.all(
        waits.map(async ({ destination, id, confirmation }) => {
          const isDelivered = confirmation && ((await wasDelivered(id)) || (await confirmation.within(leftMs)));
          return [destination, isDelivered ? 'delivered' : 'queued'] as const;
        }),
      );
      const isDelivered = statuses.every(([, status]) => status === 'delivered');
      return { status: isDelivered ? 'delivered' : 'queued', destinations: Object.fromEntries(statuses) };
    } finally {
      for (const { confirmation } of waits) confirmation?.forget();
    }
  };
};

interface Addressed {
  readonly destination: string;
  readonly message: OutboxMessage;
}

const checkKey = (key: string): void => {
  if (typeof key !== 'string' || key === '' || key.length > 255)
    throw new InvalidArgumentError('idempotencyKey', 'must be a text of 1 to 255 characters', {
      operation: 'outbox.publish',
    });
  assertHeaderValue('idempotencyKey', key);
};
