import { AbortedError } from '../core/errors.ts';
import { ignoreErrors } from '../observability/ignore-errors.ts';
import type { ConsumeOptions, Handled, MessageHandler } from './ports/message-queue.ts';
import { setTimer, waitAtMost } from '../core/timers.ts';
import { checkConsumeOptions } from './check-message.ts';
import type { LeasedMessage, MessageLedger, Remote, Settlement } from './message-ledger.ts';
import { handBack, runHandler } from './run-handler.ts';

/** Leases messages from a ledger and hands them to one handler. */
export interface LedgerConsumer {
  /** Something may be due. */
  wake(): void;
  close(drainMs: number): Promise<void>;
}

export const startLedgerConsumer = (
  { ledger, keepDoneMs, pollMs }: ConsumerSetting,
  options: ConsumeOptions,
  handle: MessageHandler,
): LedgerConsumer => {
  checkConsumeOptions(options);
  const { leaseMs, maximumAttempts, onError } = options;
  const names = Object.keys(options.groups);
  const token = createTokens();
  /** The number of messages of each group that are with the handler. */
  const inHand = new Map<string, number>();
  /** Messages that haven't come to their end: with the handler, or being settled. */
  const work = new Set<Work>();
  let turn = 0;
  let isAsking = false;
  let isAskedAgain = false;
  let isClosed = false;
  let cancelTimer: (() => void) | undefined;
  let asked: Promise<void> = Promise.resolve();

  const report = (error: unknown) => {
    if (onError) ignoreErrors(() => onError(error));
  };

  /** The groups that can take more. Each time another one comes first, so that all are served. */
  const free = () => {
    turn = (turn + 1) % Math.max(1, names.length);
    return [...names.slice(turn), ...names.slice(0, turn)].flatMap((name): [string, number][] => {
      const limit = (options.groups[name] ?? 0) - (inHand.get(name) ?? 0);
      return limit > 0 ? [[name, limit]] : [];
    });
  };

  const ask = async () => {
    // All that ends in the same turn makes room for one lease. It goes to the ledger together with what ended.
    await afterMicrotasks();
    const groups = free();
    if (isClosed || groups.length === 0) return;
    const now = Date.now();
    const lease = token();
    try {
      const { messages, nextInMs = Number.POSITIVE_INFINITY } = await ledger.lease({
        groups,
        token: lease,
        now,
        leaseMs: Math.ceil(leaseMs + Math.min(leaseMs, graceMs)),
        maximumAttempts,
      });
      if (isClosed) return void (await Promise.all(messages.map(({ id }) => settle(id, lease, handBack()))));
      for (const message of messages) begin(message, lease);
      const waitMs = Math.min(pollMs, now + nextInMs - Date.now());
      // It fell due while the ledger was asked.
      if (waitMs <= 0) isAskedAgain = true;
      else sleep(waitMs);
    } catch (error) {
      report(error);
      if (!isClosed) sleep(pollMs);
    }
  };

  const wake = () => {
    if (isClosed) return;
    if (isAsking) {
      isAskedAgain = true;
      return;
    }
    cancelTimer?.();
    cancelTimer = undefined;
    isAsking = true;
    asked = ask().finally(() => {
      isAsking = false;
      if (!isAskedAgain) return;
      isAskedAgain = false;
      wake();
    });
  };

  const sleep = (ms: number) => {
    cancelTimer?.();
    cancelTimer = setTimer(wake, ms);
  };

  const settle = (id: string, token: string, handled: Handled) =>
    ledger.settle(toSettlement({ id, token, now: Date.now() }, handled, keepDoneMs));

  const begin = (message: LeasedMessage, token: string) => {
    const { id, group, payload, attempt, enqueuedAt } = message;
    const controller = new AbortController();
    const { signal } = controller;

    const run = async () => {
      const handled = await runHandler(handle, { id, group, payload }, { attempt, enqueuedAt, signal }, options);
      inHand.set(group, (inHand.get(group) ?? 1) - 1);
      const settled = settle(id, token, handled).catch(report);
      wake();
      await settled;
      work.delete(own);
    };

    inHand.set(group, (inHand.get(group) ?? 0) + 1);
    const own: Work = {
      // A turn later, so that it is in the set before it can end.
      done: Promise.resolve().then(run),
      abortHandler: () => controller.abort(new AbortedError('the message queue is being closed')),
    };
    work.add(own);
  };

  const close = async (drainMs: number) => {
    // What this process stored while the ledger was asked is still begun.
    if (isAskedAgain) {
      await asked;
      await asked;
    }
    isClosed = true;
    cancelTimer?.();
    await asked;
    const ends = [...work].map(({ done }) => done);
    await waitAtMost(Promise.all(ends), drainMs);
    for (const { abortHandler } of work) abortHandler();
    await Promise.all([...work].map(({ done }) => done));
  };

  wake();
  return { wake, close };
};

/** Resolves when every promise that can go on has gone on, and before the next turn of the event loop. */
const afterMicrotasks = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

/** One message that was leased. */
interface Work {
  /** Doesn't reject. */
  readonly done: Promise<void>;
  readonly abortHandler: () => void;
}

interface ConsumerSetting {
  readonly ledger: Remote<MessageLedger>;
  readonly keepDoneMs: number;
  readonly pollMs: number;
}

/** A process that lives settles its messages before their leases end: only one that died or froze lets them end. */
const graceMs = 5_000;

/** No two leases of any processes have the same token. */
const createTokens = () => {
  const consumer = crypto.randomUUID();
  let count = 0;
  return () => {
    count += 1;
    return `${consumer}:${count}`;
  };
};

const toSettlement = (
  lease: { readonly id: string; readonly token: string; readonly now: number },
  handled: Handled,
  keepDoneMs: number,
): Settlement => {
  if (handled.type === 'done') return { ...lease, to: 'done', keepMs: Math.ceil(keepDoneMs) };
  const note = handled.note === undefined ? undefined : JSON.stringify(handled.note);
  if (handled.type === 'dead') return { ...lease, to: 'dead', reason: handled.reason, note };
  const delayMs = Math.ceil(handled.at - lease.now);
  return { ...lease, to: 'waiting', delayMs, note, uncounted: handled.uncounted ?? false };
};
