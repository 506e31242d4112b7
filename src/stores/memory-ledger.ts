import { LRUCache } from 'lru-cache';
import type { GroupStats, QueueStats, Selection, StoredMessage } from './ports/message-queue.ts';
import { createDueHeap, type DueHeap } from './due-heap.ts';
import {
  defaultPageLimit,
  type LeaseRequest,
  type LeasedMessage,
  type MessageLedger,
  noMessages,
  parseStored,
  type Settlement,
  toQueueStats,
} from './message-ledger.ts';
import { createSteadyClock } from './steady-clock.ts';

/** Keeps messages in maps, and at most `maximumKept` ids of what is done. */
export const createMemoryLedger = ({ maximumKept }: { readonly maximumKept: number }): MessageLedger => {
  const clock = createSteadyClock();
  const entries = new Map<string, Entry>();
  const groups = new Map<string, Group>();
  /** The ids of what is done. */
  const kept = new LRUCache<string, true>({ max: Math.max(1, maximumKept), ttlResolution: 0 });
  const dead = new Set<Entry>();
  const paused = new Set<string>();
  let deaths = 0;

  const groupOf = (name: string): Group => {
    const group = groups.get(name) ?? { waiting: createDueHeap<Entry>(), leased: createDueHeap<Entry>() };
    groups.set(name, group);
    return group;
  };

  const wait = (entry: Entry, dueAt: number) => {
    entry.state = 'waiting';
    entry.dueAt = dueAt;
    entry.token = undefined;
    groupOf(entry.group).waiting.push(dueAt, entry);
  };

  const endLeases = (group: Group, now: number) => {
    for (let next = nextLeased(group); next && next.dueAt <= now; next = nextLeased(group)) {
      group.leased.pop();
      wait(next, next.dueAt);
    }
  };

  const take = (entry: Entry, token: string, leaseUntil: number): LeasedMessage => {
    entry.state = 'leased';
    entry.token = token;
    entry.dueAt = leaseUntil;
    groupOf(entry.group).leased.push(leaseUntil, entry);
    const { id, group, payload, attempts, enqueuedAt } = toMessage(entry);
    return { id, group, payload, attempt: attempts + 1, enqueuedAt };
  };

  const lease: MessageLedger['lease'] = ({ groups: wanted, token, leaseMs, ...request }: LeaseRequest) => {
    const now = clock.at(request.now);
    const messages: LeasedMessage[] = [];
    let nextAt = Number.POSITIVE_INFINITY;
    for (const [name, groupLimit] of wanted) {
      const group = groups.get(name);
      if (!group) continue;
      endLeases(group, now);
      if (paused.has(name)) continue;
      const until = messages.length + groupLimit;
      let next = nextWaiting(group);
      for (; next && next.dueAt <= now && messages.length < until; next = nextWaiting(group)) {
        group.waiting.pop();
        messages.push(take(next, token, now + leaseMs));
      }
      if (!next || next.dueAt > now) {
        nextAt = Math.min(nextAt, next?.dueAt ?? nextAt, nextLeased(group)?.dueAt ?? nextAt);
      }
    }
    return { messages, nextInMs: Number.isFinite(nextAt) ? nextAt - now : undefined };
  };

  const settle = (settlement: Settlement): boolean => {
    const entry = entries.get(settlement.id);
    if (entry?.state !== 'leased' || entry.token !== settlement.token) return false;
    const now = clock.at(settlement.now);
    if (settlement.to !== 'waiting' || !settlement.uncounted) entry.attempts += 1;
    if (settlement.to === 'done') {
      entries.delete(entry.id);
      // It's not what the heap holds any more.
      entry.dueAt = Number.NaN;
      if (settlement.keepMs > 0) kept.set(entry.id, true, { ttl: Math.min(settlement.keepMs, longestMs) });
      return true;
    }
    entry.note = settlement.note;
    if (settlement.to === 'waiting') wait(entry, now + settlement.delayMs);
    else {
      deaths += 1;
      Object.assign(entry, {
        state: 'dead',
        dueAt: now,
        reason: settlement.reason,
        deathNumber: deaths,
        token: undefined,
      });
      dead.add(entry);
    }
    return true;
  };

  const select = (which: Selection): readonly Entry[] => {
    if (!('ids' in which)) {
      return [...dead].filter(
        ({ dueAt, group }) =>
          dueAt >= which.since + clock.offsetMs() && (which.group === undefined || which.group === group),
      );
    }
    return [...new Set(which.ids)].flatMap((id) => {
      const entry = entries.get(id);
      return entry?.state === 'dead' ? [entry] : [];
    });
  };

  const toMessage = ({ id, group, payload, attempts, enqueuedAt, note, reason }: Entry) => ({
    id,
    group,
    payload: parseStored(payload),
    attempts,
    enqueuedAt: enqueuedAt - clock.offsetMs(),
    note: note === undefined ? undefined : parseStored(note),
    reason,
  });

  return {
    enqueue: ({ messages, ...request }) => {
      const now = clock.at(request.now);
      for (const { id, group, payload, delayMs } of messages) {
        if (entries.has(id) || kept.has(id)) continue;
        const entry: Entry = { id, group, payload, state: 'waiting', attempts: 0, enqueuedAt: now, dueAt: now };
        entries.set(id, entry);
        wait(entry, now + delayMs);
      }
    },
    lease,
    settle,
    get: (id) => {
      const entry = entries.get(id);
      return entry && { ...toMessage(entry), state: entry.state };
    },
    deadLetters: ({ group, after, limit = defaultPageLimit }) =>
      [...dead]
        .filter((entry) => group === undefined || entry.group === group)
        .filter((entry) => after === undefined || (entry.deathNumber ?? 0) > Number(after))
        .slice(0, limit)
        .map((entry) => {
          const { reason = '', ...message } = toMessage(entry);
          const diedAt = entry.dueAt - clock.offsetMs();
          return { ...message, diedAt, reason, cursor: String(entry.deathNumber) };
        }),
    redrive: ({ which, now }) => {
      const chosen = select(which);
      for (const entry of chosen) {
        dead.delete(entry);
        entry.attempts = 0;
        entry.reason = undefined;
        wait(entry, clock.at(now));
      }
      return chosen.length;
    },
    discard: (which) => {
      const chosen = select(which);
      for (const entry of chosen) {
        dead.delete(entry);
        entries.delete(entry.id);
      }
      return chosen.length;
    },
    pause: (group) => void paused.add(group),
    resume: (group) => void paused.delete(group),
    stats: (now) => statsOf(entries.values(), paused, clock.at(now)),
  };
};

const longestMs = Number.MAX_SAFE_INTEGER;

interface Entry {
  readonly id: string;
  readonly group: string;
  payload: string;
  state: StoredMessage['state'];
  attempts: number;
  readonly enqueuedAt: number;
  /** Leased: when the lease ends. Dead: when it died. */
  dueAt: number;
  token?: string | undefined;
  note?: string | undefined;
  reason?: string | undefined;
  deathNumber?: number | undefined;
}

interface Group {
  readonly waiting: DueHeap<Entry>;
  readonly leased: DueHeap<Entry>;
}

const nextWaiting = ({ waiting }: Group) => nextOf(waiting, 'waiting');
const nextLeased = ({ leased }: Group) => nextOf(leased, 'leased');

/** Returns the next entry, past those that the heap still holds under an earlier state or moment. */
const nextOf = (heap: DueHeap<Entry>, state: Entry['state']): Entry | undefined => {
  for (let top = heap.peek(); top; top = heap.peek()) {
    if (top.item.state === state && top.item.dueAt === top.at) return top.item;
    heap.pop();
  }
  return undefined;
};

const statsOf = (entries: Iterable<Entry>, paused: ReadonlySet<string>, now: number): QueueStats => {
  const groups: Record<string, Mutable<GroupStats>> = {};
  const groupStats = (name: string) => (groups[name] ??= { ...noMessages, isPaused: paused.has(name) });
  for (const name of paused) groupStats(name);
  for (const { state, group, dueAt, enqueuedAt } of entries) {
    const stats = groupStats(group);
    stats[state === 'waiting' ? (dueAt <= now ? 'ready' : 'delayed') : state] += 1;
    if (state === 'waiting') stats.oldestAgeMs = Math.max(stats.oldestAgeMs, now - enqueuedAt);
    if (state === 'dead') stats.oldestDeadAgeMs = Math.max(stats.oldestDeadAgeMs, now - dueAt);
  }
  return toQueueStats(Object.entries(groups));
};

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };
