import type { GroupStats, Page, QueueStats, Selection } from '../ports/message-queue.ts';
import { createDueHeap, type DueHeap } from './due-heap.ts';
import { type MessageCounts, noMessages } from './message-counts.ts';
import {
  defaultPageLimit,
  type LeaseRequest,
  type LeasedMessage,
  type MessageLedger,
  type NewMessage,
  type Settlement,
  type WrittenMessage,
} from './message-ledger.ts';

/** Keeps the book in maps; `maximumKept` bounds the ids of what is done. */
export const createMemoryLedger = ({ maximumKept }: { readonly maximumKept: number }): MessageLedger => {
  const entries = new Map<string, Entry>();
  const groups = new Map<string, Group>();
  /** The ids of what is done or discarded, the first one first. */
  const kept = new Set<string>();
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
    delete entry.token;
    groupOf(entry.group).waiting.push(dueAt, entry);
  };

  const die = (entry: Entry, now: number, reason: string) => {
    deaths += 1;
    Object.assign(entry, { state: 'dead', dueAt: now, reason, deathNumber: deaths });
    delete entry.token;
    dead.add(entry);
  };

  const keep = (entry: Entry, state: 'done' | 'discarded', until: number) => {
    Object.assign(entry, { state, dueAt: until, payload: 'null' });
    delete entry.token;
    delete entry.note;
    kept.add(entry.id);
    if (kept.size > maximumKept) for (const id of kept) return forget(id);
  };

  const forget = (id: string) => {
    kept.delete(id);
    entries.delete(id);
  };

  const find = (id: string, now: number): Entry | undefined => {
    const entry = entries.get(id);
    if (!entry || !kept.has(id) || entry.dueAt > now) return entry;
    forget(id);
    return undefined;
  };

  const enqueueOne = ({ id, group, payload, dueAt }: NewMessage, now: number) => {
    if (find(id, now)) return;
    const entry: Entry = { id, group, payload, state: 'waiting', attempts: 0, enqueuedAt: now, dueAt };
    entries.set(id, entry);
    wait(entry, dueAt);
  };

  const endLeases = (group: Group, now: number) => {
    for (let next = nextLeased(group); next && next.dueAt <= now; next = nextLeased(group)) {
      group.leased.pop();
      wait(next, next.dueAt);
    }
  };

  const take = (entry: Entry, { token, leaseUntil }: LeaseRequest): LeasedMessage => {
    entry.state = 'leased';
    entry.token = token;
    entry.dueAt = leaseUntil;
    const { id, group, payload, attempts, enqueuedAt } = entry;
    groupOf(group).leased.push(leaseUntil, entry);
    return { id, group, payload, attempt: attempts + 1, enqueuedAt };
  };

  const lease = (request: LeaseRequest) => {
    const { now, limit } = request;
    const messages: LeasedMessage[] = [];
    let nextAt = Number.POSITIVE_INFINITY;
    for (const [name, groupLimit] of request.groups) {
      const group = groups.get(name);
      if (!group) continue;
      endLeases(group, now);
      if (paused.has(name)) continue;
      const until = Math.min(limit, messages.length + groupLimit);
      let next = nextWaiting(group);
      for (; next && next.dueAt <= now && messages.length < until; next = nextWaiting(group)) {
        group.waiting.pop();
        messages.push(take(next, request));
      }
      if (!next || next.dueAt > now) {
        nextAt = Math.min(nextAt, next?.dueAt ?? nextAt, nextLeased(group)?.dueAt ?? nextAt);
      }
    }
    return Number.isFinite(nextAt) ? { messages, nextAt } : { messages };
  };

  const holder = (id: string, token: string): Entry | undefined => {
    const entry = entries.get(id);
    return entry?.state === 'leased' && entry.token === token ? entry : undefined;
  };

  const settle = (settlement: Settlement): boolean => {
    const entry = holder(settlement.id, settlement.token);
    if (!entry) return false;
    if (settlement.to !== 'waiting' || !settlement.uncounted) entry.attempts += 1;
    if (settlement.to === 'done') {
      keep(entry, 'done', settlement.keepUntil);
      return true;
    }
    delete entry.note;
    if (settlement.note !== undefined) entry.note = settlement.note;
    if (settlement.to === 'dead') die(entry, settlement.now, settlement.reason);
    else wait(entry, settlement.dueAt);
    return true;
  };

  const select = (which: Selection): readonly Entry[] => {
    if (!('ids' in which)) {
      return [...dead].filter(
        ({ dueAt, group }) => dueAt >= which.since && (which.group === undefined || which.group === group),
      );
    }
    return [...new Set(which.ids)].flatMap((id) => {
      const entry = entries.get(id);
      return entry?.state === 'dead' ? [entry] : [];
    });
  };

  return {
    enqueue: ({ messages, now }) => messages.forEach((message) => enqueueOne(message, now)),
    lease,
    settle,
    get: ({ id, now }) => {
      const entry = find(id, now);
      return entry && toMessage(entry);
    },
    deadLetters: ({ group, after, limit = defaultPageLimit }: Page) =>
      [...dead]
        .filter((entry) => group === undefined || entry.group === group)
        .filter((entry) => after === undefined || (entry.deathNumber ?? 0) > Number(after))
        .slice(0, limit)
        .map(({ dueAt: diedAt, reason = '', deathNumber, ...entry }) => {
          const { id, group, payload, attempts, enqueuedAt, note } = entry;
          const rest = note === undefined ? {} : { note };
          return { id, group, payload, attempts, enqueuedAt, diedAt, reason, cursor: String(deathNumber), ...rest };
        }),
    redrive: ({ which, now }) => {
      const chosen = select(which);
      for (const entry of chosen) {
        dead.delete(entry);
        entry.attempts = 0;
        delete entry.reason;
        wait(entry, now);
      }
      return chosen.length;
    },
    discard: ({ which, reason, keepUntil }) => {
      const chosen = select(which);
      for (const entry of chosen) {
        dead.delete(entry);
        entry.reason = reason;
        keep(entry, 'discarded', keepUntil);
      }
      return chosen.length;
    },
    pause: (group) => void paused.add(group),
    resume: (group) => void paused.delete(group),
    stats: (now) => statsOf(entries.values(), paused, now),
  };
};

interface Entry {
  readonly id: string;
  readonly group: string;
  payload: string;
  state: WrittenMessage['state'];
  attempts: number;
  readonly enqueuedAt: number;
  /** Leased: when the lease ends. Dead: when it died. Done or discarded: until when its id is kept. */
  dueAt: number;
  token?: string;
  note?: string;
  reason?: string;
  deathNumber?: number;
}

interface Group {
  readonly waiting: DueHeap<Entry>;
  readonly leased: DueHeap<Entry>;
}

const nextWaiting = ({ waiting }: Group) => nextOf(waiting, 'waiting');
const nextLeased = ({ leased }: Group) => nextOf(leased, 'leased');

/** What the heap still holds of another state, or for another moment, has moved on. */
const nextOf = (heap: DueHeap<Entry>, state: Entry['state']): Entry | undefined => {
  for (let top = heap.peek(); top; top = heap.peek()) {
    if (top.item.state === state && top.item.dueAt === top.at) return top.item;
    heap.pop();
  }
  return undefined;
};

const toMessage = ({ id, group, state, payload, attempts, enqueuedAt, note, reason }: Entry): WrittenMessage => ({
  id,
  group,
  state,
  payload,
  attempts,
  enqueuedAt,
  ...(note === undefined ? undefined : { note }),
  ...(reason === undefined ? undefined : { reason }),
});

const statsOf = (entries: Iterable<Entry>, paused: ReadonlySet<string>, now: number): QueueStats => {
  const groups: Record<string, Mutable<GroupStats>> = {};
  const all = emptyStats();
  const groupStats = (name: string) => (groups[name] ??= { ...emptyStats(), isPaused: paused.has(name) });
  for (const name of paused) groupStats(name);
  for (const { state, group, dueAt, enqueuedAt } of entries) {
    if (state === 'discarded') continue;
    const field = state === 'waiting' ? (dueAt <= now ? 'ready' : 'delayed') : state;
    for (const stats of [all, groupStats(group)]) {
      stats[field] += 1;
      if (state === 'waiting') stats.oldestAgeMs = Math.max(stats.oldestAgeMs, now - enqueuedAt);
      if (state === 'dead') stats.oldestDeadAgeMs = Math.max(stats.oldestDeadAgeMs, now - dueAt);
    }
  }
  return { ...all, groups };
};

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

const emptyStats = (): Mutable<MessageCounts> => ({ ...noMessages });
