import type { Transport } from '../../src/http/request.ts';
import { toQueued as toQueuedMessage } from '../../src/outbox/message.ts';
import { createOutbox } from '../../src/outbox/outbox.ts';
import type { MessageQueueWithAdmin } from '../../src/stores/ports/message-queue.ts';
import type { RateLimiter } from '../../src/stores/ports/rate-limiter.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { exponential, randomFrom } from './random.ts';
import type { SimulatedApi } from './simulated-api.ts';

export interface BackgroundOptions {
  readonly seed: number;
  readonly api: SimulatedApi;
  /** Messages, at any moment with the same chance. */
  readonly perSecond: number;
  readonly untilMs: number;
}

/** Two outboxes as they are delivered, each with a queue in memory, and messages that come to them in turn. */
export const startBackground = (options: BackgroundOptions): void => {
  const queues = [1, 2].map(() => startWorker(options));
  atAnyMoment(options, (message) => {
    void queues[message % queues.length]?.enqueue([toQueued(message)]);
  });
};

/** One outbox for each limiter, and messages for all of them that are there at one moment. */
export const enqueueBacklog = ({
  limiters,
  atMs,
  messages,
  ...options
}: Omit<BackgroundOptions, 'perSecond' | 'untilMs'> & {
  readonly limiters: readonly RateLimiter[];
  readonly atMs: number;
  readonly messages: number;
}): readonly MessageQueueWithAdmin[] => {
  const queues = limiters.map((rateLimit) => startWorker({ ...options, rateLimit }));
  setTimeout(() => {
    for (const [worker, queue] of queues.entries()) {
      const own = Array.from({ length: messages }, (_, message) => message).filter(
        (message) => message % queues.length === worker,
      );
      void queue.enqueue(own.map(toQueued));
    }
  }, atMs);
  return queues;
};

const startWorker = ({
  api,
  rateLimit,
}: Pick<BackgroundOptions, 'api'> & { readonly rateLimit?: RateLimiter }): MessageQueueWithAdmin => {
  const queue = createMemoryMessageQueue({});
  const destination = { name: 'api', url: 'https://api.example.com/events', version: 1 };
  createOutbox({
    queue,
    destinations: [{ ...destination, ...(rateLimit && { rateLimit }) }],
    transport: api.transport,
  });
  return queue;
};

const toQueued = (message: number) =>
  toQueuedMessage('api', { event: 'call.completed', version: 1, idempotencyKey: `message-${message}`, body: '{}' });

/** What is often written first: whatever failed is kept, and all of it is sent again every so often, at once. */
export const startSweep = ({ everyMs, ...options }: BackgroundOptions & { readonly everyMs: number }): void => {
  const { api } = options;
  let failed: number[] = [];
  const send = async (message: number) => {
    if (!(await isDelivered(api.transport))) failed.push(message);
  };
  const sweep = () => {
    const again = failed;
    failed = [];
    for (const message of again) void send(message);
    setTimeout(sweep, everyMs);
  };
  setTimeout(sweep, everyMs);
  atAnyMoment(options, (message) => void send(message));
};

const isDelivered = async (transport: Transport): Promise<boolean> => {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(new Error('too late')), 10_000);
  try {
    // It sends what it is given and looks at nothing of it but the signal.
    const { status } = await transport({ signal: giveUp.signal } as Parameters<Transport>[0]);
    return status === 200;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
};

const atAnyMoment = ({ seed, perSecond, untilMs }: BackgroundOptions, send: (message: number) => void): void => {
  const random = randomFrom(seed);
  let message = 0;
  const next = () => {
    const ms = exponential(1_000 / perSecond, random);
    if (performance.now() + ms > untilMs) return;
    setTimeout(() => {
      message += 1;
      send(message);
      next();
    }, ms);
  };
  next();
};
