import { equal } from 'node:assert/strict';
import type { MessageQueue } from '../../stores/ports/message-queue.ts';
import { checkOptions, assertKnown, flag, must } from '../../core/option-checks.ts';
import { assertDuration } from '../../core/timers.ts';
import { type Check, type ChecksOf, leaveOut, type LeftOut, passReally } from './check.ts';
import { adminChecks } from './queue-checks/admin.ts';
import { attemptChecks } from './queue-checks/attempts.ts';
import { consumerChecks } from './queue-checks/consumers.ts';
import { deadLetterChecks } from './queue-checks/dead-letters.ts';
import { keptIdCheck } from './queue-checks/kept-ids.ts';
import { messageChecks } from './queue-checks/messages.ts';
import { putUnderCheck, type QueueUnderCheck, type Setting } from './queue-checks/under-check.ts';

/** The queue to check, and the times that it can keep. */
export interface QueueCheckOptions {
  /**
   * Opens a queue that holds nothing, such as one with a new name. Messages are of the groups `g` and `other`. Each check
   * opens one and closes it.
   */
  readonly open: () => MessageQueue | Promise<MessageQueue>;
  /** Checks its `admin` too. @defaultValue false */
  readonly admin?: boolean | undefined;
  /** The names of checks that the engine can't pass, each with the reason. @defaultValue none */
  readonly without?: LeftOut | undefined;
  /** The lease of a message: as short as the engine can keep one, since checks wait for its end. @defaultValue 1000 */
  readonly leaseMs?: number | undefined;
  /** The time for which the queue keeps the id of a message that is done. @defaultValue whether it forgets ids isn't checked */
  readonly keepDoneMs?: number | undefined;
  /** The longest wait for what the engine does by itself; then a check fails. @defaultValue 5000 */
  readonly timeoutMs?: number | undefined;
  /** Lets time pass, such as on a clock of your own. @defaultValue waits */
  readonly pass?: ((ms: number) => Promise<void>) | undefined;
}

/**
 * Checks that a message queue of your own keeps what the outbox, later webhooks and `finishLater` rely on. Nothing is lost,
 * a message has one handler at a time, and attempts and moments are right. Each check is a name and a function that rejects
 * with node's `AssertionError`. Any test runner runs them, in any order.
 * Throws `InvalidArgumentError` for options that cannot work.
 *
 * @example
 * const checks = checksOfQueue({ open: () => openQueue(`test-${randomUUID()}`), leaseMs: 2_000 });
 * for (const { name, run } of checks) test(name, run);
 */
export const checksOfQueue = (options: QueueCheckOptions): readonly Check[] => {
  const { open, admin = false, leaseMs = 1_000, keepDoneMs, timeoutMs = 5_000, pass = passReally } = options;
  checkOptions(undefined, [
    () =>
      assertKnown<QueueCheckOptions>(options, {
        open: true,
        admin: true,
        without: true,
        leaseMs: true,
        keepDoneMs: true,
        timeoutMs: true,
        pass: true,
      }),
    must(typeof open === 'function', 'open', 'must be a function that opens a queue'),
    flag(admin, 'admin'),
    must(typeof pass === 'function', 'pass', 'must be a function of milliseconds'),
    () => assertDuration('leaseMs', leaseMs),
    () => assertDuration('keepDoneMs', keepDoneMs),
    () => assertDuration('timeoutMs', timeoutMs),
  ]);
  const setting: Setting = { leaseMs, keepDoneMs, timeoutMs, pass };
  const all: ChecksOf<QueueUnderCheck> = {
    ...messageChecks,
    ...(keepDoneMs === undefined ? undefined : keptIdCheck),
    ...attemptChecks,
    ...consumerChecks,
    ...(admin ? { ...adminChecks, ...deadLetterChecks } : undefined),
  };
  const run = async (work: (under: QueueUnderCheck) => Promise<void>) => {
    const queue = await open();
    const under = putUnderCheck(queue, setting);
    const close = () => under.within(queue.close(0), 'close(0) must resolve');
    try {
      equal(queue.admin !== undefined, admin, admin ? 'The queue must have an admin' : 'Say admin: true to check it');
      await work(under);
    } catch (error) {
      // What failed first is what there is to say.
      await close().catch(() => undefined);
      throw error;
    }
    await close();
  };
  return leaveOut(
    Object.entries(all).map(([name, work]) => ({ name, run: () => run(work) })),
    options.without,
  );
};
