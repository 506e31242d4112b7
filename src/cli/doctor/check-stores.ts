import { randomUUID } from 'node:crypto';
import type { IdempotencyStore } from '../../ports/idempotency-store.ts';
import type { MessageQueue } from '../../ports/message-queue.ts';
import { type Finding, findingsAbout } from './finding.ts';

/** Whether the queue answers, and what waits in it. */
export const checkQueue = async (queue: MessageQueue): Promise<readonly Finding[]> => {
  const { ok, warning, problem } = findingsAbout('queue');
  const stats = await queue.stats().catch(() => undefined);
  if (!stats)
    return [problem('reachable', 'the queue does not answer', 'is its server running, and is its address right?')];
  const paused = Object.entries(stats.groups).flatMap(([name, { isPaused }]) => (isPaused ? [name] : []));
  return [
    ok('reachable', `the queue answers: ${stats.ready} ready, ${stats.delayed} delayed, ${stats.leased} being handled`),
    ...(stats.dead > 0
      ? [
          warning(
            'dead-letters',
            `${stats.dead} dead letters wait for a decision`,
            'dead-letters list, then redrive or discard',
          ),
        ]
      : []),
    ...(paused.length > 0
      ? [warning('paused', `paused: ${paused.join(', ')}`, 'resume the group, or enable the destination of the outbox')]
      : []),
    ...(stats.oldestAgeMs > lateAfterMs
      ? [
          warning(
            'late',
            `a message has waited for ${Math.round(stats.oldestAgeMs / 60_000)} minutes`,
            'is a worker running?',
          ),
        ]
      : []),
  ];
};

/**
 * Whether the store of payments and webhooks answers: claims a key of its own and gives it back. Its warnings are those
 * of the Node process.
 */
export const checkIdempotencyStore = async (store: IdempotencyStore): Promise<readonly Finding[]> => {
  const { ok, problem } = findingsAbout('store');
  const key = `doctor:${randomUUID()}`;
  try {
    const claim = await store.claim(key, { fingerprint: 'doctor', leaseMs: 1_000, retainMs: 1_000 });
    if (claim.state === 'new') await store.release(key, claim.claim);
    return [ok('reachable', 'the idempotency store answers')];
  } catch {
    return [
      problem('reachable', 'the idempotency store does not answer', 'is its server running, and is its address right?'),
    ];
  }
};

/** Longer than the longest wait between two attempts of the outbox. */
const lateAfterMs = 30 * 60_000;
