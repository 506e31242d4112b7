import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { DeadLetter, GroupStats, Selection, StoredMessage } from '../ports/message-queue.ts';
import {
  attemptsExhausted,
  defaultPageLimit,
  type LeasedMessage,
  type LeaseRequest,
  type MessageLedger,
  noMessages,
  parseStored,
  type Settlement,
  toQueueStats,
} from '../message-ledger.ts';
import { createSteadyClock } from '../steady-clock.ts';
import { type Database, makeTables } from './database.ts';

/** Keeps messages in a table. The caller puts a transaction around each method. */
export const createMessageTables = (database: Database): MessageLedger => {
  makeTables(database, 'messages', schema);
  const sql = prepareAll(database.sql);
  const clock = createSteadyClock({
    read: () => Number(sql.offset.get()?.ms ?? 0),
    write: (ms) => void sql.setOffset.run(ms),
    latest: () => Number(sql.latest.get()?.at ?? Number.NEGATIVE_INFINITY),
  });

  const endLeases = (group: string, now: number, maximumAttempts: number) => {
    if (sql.anyLeaseOver.get(group, now) === undefined) return;
    // What was leased alone when its process died did it itself.
    sql.exhausted.run(now, attemptsExhausted, group, now, maximumAttempts);
    sql.leaseOver.run(group, now);
  };

  const lease: MessageLedger['lease'] = ({ groups, token, leaseMs, maximumAttempts, ...request }: LeaseRequest) => {
    const now = clock.at(request.now);
    const leaseUntil = now + leaseMs;
    const offsetMs = clock.offsetMs();
    const messages: LeasedMessage[] = [];
    const paused = new Set(sql.paused.all().map(({ name }) => name));
    let nextAt = Number.POSITIVE_INFINITY;
    sql.forget.run(now);
    for (const [group, groupLimit] of groups) {
      endLeases(group, now, maximumAttempts);
      if (paused.has(group)) continue;
      // One suspect at a time, of all groups and processes: the next crash shows which one it is.
      const suspects = sql.leasedSuspect.get() ? [] : sql.leaseSuspect.all(token, leaseUntil, group, now);
      const wanted = groupLimit - suspects.length;
      const rows = wanted > 0 ? sql.lease.all(token, leaseUntil, group, now, wanted) : [];
      for (const row of [...suspects, ...rows]) messages.push(toLeased(row, group, offsetMs));
      if (rows.length < wanted) {
        const next = sql.nextAt.get(group, now, group)?.at;
        if (typeof next === 'number') nextAt = Math.min(nextAt, next);
      }
    }
    return { messages, nextInMs: Number.isFinite(nextAt) ? nextAt - now : undefined };
  };

  const settle = (settlement: Settlement): boolean => {
    const { id, token } = settlement;
    const now = clock.at(settlement.now);
    switch (settlement.to) {
      case 'done':
        return sql.done.run(now + settlement.keepMs, id, token).changes === 1;
      case 'waiting': {
        const { delayMs, note = null, uncounted } = settlement;
        return sql.again.run(now + delayMs, uncounted ? 1 : 0, note, id, token).changes === 1;
      }
      case 'dead':
        return sql.die.run(now, settlement.reason, settlement.note ?? null, id, token).changes === 1;
    }
  };

  const change = (which: Selection, byIds: StatementSync, since: StatementSync, ...first: readonly number[]) => {
    const { changes } =
      'ids' in which
        ? byIds.run(...first, JSON.stringify(which.ids))
        : since.run(...first, which.since + clock.offsetMs(), which.group ?? null);
    return Number(changes);
  };

  return {
    enqueue: ({ messages, ...request }) => {
      const now = clock.at(request.now);
      for (const { id, group, payload, delayMs } of messages)
        sql.enqueue.run(id, group, now + delayMs, now, payload, now);
    },
    lease,
    settle,
    get: (id) => {
      const row = sql.get.get(id);
      return row && toMessage(row, clock.offsetMs());
    },
    deadLetters: ({ group, after, limit = defaultPageLimit }) => {
      const [diedAt, seq] = parseCursor(after);
      const offsetMs = clock.offsetMs();
      return sql.deadLetters.all(group ?? null, diedAt, seq, limit).map((row) => toDeadLetter(row, offsetMs));
    },
    redrive: ({ which, now }) => change(which, sql.redriveIds, sql.redriveSince, clock.at(now)),
    discard: (which) => change(which, sql.discardIds, sql.discardSince),
    pause: (group) => void sql.pause.run(group),
    resume: (group) => void sql.resume.run(group),
    stats: (machineNow) => {
      const now = clock.at(machineNow);
      const paused = sql.paused.all().map(({ name }) => [String(name), { ...noMessages, isPaused: true }] as const);
      const parts = sql.stats.all(now, now).map((row) => [String(row.group_name), statsOf(row, now)] as const);
      return toQueueStats([...paused, ...parts]);
    },
  };
};

/**
 * `state` is 0 for waiting, 1 for leased, 2 for done, 3 for dead. `at` is when it may change by itself: waiting, when it is
 * due; leased, when the lease ends; done, when the id is forgotten. Of a dead letter it is when it died. Each row is in only
 * one of the small indexes. A suspect was leased when its process died or froze: only its attempts are counted at the
 * lease, since only it is leased alone.
 */
const schema = `
  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    group_name TEXT NOT NULL,
    state INTEGER NOT NULL DEFAULT 0,
    at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    enqueued_at INTEGER NOT NULL,
    token TEXT,
    reason TEXT,
    note TEXT,
    payload TEXT NOT NULL,
    suspect INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX messages_waiting ON messages (group_name, at, enqueued_at) WHERE state = 0;
  CREATE INDEX messages_leased ON messages (group_name, at) WHERE state = 1;
  CREATE INDEX messages_kept ON messages (at) WHERE state = 2;
  CREATE INDEX messages_dead ON messages (at, seq) WHERE state = 3;
  CREATE INDEX messages_suspect ON messages (group_name, attempts, at) WHERE suspect = 1;
  CREATE TABLE paused_groups (name TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE message_clock (offset_ms INTEGER NOT NULL);
  INSERT INTO message_clock VALUES (0);
`;

/** The most ids that a lease cleans up, so that it never waits for long. */
const forgottenAtOnce = 200;

const prepareAll = (database: DatabaseSync) => ({
  // An id that is to be forgotten by now, and is not yet, makes place.
  enqueue: database.prepare(`
    INSERT INTO messages (id, group_name, at, enqueued_at, payload) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET group_name = excluded.group_name, at = excluded.at,
      enqueued_at = excluded.enqueued_at, payload = excluded.payload, state = 0, attempts = 0, suspect = 0,
      reason = NULL, note = NULL
    WHERE state = 2 AND messages.at <= ?`),
  forget: database.prepare(`
    DELETE FROM messages WHERE seq IN
      (SELECT seq FROM messages WHERE state = 2 AND at <= ? ORDER BY at LIMIT ${forgottenAtOnce})`),
  anyLeaseOver: database.prepare('SELECT 1 FROM messages WHERE state = 1 AND group_name = ? AND at <= ? LIMIT 1'),
  exhausted: database.prepare(`
    UPDATE messages SET state = 3, at = ?, suspect = 0, reason = ?, token = NULL
    WHERE state = 1 AND group_name = ? AND at <= ? AND suspect = 1 AND attempts >= ?`),
  leaseOver: database.prepare(`
    UPDATE messages SET state = 0, suspect = 1, token = NULL WHERE state = 1 AND group_name = ? AND at <= ?`),
  leasedSuspect: database.prepare('SELECT 1 FROM messages WHERE suspect = 1 AND state = 1 LIMIT 1'),
  // The one that was tried least: what kills its process comes last.
  leaseSuspect: database.prepare(`
    UPDATE messages SET state = 1, attempts = attempts + 1, token = ?, at = ? WHERE seq IN
      (SELECT seq FROM messages WHERE suspect = 1 AND state = 0 AND group_name = ? AND at <= ? ORDER BY attempts, at LIMIT 1)
    RETURNING id, payload, attempts AS attempt, enqueued_at`),
  lease: database.prepare(`
    UPDATE messages SET state = 1, token = ?, at = ? WHERE seq IN
      (SELECT seq FROM messages WHERE state = 0 AND suspect = 0 AND group_name = ? AND at <= ? ORDER BY at LIMIT ?)
    RETURNING id, payload, attempts + 1 AS attempt, enqueued_at`),
  // A suspect that is due waits for the end of another one, not for a time.
  nextAt: database.prepare(`
    SELECT min(at) AS at FROM (
      SELECT min(at) AS at FROM messages WHERE state = 0 AND group_name = ? AND (suspect = 0 OR at > ?)
      UNION ALL SELECT min(at) FROM messages WHERE state = 1 AND group_name = ?)`),
  done: database.prepare(`
    UPDATE messages SET state = 2, at = ?, suspect = 0, payload = 'null', note = NULL, token = NULL
    WHERE id = ? AND token = ? AND state = 1`),
  again: database.prepare(`
    UPDATE messages SET state = 0, at = ?1, attempts = attempts + 1 - suspect - ?2, suspect = suspect * ?2, note = ?3,
      token = NULL
    WHERE id = ?4 AND token = ?5 AND state = 1`),
  die: database.prepare(`
    UPDATE messages SET state = 3, at = ?, attempts = attempts + 1 - suspect, suspect = 0, reason = ?, note = ?,
      token = NULL
    WHERE id = ? AND token = ? AND state = 1`),
  get: database.prepare('SELECT * FROM messages WHERE id = ? AND state <> 2'),
  deadLetters: database.prepare(`
    SELECT * FROM messages WHERE state = 3 AND group_name = coalesce(?, group_name) AND (at, seq) > (?, ?)
    ORDER BY at, seq LIMIT ?`),
  redriveIds: database.prepare(`
    UPDATE messages SET state = 0, at = ?, attempts = 0, reason = NULL
    WHERE state = 3 AND id IN (SELECT value FROM json_each(?))`),
  redriveSince: database.prepare(`
    UPDATE messages SET state = 0, at = ?, attempts = 0, reason = NULL
    WHERE state = 3 AND at >= ? AND group_name = coalesce(?, group_name)`),
  discardIds: database.prepare('DELETE FROM messages WHERE state = 3 AND id IN (SELECT value FROM json_each(?))'),
  discardSince: database.prepare(`
    DELETE FROM messages WHERE state = 3 AND at >= ? AND group_name = coalesce(?, group_name)`),
  pause: database.prepare('INSERT INTO paused_groups (name) VALUES (?) ON CONFLICT DO NOTHING'),
  resume: database.prepare('DELETE FROM paused_groups WHERE name = ?'),
  paused: database.prepare('SELECT name FROM paused_groups'),
  stats: database.prepare(`
    SELECT group_name, count(*) FILTER (WHERE at <= ?) AS ready, count(*) FILTER (WHERE at > ?) AS delayed,
      0 AS leased, 0 AS dead, min(enqueued_at) AS oldest, NULL AS oldest_dead
      FROM messages WHERE state = 0 GROUP BY group_name
    UNION ALL SELECT group_name, 0, 0, count(*), 0, NULL, NULL FROM messages WHERE state = 1 GROUP BY group_name
    UNION ALL SELECT group_name, 0, 0, 0, count(*), NULL, min(at) FROM messages WHERE state = 3 GROUP BY group_name`),
  offset: database.prepare('SELECT offset_ms AS ms FROM message_clock'),
  setOffset: database.prepare('UPDATE message_clock SET offset_ms = ?'),
  latest: database.prepare('SELECT max(enqueued_at) AS at FROM messages WHERE state = 0'),
});

type Row = Readonly<Record<string, SQLOutputValue>>;

const toLeased = (row: Row, group: string, offsetMs: number): LeasedMessage => ({
  id: String(row.id),
  group,
  payload: parseStored(String(row.payload)),
  attempt: Number(row.attempt),
  enqueuedAt: Number(row.enqueued_at) - offsetMs,
});

const toMessage = (row: Row, offsetMs: number): StoredMessage => ({
  id: String(row.id),
  group: String(row.group_name),
  state: row.state === 0 ? 'waiting' : row.state === 1 ? 'leased' : 'dead',
  payload: parseStored(String(row.payload)),
  attempts: Number(row.attempts),
  enqueuedAt: Number(row.enqueued_at) - offsetMs,
  note: row.note === null ? undefined : parseStored(String(row.note)),
  reason: row.reason === null ? undefined : String(row.reason),
});

const toDeadLetter = (row: Row, offsetMs: number): DeadLetter => {
  const { state: _state, reason = '', ...message } = toMessage(row, offsetMs);
  return { ...message, diedAt: Number(row.at) - offsetMs, reason, cursor: `${Number(row.at)}:${Number(row.seq)}` };
};

const parseCursor = (after = ''): [diedAt: number, seq: number] => {
  const [diedAt = '', seq = ''] = after.split(':');
  return [Number(diedAt) || 0, Number(seq) || 0];
};

const statsOf = (row: Row, now: number): GroupStats => ({
  ready: Number(row.ready),
  delayed: Number(row.delayed),
  leased: Number(row.leased),
  dead: Number(row.dead),
  oldestAgeMs: ageOf(row.oldest, now),
  oldestDeadAgeMs: ageOf(row.oldest_dead, now),
  isPaused: false,
});

/** Returns the age of what began at this moment; `null` is nothing. */
const ageOf = (since: SQLOutputValue | undefined, now: number): number =>
  since === null ? 0 : Math.max(0, now - Number(since));
