import { InvalidArgumentError } from '../core/errors.ts';
import { assertKnown, type OptionNames } from '../core/option-checks.ts';
import { eventError } from '../http/end-of-call.ts';
import { assertHeaderValue } from '../http/request.ts';
import { type Emitter, within } from '../observability/emitter.ts';
import type { Span } from '../observability/listeners.ts';
import type { Json } from '../stores/ports/json.ts';
import type { MessageQueue } from '../stores/ports/message-queue.ts';
import { assertDuration, settleWithin } from '../core/timers.ts';
import {
  downgradePayload,
  type EventDefinition,
  type EventVersions,
  type PayloadOf,
  versionsOf,
} from './define-event.ts';
import { type Destination, wantedVersion } from './destination.ts';
import { messageIdOf, type OutboxMessage, toQueued, writeBody } from './message.ts';

/** One event to be delivered. */
export interface Publication<Versions extends EventVersions = EventVersions> {
  /** Made by `defineEvent`. */
  readonly event: EventDefinition<Versions>;
  /** Checked against the schema of its version before anything is stored. */
  readonly payload: PayloadOf<Versions>;
  /** The version of the payload. @defaultValue the newest */
  readonly version?: (keyof Versions & number) | undefined;
  /** Names this event: publishing it again stores nothing, and every delivery carries it. */
  readonly idempotencyKey: string;
  /** The phone call that it's about; every delivery event carries it. */
  readonly callId?: string | undefined;
  /**
   * Waits for the delivery, at most for so long: for what the agent says to the person on the phone.
   * @defaultValue resolves as soon as the event is stored
   */
  readonly confirmWithinMs?: number | undefined;
}

const publicationNames: OptionNames<Publication> = {
  event: true,
  payload: true,
  version: true,
  idempotencyKey: true,
  callId: true,
  confirmWithinMs: true,
};

/** The state of an event by now. It is stored in either case. */
export interface Published {
  /** `delivered`: every destination that wants it has acknowledged it. `queued`: the others will get it. */
  readonly status: 'delivered' | 'queued';
  /** The destinations that want the event, by name. */
  readonly destinations: Readonly<Record<string, 'delivered' | 'queued'>>;
}

/** Stores an event for every destination that wants it. */
export type Publish = <Versions extends EventVersions>(publication: Publication<Versions>) => Promise<Published>;

export interface PublishOptions {
  readonly queue: MessageQueue;
  readonly destinations: readonly Destination[];
  /** True if this process delivers too: only then can it wait for a delivery. */
  readonly delivers: boolean;
  readonly confirmations: Confirmations;
  readonly emitter: Emitter;
}

/** Makes one message per destination out of an event: checked, in the version that it wants, stored before anything else. */
export const createPublish = ({ queue, destinations, delivers, confirmations, emitter }: PublishOptions): Publish => {
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
    const publishedVersion = version ?? versionsOf(event)[0] ?? 0;
    const forms = await downgradePayload(event, payload, {
      publishedVersion,
      wanted: wanting.map((each) => each.version),
    });
    const publishedAt = new Date().toISOString();
    return wanting.map(({ destination, version }) => {
      const form: Json = forms.get(version) ?? null;
      const delivery = { id: idempotencyKey, event: event.name, version, publishedAt, payload: form };
      const message = {
        event: event.name,
        version,
        idempotencyKey,
        callId,
        body: writeBody(destination, delivery),
      };
      return { destination: destination.name, message };
    });
  };

  const store = async (event: string, addressed: readonly Addressed[]): Promise<void> => {
    const span = emitter.startSpan({ type: 'message-published', event });
    const headers = span?.headers() ?? {};
    const trace = Object.keys(headers).length > 0 ? headers : undefined;
    try {
      await within(span, () =>
        queue.enqueue(addressed.map(({ destination, message }) => toQueued(destination, { ...message, trace }))),
      );
    } catch (error) {
      span?.end(undefined, eventError(error));
      throw error;
    }
    for (const { destination, message } of addressed) emitPublished(destination, message, span);
    span?.end();
  };

  /** The queue knows its id and doesn't hold it: it was delivered, perhaps long ago. A queue that can't say so isn't an error. */
  const wasDelivered = async (id: string) =>
    queue.admin?.get(id).then(
      (message) => message === undefined,
      () => false,
    );

  const emitPublished = (destination: string, { body: _body, ...named }: OutboxMessage, span: Span | undefined) =>
    emitter.emit({ type: 'message-published', operation: 'outbox.publish', destination, ...named }, span);

  return async (publication) => {
    assertKnown<Publication>(publication as Publication, publicationNames);
    const { idempotencyKey, confirmWithinMs } = publication;
    assertDuration('confirmWithinMs', confirmWithinMs);
    checkKey(idempotencyKey);
    const startedAt = performance.now();
    // The type of its payload is that of its event, and is checked by its schemas.
    const addressed = await messagesFor(publication as Publication);
    const confirming = confirmWithinMs !== undefined && delivers;
    // Listening begins before the message is stored: it may be delivered at once.
    const waits = addressed.map(({ destination, message }) => {
      const id = messageIdOf(destination, message);
      return { destination, id, confirmation: confirming ? confirmations.expect(id) : undefined };
    });
    try {
      await store(publication.event.name, addressed);
      const leftMs = (confirmWithinMs ?? 0) - (performance.now() - startedAt);
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

/** Lets a publisher wait for the end of an attempt of this process. */
export interface Confirmations {
  expect(id: string): Confirmation;
  /** An attempt has ended. */
  ended(id: string, isDelivered: boolean): void;
}

export interface Confirmation {
  /** `true` when the next attempt delivers it within `ms`; `false` when it fails before, or does not end. */
  within(ms: number): Promise<boolean>;
  forget(): void;
}

export const createConfirmations = (): Confirmations => {
  const waiting = new Map<string, Set<(isDelivered: boolean) => void>>();

  const expect = (id: string): Confirmation => {
    const listeners = waiting.get(id) ?? new Set();
    waiting.set(id, listeners);
    const { promise: ended, resolve } = Promise.withResolvers<boolean>();
    listeners.add(resolve);
    return {
      within: (ms) => settleWithin(ended, { deadline: ms }).catch(() => false),
      forget: () => {
        listeners.delete(resolve);
        if (listeners.size === 0) waiting.delete(id);
      },
    };
  };

  return {
    expect,
    ended: (id, isDelivered) => {
      for (const listener of waiting.get(id) ?? []) listener(isDelivered);
    },
  };
};
