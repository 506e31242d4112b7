import type { Clock } from '../../clock.ts';
import { attemptsExhausted, type LeasedMessage, type MessageLedger, type Remote } from '../message-ledger.ts';
import { type Answered, pause } from './answered.ts';
import type { Backend } from './backend.ts';
import type { Backends } from './backends.ts';
import type { Bell } from './bell.ts';
import { bury, endLease, type LockedJob } from './end-lease.ts';
import { attemptsOf, type Ending, readData, readEnding, type StoredJob } from './job.ts';
import { idOfJob, jobIdOf } from './names.ts';
import { type Claimant, share } from './shares.ts';

export interface LeasesOptions {
  readonly backends: Backends;
  readonly bell: Bell;
  /** Wakes the consumers of this process. */
  readonly ring: () => void;
  readonly answered: Answered;
  readonly keepDoneMs: number;
  readonly stalledIntervalMs: number;
  readonly clock: Clock;
}

export interface Leases {
  readonly ledger: Pick<Remote<MessageLedger>, 'lease' | 'settle' | 'extend'>;
  /** Resolves when nothing is under way that nobody waits for. */
  readonly rest: () => Promise<void>;
}

/**
 * Leases are BullMQ's locks: the server grants one for a time, whoever has its token may settle, and a job whose lock
 * has ended is put back by BullMQ's check for stalled jobs. All counting is BullMQ's too.
 */
export const createLeases = (options: LeasesOptions): Leases => {
  const { backends, bell, ring, answered, keepDoneMs, stalledIntervalMs, clock } = options;
  const held = new Map<string, Held>();
  const emptying = new Set<Promise<unknown>>();
  /** How many of a group were there the last time: an idle one is asked for one, a busy one for many. */
  const appetites = new Map<string, number>();
  const checkedAt = new Map<string, number>();

  const forget = (now: number) => {
    for (const [key, { until }] of held) if (until < now) held.delete(key);
  };

  /** BullMQ first marks what is active, and the next time puts back what it had marked and nobody locks any more. */
  const putBackStalled = async (backend: Backend, group: string, now: number) => {
    if (now - (checkedAt.get(group) ?? Number.NEGATIVE_INFINITY) < stalledIntervalMs) return;
    checkedAt.set(group, now);
    forget(now);
    await answered(backend.moveStalledJobsToWait());
  };

  /** What may be handled, and whether there is nothing more. */
  const claim = async (group: string, count: number, request: Request): Promise<Claimed> => {
    const backend = await answered(backends.leasing(group, request.leaseMs));
    await putBackStalled(backend, group, request.now);
    const answers = await Promise.allSettled(
      Array.from({ length: count }, () => answered(backend.moveToActive(request.token, String(request.leaseUntil)))),
    );
    const messages: LeasedMessage[] = [];
    const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
    let nextAt = Number.POSITIVE_INFINITY;
    let isDrained = errors.length > 0;
    for (const answer of answers) {
      if (answer.status === 'rejected') continue;
      // What BullMQ's own worker reads: a job or nothing, its id, a rate limit, when the next one falls due.
      const [found, id, , dueAt] = answer.value as [StoredJob | null, string, number, number];
      if (!found) {
        isDrained = true;
        if (dueAt > 0) nextAt = Math.min(nextAt, dueAt);
        continue;
      }
      const message = await begin(backend, group, { ...found, id }, request).catch((error: unknown) => {
        // What was locked before it must be handled; this one comes again when its lock ends.
        errors.push(error);
        return undefined;
      });
      if (message) messages.push(message);
    }
    return { messages, nextAt, isDrained, errors };
  };

  const begin = async (
    backend: Backend,
    group: string,
    job: StoredJob,
    { token, leaseUntil, maximumAttempts }: Request,
  ) => {
    const { payload = 'null', discarded } = readData(job);
    if (discarded) return void (await answered(backend.moveToCompleted(job, null, true, token, false)));
    const attempts = attemptsOf(job);
    const id = idOfJob(job.id);
    if (attempts >= maximumAttempts) {
      const ending: Ending = { reason: attemptsExhausted, attempts, ...noteOf(job) };
      return void (await answered(bury({ backend, job }, token, ending)));
    }
    held.set(keyOf(token, id), { backend, job, until: leaseUntil });
    return { id, group, payload, attempt: attempts + 1, enqueuedAt: job.timestamp };
  };

  const lease: Remote<MessageLedger>['lease'] = async ({ groups, limit, ...rest }) => {
    const request: Request = { ...rest, leaseMs: Math.ceil(rest.leaseUntil - rest.now) };
    const messages: LeasedMessage[] = [];
    const errors: unknown[] = [];
    let nextAt = Number.POSITIVE_INFINITY;
    let open = groups.map(([group, place]): Claimant => ({ group, place, appetite: appetites.get(group) ?? 1 }));
    while (open.length > 0 && messages.length < limit) {
      const shares = [...share(open, limit - messages.length)];
      const claims = await Promise.all(
        shares.map(([group, count]) => claim(group, count, request).catch((error: unknown) => failedClaim(error))),
      );
      const claimed = new Map(shares.map(([group, count], index) => [group, { count, ...claims[index] }]));
      open = open.flatMap((claimant): Claimant[] => {
        const { group, place, appetite } = claimant;
        const got = claimed.get(group);
        if (!got) return [claimant];
        const more = got.isDrained ? 1 : Math.min(appetite * 2, mostAtOnce);
        appetites.set(group, more);
        if (got.isDrained) bell.watch(group);
        const left = place - (got.messages?.length ?? 0);
        return got.isDrained || left <= 0 ? [] : [{ group, place: left, appetite: more }];
      });
      for (const { messages: more, nextAt: at, errors: failures } of claims) {
        messages.push(...more);
        nextAt = Math.min(nextAt, at);
        errors.push(...failures);
      }
    }
    // What could be leased is handled, whatever went wrong beside it.
    if (errors.length > 0 && messages.length === 0) throw errors[0];
    return Number.isFinite(nextAt) ? { messages, nextAt } : { messages };
  };

  /**
   * Again while the server is away and the lease lasts: what was done is not handled twice for an outage of seconds.
   * The lock's token makes a repetition harmless.
   */
  const settle: Remote<MessageLedger>['settle'] = async (settlement) => {
    const key = keyOf(settlement.token, settlement.id);
    const holding = held.get(key);
    if (!holding) return false;
    // Only one who closes settles what is being settled: then nobody waits any more.
    const isHurried = holding.isSettling === true;
    holding.isHurried = isHurried;
    holding.isSettling = true;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        const isSettled = await answered(endLease(holding, settlement, { keepDoneMs }));
        held.delete(key);
        if (isSettled && settlement.to === 'done') emptyPayload(holding);
        // Nobody was told by the server when it falls due.
        if (isSettled && settlement.to === 'waiting') ring();
        return isSettled;
      } catch (error) {
        if (isHurried || holding.isHurried || clock.wallNow() + pauseMs >= holding.until) throw error;
        await pause(pauseMs);
      }
    }
  };

  /** Its id is kept, what it says is not. No handler waits for that; a crash in between leaves it until the id goes too. */
  const emptyPayload = ({ backend, job }: Held) => {
    const emptied: Promise<unknown> = answered(backend.updateData(job, {}))
      .catch(() => undefined)
      .finally(() => emptying.delete(emptied));
    emptying.add(emptied);
  };

  const extend: Remote<MessageLedger>['extend'] = async ({ id, token, until }) => {
    const holding = held.get(keyOf(token, id));
    if (!holding) return false;
    const ms = Math.ceil(until - clock.wallNow());
    const extended = (await answered(holding.backend.extendLock(jobIdOf(id), token, ms))) === 1;
    if (extended) holding.until = until;
    return extended;
  };

  return { ledger: { lease, settle, extend }, rest: async () => void (await Promise.all(emptying)) };
};

interface Request {
  readonly token: string;
  readonly now: number;
  readonly leaseUntil: number;
  readonly leaseMs: number;
  readonly maximumAttempts: number;
}

interface Claimed {
  readonly messages: readonly LeasedMessage[];
  readonly nextAt: number;
  readonly isDrained: boolean;
  readonly errors: readonly unknown[];
}

const failedClaim = (error: unknown): Claimed => ({
  messages: [],
  nextAt: Number.POSITIVE_INFINITY,
  isDrained: true,
  errors: [error],
});

/** A lease of this process. */
interface Held extends LockedJob {
  until: number;
  isSettling?: boolean;
  isHurried?: boolean;
}

/** More would make one answer of Redis long. */
const mostAtOnce = 64;
const firstPauseMs = 50;
const longestPauseMs = 1_000;

const keyOf = (token: string, id: string) => `${token} ${id}`;

const noteOf = (job: StoredJob): Pick<Ending, 'note'> => {
  const { note } = readEnding(job);
  return note === undefined ? {} : { note };
};
