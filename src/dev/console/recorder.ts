import type { EventType, IntegrationEvent } from '../../observability/events.ts';
import type { PhoneCallSummary, Recorded, Recorder } from './records.ts';

export interface RecorderOptions {
  /** The most phone calls; beyond it, the one that has been quiet longest is forgotten. */
  readonly maximumPhoneCalls: number;
  /** The most events of one phone call; beyond it, the first ones are forgotten. */
  readonly maximumEventsPerCall?: number | undefined;
  /** The most characters of all events together, as JSON: bodies of webhooks may be large. @defaultValue 50000000 */
  readonly maximumChars?: number | undefined;
}

/** Keeps the last phone calls and their events in memory. It redacts nothing: what it is given must be clean. */
export const createRecorder = ({
  maximumPhoneCalls,
  maximumEventsPerCall = 300,
  maximumChars = 50_000_000,
}: RecorderOptions): Recorder => {
  // In the order of their last event.
  const calls = new Map<string, PhoneCallRecord>();
  const others: Recorded[] = [];
  const changes: Recorded[] = [];
  const latest: Recorded[] = [];
  const listeners = new Set<(recorded: Recorded) => void>();
  let lastSeq = 0;
  let lastId = 0;
  let chars = 0;

  const forgetQuietest = () => {
    const [quietest] = calls.entries();
    if (!quietest) return;
    const [key, record] = quietest;
    calls.delete(key);
    chars -= record.chars;
  };

  const keepOf = (record: PhoneCallRecord, recorded: Recorded) => {
    const before = record.chars;
    record.chars += charsOf(recorded);
    const forgotten = keep(record.events, recorded, maximumEventsPerCall);
    if (forgotten) record.chars -= charsOf(forgotten);
    chars += record.chars - before;
    while (chars > maximumChars && calls.size > 1) forgetQuietest();
  };

  const recordOf = ({ callId, tenant }: IntegrationEvent): PhoneCallRecord | undefined => {
    if (callId === undefined) return undefined;
    const key = JSON.stringify([tenant ?? null, callId]);
    const known = calls.get(key);
    calls.delete(key);
    lastId += known ? 0 : 1;
    const record = known ?? { id: lastId, callId, tenant, events: [], chars: 0, summary: undefined };
    calls.set(key, record);
    if (calls.size > maximumPhoneCalls) forgetQuietest();
    return record;
  };

  return {
    record: (event) => {
      lastSeq += 1;
      const record = recordOf(event);
      if (record) record.summary = summaryWith(record, event);
      const recorded: Recorded = { seq: lastSeq, event, phoneCall: record?.summary };
      if (record) keepOf(record, recorded);
      else keep(others, recorded, maximumEventsPerCall);
      keep(latest, recorded, maximumLatest);
      if (changesProtection.has(event.type)) keep(changes, recorded, maximumChanges);
      for (const listener of listeners) listener(recorded);
    },
    lastSeq: () => lastSeq,
    phoneCalls: () => [...calls.values()].flatMap(({ summary }) => summary ?? []).toReversed(),
    phoneCall: (id) => {
      const record = [...calls.values()].find((one) => one.id === id);
      return record?.summary && { summary: record.summary, events: record.events };
    },
    others: () => others,
    changes: () => changes.toReversed(),
    since: (seq) => {
      if (seq > lastSeq) return undefined;
      const missed = latest.filter((recorded) => recorded.seq > seq);
      return missed.length === lastSeq - seq ? missed : undefined;
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};

/** The number of events that a disconnected page may have missed. */
const maximumLatest = 1_000;

const maximumChanges = 50;

const changesProtection: ReadonlySet<string> = new Set<EventType>(['circuit', 'rate-limit', 'destination-disabled']);

interface PhoneCallRecord {
  readonly id: number;
  readonly callId: string;
  readonly tenant: string | undefined;
  readonly events: Recorded[];
  /** The characters of its events. */
  chars: number;
  summary: PhoneCallSummary | undefined;
}

/** Adds an event. Returns the one that is forgotten for it. */
const keep = (list: Recorded[], recorded: Recorded, maximum: number): Recorded | undefined => {
  list.push(recorded);
  return list.length > maximum ? list.shift() : undefined;
};

const charsOf = ({ event }: Recorded): number => JSON.stringify(event).length;

const summaryWith = ({ id, callId, tenant, summary }: PhoneCallRecord, event: IntegrationEvent): PhoneCallSummary => {
  const startedAt = startOf(event);
  const before = summary ?? {
    firstAt: startedAt,
    lastAt: event.at,
    events: 0,
    tools: 0,
    requests: 0,
    retries: 0,
    failures: 0,
  };
  return {
    id,
    callId,
    tenant,
    firstAt: Math.min(before.firstAt, startedAt),
    lastAt: Math.max(before.lastAt, event.at),
    events: before.events + 1,
    tools: before.tools + (event.type === 'tool-run' ? 1 : 0),
    requests: before.requests + (event.type === 'attempt' ? 1 : 0),
    retries: before.retries + (event.type === 'attempt' && event.attempt > 1 ? 1 : 0),
    failures: before.failures + (isFailure(event) ? 1 : 0),
  };
};

const startOf = (event: IntegrationEvent): number => event.at - ('durationMs' in event ? event.durationMs : 0);

/** Something that was asked for did not succeed. An attempt that a better one followed is no failure. */
const isFailure = (event: IntegrationEvent): boolean => {
  switch (event.type) {
    case 'call':
      return event.outcome !== 'ok';
    case 'tool-run':
      return event.status === 'failed' || event.status === 'unknown';
    case 'message-dead':
      return true;
    default:
      return false;
  }
};
