import { pace } from '../http/pace.ts';
import type { Json } from '../stores/ports/json.ts';
import type { DeadLetter, Page, QueueAdmin, Selection } from '../stores/ports/message-queue.ts';
import { checkPage, checkSelection } from '../stores/check-message.ts';
import { groupOf } from './destination.ts';
import { bodyForPeople, readMessage } from './message.ts';

/** A message that could not be delivered, as people look at it: `redrive` and `discard` take its id. */
export interface UndeliveredMessage extends Pick<DeadLetter, 'attempts' | 'cursor' | 'diedAt' | 'id'> {
  readonly destination: string;
  /** Its name. */
  readonly event: string;
  /** The one that the destination asked for. */
  readonly version: number;
  readonly idempotencyKey: string;
  /** Milliseconds since 1970. */
  readonly publishedAt: number;
  /** `client_error`, `gone`, `attempts_exhausted` or `retry_after_too_long`. */
  readonly reason: string;
  /** The end of the last attempt: `{ reason, status }`. */
  readonly lastFailure?: Json | undefined;
  /** The body that was sent, sanitised as for the log. */
  readonly body: unknown;
}

/** Dead letters by their ids; or all since a moment, perhaps of one destination. `{ since: 0 }` is all. */
export type UndeliveredSelection =
  | { readonly ids: readonly string[] }
  | { readonly since: number; readonly destination?: string | undefined };

/** The messages that wait for a decision. */
export interface DeadLetters {
  /** Lists the dead letters of each destination, the longest dead first. */
  list(page?: {
    readonly destination?: string | undefined;
    readonly after?: string | undefined;
    /** @defaultValue 100 */
    readonly limit?: number | undefined;
  }): Promise<readonly UndeliveredMessage[]>;
  /**
   * Delivers them again, at most ten a second, with the same idempotency key, the same bytes and all attempts before them.
   * Resolves with how many, when the last one is on its way.
   */
  redrive(which: UndeliveredSelection): Promise<number>;
  /** Forgets them: publishing one under its key again sends it. How many. */
  discard(which: UndeliveredSelection): Promise<number>;
}

/** The dead letters of these destinations; other messages in the queue are left alone. */
export const createDeadLetters = (admin: () => QueueAdmin, destinations: readonly string[]): DeadLetters => {
  const redrive = createRedrive(admin);
  const change = async (which: UndeliveredSelection, apply: (which: Selection) => Promise<number>): Promise<number> => {
    checkSelection(which, 'destination');
    if ('ids' in which) return apply({ ids: which.ids.filter((id) => id.startsWith(groupOf(''))) });
    const { since, destination } = which;
    const counts: number[] = [];
    for (const name of destination === undefined ? destinations : [destination])
      counts.push(await apply({ since, group: groupOf(name) }));
    return counts.reduce((sum, count) => sum + count, 0);
  };

  return {
    list: async (page = {}) => {
      checkPage(page, 'destination');
      const { destination, after, limit = 100 } = page;
      const group = destination === undefined ? undefined : groupOf(destination);
      const found: UndeliveredMessage[] = [];
      for await (const letter of readLetters(admin(), { group, after, limit })) {
        // The queue may hold dead letters of others too.
        if (letter.group.startsWith(groupOf(''))) found.push(toUndelivered(letter));
        if (found.length === limit) break;
      }
      return found;
    },
    redrive: (which) => change(which, redrive),
    discard: (which) => change(which, (chosen) => admin().discard(chosen)),
  };
};

/** Reads on until a page is empty. */
async function* readLetters(admin: QueueAdmin, page: Page): AsyncGenerator<DeadLetter> {
  for (let { after } = page; ; ) {
    const letters = await admin.deadLetters({ ...page, after });
    if (letters.length === 0) return;
    yield* letters;
    after = letters.at(-1)?.cursor;
  }
}

const toUndelivered = ({ group, enqueuedAt, note, payload, ...letter }: DeadLetter): UndeliveredMessage => {
  // A broken payload is `null`: the letter can still be discarded.
  const { event, version, idempotencyKey, body } = readMessage(payload ?? unreadable);
  const destination = group.slice(groupOf('').length);
  const named = { destination, event, version, idempotencyKey };
  return { ...letter, ...named, publishedAt: enqueuedAt, lastFailure: note, body: bodyForPeople(body) };
};

const unreadable: Json = { event: 'unreadable', version: 0, idempotencyKey: '', body: '' };

/**
 * Redrives dead letters one by one, the longest dead first, at most ten a second. A destination that has just come back
 * isn't met by its whole backlog at once. Resolves with their number, when the last one is on its way.
 */
export const createRedrive = (admin: () => QueueAdmin): ((which: Selection) => Promise<number>) => {
  const redriveOne = pace((id: string) => admin().redrive({ ids: [id] }));
  return async (which) => {
    let redriven = 0;
    for (const id of 'ids' in which ? new Set(which.ids) : await idsOf(admin(), which))
      redriven += await redriveOne(id);
    return redriven;
  };
};

/** All ids come first, so that one that dies again meanwhile isn't redriven twice. */
const idsOf = async (
  admin: QueueAdmin,
  { since, group }: Exclude<Selection, { readonly ids: readonly string[] }>,
): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>();
  for await (const { id, diedAt } of readLetters(admin, { group })) if (diedAt >= since) ids.add(id);
  return ids;
};
