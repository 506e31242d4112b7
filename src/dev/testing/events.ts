import { type SignatureScheme, xSignature } from '../../signature/scheme.ts';
import { signBytes } from '../../signature/sign.ts';
import { setTimer } from '../../core/timers.ts';
import type { EventTopic, EventWording } from './event-wording.ts';
import type { MessagingTopic } from './store/messaging.ts';

/** The receiver of events, and their signature. */
export interface EventReceiver {
  /** The address of the receiver. */
  readonly url: string;
  /**
   * Signs the raw body: `X-Signature: sha256=<hex>` in the words of the default API,
   * `X-Hub-Signature: sha1=<hex>` in Intercom's.
   */
  readonly secret: string;
}

/** One event, and what became of it. */
export interface EventDelivery {
  /** Also in the body. */
  readonly id: string;
  readonly topic: EventTopic;
  /** The bytes that were signed and sent. */
  readonly body: string;
  /** The number of deliveries. */
  readonly attempts: number;
  /** The receiver's last answer; `undefined` if it didn't answer, or if there is none. */
  readonly status: number | undefined;
}

/** The webhook events of the fake messaging platform. */
export interface FakeEvents {
  /** From now on, events go there. Before, they are only recorded. */
  readonly sendTo: (receiver: EventReceiver) => void;
  /** Every event so far, the oldest first. */
  readonly deliveries: readonly EventDelivery[];
  /** Resolves when nothing is left to be sent. */
  readonly idle: () => Promise<void>;
  /** Sends an event again, with the same id and the same bytes, as platforms do after a failure. */
  readonly redeliver: (id: string) => Promise<void>;
}

const patienceMs = 5_000;

interface Kept {
  readonly id: string;
  readonly topic: EventTopic;
  readonly body: string;
  attempts: number;
  status: number | undefined;
}

/** The default API's signature, under its own names. */
const documentedWording: EventWording = {
  scheme: xSignature,
  describe: (topic, item, { number, now }) => {
    const id = `event_${number}`;
    const data = { type: 'notification_event_data', item };
    return { id, topic, body: { type: 'notification_event', id, topic, created_at: now, data } };
  },
};

export interface EventsOptions {
  readonly receiver?: EventReceiver | undefined;
  /** @defaultValue the default API's */
  readonly wording?: EventWording | undefined;
}

/** Sends events one after the other by real HTTP. A receiver that fails is not asked again. */
export const createEvents = ({ receiver: first, wording = documentedWording }: EventsOptions) => {
  const kept: Kept[] = [];
  const closed = new AbortController();
  let receiver = first;
  let queue = Promise.resolve();

  const send = async (event: Kept): Promise<void> => {
    if (!receiver || closed.signal.aborted) return;
    event.attempts += 1;
    event.status = await post(receiver, event.body, { closed: closed.signal, scheme: wording.scheme });
  };
  const enqueue = (event: Kept): Promise<void> => {
    queue = queue.then(() => send(event));
    return queue;
  };

  const events: FakeEvents = {
    sendTo: (next) => {
      receiver = next;
    },
    get deliveries() {
      return kept.map((event) => ({ ...event }));
    },
    idle: async () => {
      // What is sent may cause more to be sent.
      for (let seen: Promise<void> | undefined; seen !== queue; ) {
        seen = queue;
        await seen;
      }
    },
    redeliver: async (id) => {
      const event = kept.find((candidate) => candidate.id === id);
      if (!event) throw new Error(`There is no event ${id}`);
      await enqueue(event);
    },
  };

  return {
    events,
    publish: (topic: MessagingTopic, item: Readonly<Record<string, unknown>>): void => {
      const now = Math.floor(Date.now() / 1000);
      const described = wording.describe(topic, item, { number: kept.length + 1, now });
      if (!described) return;
      const event: Kept = { ...described, body: JSON.stringify(described.body), attempts: 0, status: undefined };
      kept.push(event);
      void enqueue(event);
    },
    close: async (): Promise<void> => {
      closed.abort();
      await queue;
    },
  };
};

/**
 * The header's value for these bytes, where a test sends a delivery by itself. `signedWebhook` gives all headers.
 * @param scheme default: the default API's
 *
 * @example
 * const headers = { 'x-signature': signEvent(body, 'shared-secret') };
 */
export const signEvent = (body: string, secret: string, scheme: SignatureScheme = xSignature): string =>
  signBytes(body, { scheme, secrets: [secret] })[scheme.header] ?? '';

const post = async (
  { url, secret }: EventReceiver,
  body: string,
  { closed, scheme }: { readonly closed: AbortSignal; readonly scheme: SignatureScheme },
): Promise<number | undefined> => {
  const late = new AbortController();
  const cancel = setTimer(() => late.abort(), patienceMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [scheme.header]: signEvent(body, secret, scheme) },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([closed, late.signal]),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  } finally {
    cancel();
  }
};
