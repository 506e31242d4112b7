import { StoreError } from '../../../core/errors.ts';
import { assertUsable, type UsableOrNot } from '../../../stores/ports/assert-usable.ts';
import type { IdempotencyStore } from '../../../stores/ports/idempotency-store.ts';
import type { MessageQueue } from '../../../stores/ports/message-queue.ts';
import { tryStore } from '../../../stores/ports/try-store.ts';
import { type Finding, findingsAbout } from './finding.ts';

/** Checks that the queue answers, and counts what waits in it. */
export const checkQueue = async (queue: MessageQueue): Promise<readonly Finding[]> => {
  const { ok, warning, problem } = findingsAbout('queue');
  const answer = await answerOf('queue', queue, async () => ({ stats: await queue.admin?.stats() }));
  if ('isUsable' in answer) return [problem('reachable', answer.problem, answer.fix)];
  const { stats } = answer;
  if (!stats)
    return [
      warning('not-asked', 'the queue has no admin: nothing here can say what waits', 'use the tools of its engine'),
    ];
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
 * Checks that the store of payments and webhooks answers: claims a key of its own and releases it. Its warnings are those
 * of the Node process.
 */
export const checkIdempotencyStore = async (store: IdempotencyStore): Promise<readonly Finding[]> => {
  const { ok, problem } = findingsAbout('store');
  const answer = await answerOf('store', store, async () => {
    await tryStore(store, 'doctor');
    return {};
  });
  if ('isUsable' in answer) return [problem('reachable', answer.problem, answer.fix)];
  return [ok('reachable', 'the idempotency store answers')];
};

/** Its answer, or what is the matter in the words of the store itself. */
const answerOf = async <Answer extends object>(
  name: string,
  part: UsableOrNot,
  ask: () => Promise<Answer>,
): Promise<Answer | { readonly isUsable: false; readonly problem: string; readonly fix: string }> => {
  try {
    assertUsable(name, part);
    return await ask();
  } catch (error) {
    const words = error instanceof StoreError ? error.message : 'it does not answer';
    const isFile = part.assertUsable !== undefined;
    return {
      isUsable: false,
      problem: words.startsWith(`${name} can't be used`) ? words : `${name} can't be used: ${words}`,
      fix: isFile ? 'check the path of its file' : 'is its server running, and is its address right?',
    };
  }
};

/** Longer than the longest wait between two attempts of the outbox. */
const lateAfterMs = 30 * 60_000;

/** A warning of a store during the work, which is not printed then; each once. */
interface ReceivedWarning {
  readonly code: string;
  readonly message: string;
}

/** Runs the work and collects what stores report about their servers' settings as Node warnings. */
export const collectStoreWarnings = async <T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly warnings: readonly ReceivedWarning[] }> => {
  const received = new Map<string, ReceivedWarning>();
  // One of them is Node's own, which prints.
  const others = process.listeners('warning');
  const onWarning = (warning: Error & { readonly code?: string }) => {
    const { name, code = '', message } = warning;
    if (name === 'VoiceAgentStoreWarning') received.set(code, { code, message });
    else for (const other of others) other(warning);
  };
  process.removeAllListeners('warning');
  process.on('warning', onWarning);
  try {
    const result = await work();
    // A store asks for the settings at the same time as its first answer.
    await new Promise((resolve) => setImmediate(resolve));
    return { result, warnings: [...received.values()] };
  } finally {
    process.off('warning', onWarning);
    for (const other of others) process.on('warning', other);
  }
};
