import { assertUsable } from '../stores/ports/assert-usable.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { assertKnown, checkOptions, flag, must, type OptionNames } from '../core/option-checks.ts';
import type { Transport } from '../http/request.ts';
import type { EventListeners } from '../observability/listeners.ts';
import type { Redact } from '../observability/redaction/redactor.ts';
import { createEmitter } from '../observability/emitter.ts';
import { adminOf, type GroupStats, type MessageQueue } from '../stores/ports/message-queue.ts';
import { noMessages } from '../stores/message-ledger.ts';
import { createAddressGuard } from './address-guard.ts';
import { longestAttemptMs } from './attempt.ts';
import { createDeadLetters, type DeadLetters } from './dead-letters.ts';
import type { EventVersions } from './define-event.ts';
import { checkDestinations, type Destination, groupOf } from './destination.ts';
import { createGuardedTransport, type ResolveHost } from './guarded-transport.ts';
import { createConfirmations, createPublish, type Publication, type Published } from './publish.ts';
import { type Alert, startWorker } from './worker.ts';

/** Options of an outbox: its queue, destinations and listeners. */
export interface OutboxOptions {
  /** The store of messages until they are delivered. The outbox closes it when it is closed. */
  readonly queue: MessageQueue;
  /** The destinations; each of another name. */
  readonly destinations: readonly Destination[];
  /** `false`: this process publishes only, needs no addresses and no secrets, and another one delivers. @defaultValue true */
  readonly deliver?: boolean | undefined;
  /**
   * The waits between the attempts to deliver one message, each ±20 %. After the last one it's a dead letter.
   * @defaultValue 1 s, 3 s, 10 s, 30 s, 2 min
   */
  readonly delaysMs?: readonly number[] | undefined;
  /**
   * The time for which a message belongs to the process that delivers it. After a crash, another one takes it when this
   * is over. Must be longer than an attempt may take.
   * @defaultValue twice that, 24 s with the usual `attemptTimeoutMs`
   */
  readonly leaseMs?: number | undefined;
  /**
   * Addresses and CIDR ranges of your own that deliveries may go to. Everything that is not on the public internet is
   * refused otherwise, also where a public name leads to it. @defaultValue none
   */
  readonly allowNetworks?: readonly string[] | undefined;
  /** Replaces the system's look-up of names. */
  readonly resolve?: ResolveHost | undefined;
  /** Certificates to trust instead of the system's, in PEM. */
  readonly ca?: string | undefined;
  /**
   * Replaces the connections of the outbox, such as by a proxy of your own. Addresses are then its responsibility:
   * nothing is looked up or refused here.
   */
  readonly transport?: Transport | undefined;
  /** Gets what a person should look at: dead letters, disabled destinations and a queue that fails. What it throws is ignored. */
  readonly onAlert?: ((alert: Alert) => void) | undefined;
  /** Gets everything that happens; a list for several listeners. What they throw is ignored. */
  readonly onEvent?: EventListeners | undefined;
  /** Masks events before they reach listeners. @defaultValue secrets and personal data */
  readonly redact?: Redact | undefined;
  /** Added to all its events, for applications with several. */
  readonly tenant?: string | undefined;
}

/** The messages that wait for one destination. */
export type DestinationStatus = Omit<GroupStats, 'isPaused'> & { readonly isDisabled: boolean };

/** Stores events and delivers them to destinations, again and again until they have them or a person decides. */
export interface Outbox extends AsyncDisposable {
  /**
   * Resolves when the event is stored for every destination that wants it, as safely as the queue can. Throws
   * `InvalidArgumentError` for a payload that its schema refuses and for an event without a form for a destination's
   * version. Throws `StoreError` when it couldn't be stored; publishing it again is safe.
   */
  publish<Versions extends EventVersions>(publication: Publication<Versions>): Promise<Published>;
  /**
   * Messages that could not be delivered, to look at, redrive and discard. Like `disable`, `enable` and `status`, they throw
   * `InvalidArgumentError` where the queue has no `admin`.
   */
  readonly deadLetters: DeadLetters;
  /** Sends nothing more to a destination; its messages wait. */
  disable(destination: string): Promise<void>;
  /** Delivers to it again, beginning with what waited. */
  enable(destination: string): Promise<void>;
  /** Returns the status of each destination, by its name. */
  status(): Promise<Readonly<Record<string, DestinationStatus>>>;
  /**
   * Gives deliveries under way `drainMs` to end, hands the rest back to the queue and closes it.
   * @defaultValue 5000
   */
  close(drainMs?: number): Promise<void>;
}

/**
 * Makes an outbox: `publish` stores, a worker delivers in the background, and what cannot be delivered waits as a dead
 * letter. At least once: a receiver recognises a repetition by its `Idempotency-Key`, which stays the same.
 * Throws `InvalidArgumentError` for options that cannot work.
 *
 * @example
 * await using outbox = createOutbox({
 *   queue: sqlite({ file: 'outbox.db' }).messageQueue(),
 *   destinations: [{ name: 'crm', url: 'https://crm.example/hook/voice-events/v{version}', version: 1, signing: { secrets } }],
 * });
 * await outbox.publish({ event: callCompleted, payload, idempotencyKey: `${callId}:completed` });
 */
export const createOutbox = (options: OutboxOptions): Outbox => {
  const { queue, destinations, deliver = true, tenant } = options;
  checkOptions(undefined, [
    must(
      typeof queue?.enqueue === 'function',
      'queue',
      'must be a message queue, such as sqlite({ file }).messageQueue()',
    ),
    must(Array.isArray(destinations), 'destinations', 'must be a list'),
    flag(options.deliver, 'deliver'),
    () => assertKnown<OutboxOptions>(options, optionNames),
  ]);
  assertUsable('queue', queue);
  const guard = createAddressGuard(options.allowNetworks);
  checkDestinations(destinations, { guard, delivers: deliver });
  checkSchedule(options);
  const emitter = createEmitter(options.onEvent, { api: 'outbox', tenant, redact: options.redact });
  const confirmations = createConfirmations();
  const own = options.transport
    ? undefined
    : createGuardedTransport({ guard, resolve: options.resolve, ca: options.ca });
  const transport = options.transport ?? own?.send;
  const worker =
    deliver && transport && destinations.length > 0
      ? startWorker({ ...options, transport, emitter, confirmations })
      : undefined;
  let closing: Promise<void> | undefined;

  const checkName = (name: string) => {
    if (!destinations.some((destination) => destination.name === name))
      throw new InvalidArgumentError('destination', 'is not one of this outbox: give the name of one in destinations');
  };

  const publish = createPublish({
    queue,
    destinations,
    delivers: worker !== undefined,
    confirmations,
    emitter,
  });

  const close: Outbox['close'] = (drainMs = 5_000) => {
    closing ??= (async () => {
      await worker?.close(drainMs);
      await queue.close(drainMs);
      own?.close();
    })();
    return closing;
  };

  return {
    publish,
    deadLetters: createDeadLetters(
      () => adminOf(queue, 'outbox.deadLetters'),
      destinations.map(({ name }) => name),
    ),
    disable: async (name) => {
      checkName(name);
      await adminOf(queue, 'outbox.disable').pause(groupOf(name));
      emitter.emit({ type: 'destination-disabled', operation: `outbox.${name}`, destination: name, reason: 'by_hand' });
    },
    enable: async (name) => {
      checkName(name);
      await adminOf(queue, 'outbox.enable').resume(groupOf(name));
    },
    status: async () => {
      const { groups } = await adminOf(queue, 'outbox.status').stats();
      return Object.fromEntries(
        destinations.map(({ name }) => {
          const { isPaused, ...counts } = groups[groupOf(name)] ?? empty;
          return [name, { ...counts, isDisabled: isPaused }];
        }),
      );
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  };
};

const optionNames: OptionNames<OutboxOptions> = {
  queue: true,
  destinations: true,
  deliver: true,
  delaysMs: true,
  leaseMs: true,
  allowNetworks: true,
  resolve: true,
  ca: true,
  transport: true,
  onAlert: true,
  onEvent: true,
  redact: true,
  tenant: true,
};

const checkSchedule = ({ delaysMs = [], leaseMs = Infinity, destinations }: OutboxOptions): void => {
  if (!delaysMs.every((delayMs) => delayMs >= 0 && delayMs <= longestDelayMs))
    throw new InvalidArgumentError('delaysMs', `must be a list of milliseconds from 0 to ${longestDelayMs}`);
  const attemptMs = Math.max(0, ...destinations.map(longestAttemptMs));
  if (!(leaseMs > attemptMs))
    throw new InvalidArgumentError(
      'leaseMs',
      `must be longer than an attempt may take, ${attemptMs} ms: lower attemptTimeoutMs first`,
    );
};

const longestDelayMs = 7 * 86_400_000;

const empty: GroupStats = { ...noMessages, isPaused: false };
