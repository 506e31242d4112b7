import { pace } from '../http/pace.ts';
import type { MessageQueue, Selection } from '../stores/ports/message-queue.ts';

/**
 * Redrives dead letters one by one, the longest dead first, at most ten a second: a destination that has just come back
 * isn't met by its whole backlog at once. Resolves with how many, when the last one is on its way.
 */
export const createRedrive = (queue: MessageQueue): ((which: Selection) => Promise<number>) => {
  const redriveOne = pace((id: string) => queue.redrive({ ids: [id] }));
  return async (which) => {
    let redriven = 0;
    for (const id of 'ids' in which ? new Set(which.ids) : await idsOf(queue, which)) redriven += await redriveOne(id);
    return redriven;
  };
};

/** All ids come first, so that one that dies again meanwhile isn't redriven twice. */
const idsOf = async (
  queue: MessageQueue,
  { since, group }: Exclude<Selection, { readonly ids: readonly string[] }>,
): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>();
  for (let after: string | undefined; ; ) {
    const page = await queue.deadLetters({ group, after, limit: pageSize });
    for (const { id, diedAt } of page) if (diedAt >= since) ids.add(id);
    if (page.length === 0) return ids;
    after = page.at(-1)?.cursor;
  }
};

const pageSize = 100;
