import { StoreError } from '../../core/errors.ts';
import { networkFailureOf } from '../../http/network-failure.ts';
import { maskSecretLooks } from '../../observability/redaction/secrets.ts';
import { thrownAt } from '../../observability/thrown-at.ts';
import { assertUsable } from '../../stores/ports/assert-usable.ts';
import type { MessageQueue } from '../../stores/ports/message-queue.ts';
import type { Kept } from '../stores.ts';
import { type Checked, findingsAbout } from './findings.ts';

/** Checks one store or queue. */
export const checkKept = (kept: Kept): Promise<readonly Checked[]> =>
  'consume' in kept.part ? checkQueue(kept.part) : checkStore(kept);

/** Checks that the queue answers, and counts what waits in it. */
export const checkQueue = async (queue: MessageQueue): Promise<readonly Checked[]> => {
  const { ok, warning } = findingsAbout('queue');
  const answer = await answerOf('queue', queue, async () => ({ stats: await queue.admin?.stats() }));
  if ('level' in answer) return [answer];
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

/** Checks that a store answers: claims a key of its own and releases it. Its warnings are those of the Node process. */
const checkStore = async ({ name, part, reach }: Kept): Promise<readonly Checked[]> => {
  const answer = await answerOf(name, part, async () => ({ answered: await reach?.() }));
  return ['level' in answer ? answer : findingsAbout(name).ok('reachable', 'the idempotency store answers')];
};

/** Its answer, or what is the matter in the words of the store itself. */
const answerOf = async <Answer extends object>(
  name: Kept['name'],
  part: Kept['part'],
  ask: () => Promise<Answer>,
): Promise<Answer | Checked> => {
  const { warning, problem } = findingsAbout(name);
  try {
    assertUsable(name, part);
    return await ask();
  } catch (error) {
    const words = wordsOf(error);
    const message = words.startsWith(`${name} can't be used`) ? words : `${name} can't be used: ${words}`;
    if (part.assertUsable) return problem('reachable', message, 'check the path of its file');
    // Calls that pay nothing go on without it, so an outage of its server must not keep the process from starting.
    const level = isDown.test(words) ? warning : problem;
    return level('reachable', message, 'is its server running, and is its address right?');
  }
};

/** A store of yours may put an address with a password into its error. What is no `StoreError` may hold anything. */
const wordsOf = (error: unknown): string => {
  if (error instanceof StoreError) return maskSecretLooks(error.message);
  const { networkCode } = networkFailureOf(error);
  return networkCode === undefined ? `it failed: ${thrownAt(error)}` : `it failed (${networkCode})`;
};

/** A server that isn't there, is silent, or isn't ready yet. What a server refuses has another code, and is a problem. */
const isDown =
  /did not answer|was asked for$|\((?:ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|LOADING|BUSY|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|08\w{3}|53\w{3}|57P\w{2})\)$/;

/** Longer than the longest wait between two attempts of the outbox. */
const lateAfterMs = 30 * 60_000;
