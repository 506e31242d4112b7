import { circuitChange, duration, inWords, whyWaited } from './words.js';

/**
 * @typedef {import('../records.ts').Recorded} Recorded
 * @typedef {import('../../../observability/events.ts').IntegrationEvent} IntegrationEvent
 * @typedef {import('../../../observability/events.ts').AttemptEvent} AttemptEvent
 * @typedef {import('../../../observability/events.ts').CallEvent} CallEvent
 * @typedef {import('../../../observability/events.ts').ToolRunEvent} ToolRunEvent
 *
 * @typedef {object} Wait
 * @property {string} reason
 * @property {number} startAt
 * @property {number} endAt
 *
 * @typedef {object} Row one line of the timeline
 * @property {string} key
 * @property {'tool' | 'call' | 'attempt' | 'delivery' | 'webhook' | 'note'} kind
 * @property {number} depth
 * @property {string} title
 * @property {string} result
 * @property {'ok' | 'bad' | 'warn' | 'open' | 'neutral'} state
 * @property {number} startAt
 * @property {number} endAt
 * @property {readonly Wait[]} waits
 * @property {boolean} [failed] what was asked for did not succeed, retries included
 * @property {Deadline} [deadline]
 * @property {IntegrationEvent} [event]
 *
 * @typedef {object} Deadline
 * @property {number} at when the time is over
 * @property {number} budgetMs
 * @property {number} usedMs
 *
 * @typedef {object} Segment what happened under one deadline, or at one time
 * @property {number} startAt
 * @property {number} endAt
 * @property {Deadline | undefined} [deadline]
 * @property {readonly Row[]} rows
 *
 * @typedef {Row & { children: Node[], number?: number }} Node
 */

/**
 * Puts the events of one phone call into rows: a tool call, below it the calls that it made, below each its attempts and
 * waits. An event is emitted when it ends, so the parts come before the whole: what is complete takes its parts from
 * what is still alone. Of two tool calls that ran at the same time, the one that ended first gets what could be of both.
 * @param {readonly Recorded[]} recorded in order
 * @returns {readonly Segment[]}
 */
export const toSegments = (recorded) => {
  /** @type {readonly Node[]} */
  let nodes = [];
  for (const { seq, event } of recorded) {
    const node = toNode(`event-${seq}`, event, nodes);
    if (!node) continue;
    node.children = partsOf(node, nodes);
    nodes = [...nodes.filter((other) => !node.children.includes(other)), node];
  }
  return segmentsOf(nodes.map(underWay).toSorted((a, b) => a.startAt - b.startAt)).map(
    ({ startAt, endAt, deadline, nodes: own }) => ({
      startAt,
      endAt,
      deadline,
      rows: own.flatMap((node) => flatten(node, 0)),
    }),
  );
};

/** @type {(node: Node, depth: number) => Row[]} */
const flatten = ({ children, ...row }, depth) => [
  { ...row, depth },
  ...children.toSorted((a, b) => a.startAt - b.startAt).flatMap((child) => flatten(child, depth + 1)),
];

/** Returns the nodes that a complete node takes from those still alone. @type {(node: Node, alone: readonly Node[]) => Node[]} */
const partsOf = ({ kind, startAt, event }, alone) => {
  if (event?.type === 'call') {
    const own = alone.filter((other) => isAttemptOf(other, event) && other.startAt > startAt - clockSlackMs);
    // Of two equal calls at the same time, each takes one attempt of each number.
    return own.filter(({ number }, index) => own.findIndex((other) => other.number === number) === index);
  }
  // The middle of a node decides whether it came just before or first within.
  return kind === 'tool'
    ? alone.filter((other) => other.kind === 'call' && (other.startAt + other.endAt) / 2 > startAt - 1)
    : [];
};

/** Times of day and durations come from two clocks, which a busy process reads at two moments. */
const clockSlackMs = 250;

/** @type {(node: Node, event: IntegrationEvent) => boolean} */
const isAttemptOf = ({ kind, event: own }, { api, operation, tenant }) =>
  kind === 'attempt' && own?.api === api && own.operation === operation && own.tenant === tenant;

/** An attempt whose call has not ended yet is placed below that call. @type {(node: Node) => Node} */
const underWay = (node) =>
  node.kind === 'attempt' && node.event
    ? {
        ...node,
        key: `open-${node.key}`,
        kind: 'call',
        title: node.event.operation,
        result: 'under way',
        state: 'open',
        waits: [],
        children: [node],
      }
    : node;

/** @type {(key: string, event: IntegrationEvent, before: readonly Node[]) => Node | undefined} */
const toNode = (key, event, before) => {
  const endAt = event.at;
  const startAt = 'durationMs' in event ? endAt - event.durationMs : endAt;
  const base = { key, depth: 0, startAt, endAt, waits: [], children: [], event };
  switch (event.type) {
    case 'attempt':
      return { ...base, ...attemptNode(event, startAt, before.findLast((node) => isAttemptOf(node, event))?.endAt) };
    case 'call':
      return { ...base, ...callNode(event) };
    case 'tool-run':
      return { ...base, ...toolNode(event) };
    case 'delivery': {
      const { outcome, destination, attempt, reason, status } = event;
      const state = outcome === 'delivered' ? 'ok' : outcome === 'dead' ? 'bad' : 'warn';
      const result = [outcome, status, reason && inWords(reason)].filter(Boolean).join(' · ');
      return { ...base, kind: 'delivery', title: `${event.event} → ${destination}, attempt ${attempt}`, result, state };
    }
    case 'webhook-received': {
      const { receiver, outcome, reason, status } = event;
      const state = outcome === 'failed' ? 'bad' : outcome === 'refused' ? 'warn' : 'ok';
      const result = [inWords(outcome), status, reason && inWords(reason)].filter(Boolean).join(' · ');
      return { ...base, kind: 'webhook', title: `${receiver} ← ${event.event ?? 'webhook'}`, result, state };
    }
    default: {
      const note = noteOf(event);
      const failed = event.type === 'message-dead';
      return note && { ...base, kind: 'note', title: note[0], result: note[1], state: note[2], failed };
    }
  }
};

/** @type {(event: AttemptEvent, startAt: number, lastEndAt: number | undefined) => Partial<Node> & Pick<Node, 'kind' | 'title' | 'result' | 'state' | 'waits'>} */
const attemptNode = ({ attempt, status, error, waits, at }, startAt, lastEndAt) => {
  // What was waited for in the line of the rate limit is within the attempt, everything else came before it. An API that
  // asks for a wait may have it either way: the time since the previous attempt decides.
  const hadTime = (/** @type {number} */ ms) => lastEndAt === undefined || startAt - lastEndAt > ms / 2;
  const isBefore = (/** @type {AttemptEvent['waits'][number]} */ { reason, ms }) =>
    reason === 'retry_after' ? hadTime(ms) : reason !== 'rate_limit';
  const before = waits.filter(isBefore);
  const within = waits.filter((wait) => !isBefore(wait));
  const firstAt = startAt - before.reduce((sum, { ms }) => sum + ms, 0);
  const sentAt = Math.min(at, startAt + within.reduce((sum, { ms }) => sum + ms, 0));
  const why = error && (error.networkCode ?? error.reason ?? error.code);
  return {
    kind: 'attempt',
    number: attempt,
    title: `attempt ${attempt}`,
    result: [status, why && inWords(why)].filter(Boolean).join(' · ') || 'ok',
    state: error ? 'bad' : 'ok',
    startAt: sentAt,
    waits: [...oneAfterAnother(before, firstAt), ...oneAfterAnother(within, startAt)],
  };
};

/** @type {(waits: AttemptEvent['waits'], from: number) => Wait[]} */
const oneAfterAnother = (waits, from) => {
  let at = from;
  return waits.map(({ reason, ms }) => {
    at += ms;
    return { reason, startAt: at - ms, endAt: at };
  });
};

/** @type {(event: CallEvent) => Pick<Node, 'kind' | 'title' | 'result' | 'state' | 'failed' | 'deadline'>} */
const callNode = ({ operation, outcome, error, deadlineMs, deadlineLeftMs, durationMs, at }) => {
  const leftMs = deadlineLeftMs ?? Math.max(0, deadlineMs - durationMs);
  const why = error && [error.code, error.reason].filter(Boolean).join('/');
  const result = outcome === 'ok' ? 'ok' : [inWords(outcome), why && inWords(why)].join(' · ');
  return {
    kind: 'call',
    title: operation,
    result,
    state: outcome === 'ok' ? 'ok' : error?.code === 'aborted' ? 'neutral' : 'bad',
    failed: outcome !== 'ok',
    deadline: { at: at + leftMs, budgetMs: deadlineMs, usedMs: deadlineMs - leftMs },
  };
};

/** @type {(event: ToolRunEvent) => Pick<Node, 'kind' | 'title' | 'result' | 'state' | 'failed'>} */
const toolNode = ({ tool, status, reason, fields = [], replayed }) => ({
  kind: 'tool',
  title: tool,
  failed: status === 'failed' || status === 'unknown',
  result: [status, reason && inWords(reason), fields.join(', '), replayed && 'same result as before']
    .filter(Boolean)
    .join(' · '),
  state: status === 'done' ? 'ok' : status === 'refused' ? 'warn' : status === 'cancelled' ? 'neutral' : 'bad',
});

/** Returns the line of an event that is no work of its own. @type {(event: IntegrationEvent) => readonly [string, string, Node['state']] | undefined} */
const noteOf = (event) => {
  switch (event.type) {
    case 'circuit':
      return [`circuit breaker of ${event.operation}`, circuitChange(event), event.to === 'open' ? 'bad' : 'neutral'];
    case 'rate-limit':
      return [`rate limit of ${event.api}`, `paused for ${duration(event.pausedForMs)}`, 'warn'];
    case 'version-warning':
      return [`version of ${event.operation}`, `pinned ${event.pinned}`, 'warn'];
    case 'schema-drift':
      return [`answer of ${event.operation}`, `without ${event.fields.join(', ')}`, 'warn'];
    case 'settled-late':
      return [`${event.operation} answered late`, inWords(event.outcome), event.outcome === 'ok' ? 'ok' : 'bad'];
    case 'credential-renewed':
      return [`credential of ${event.api}`, `renewed: ${event.because}`, 'neutral'];
    case 'credential-renewal-failed':
      return [`credential of ${event.api}`, inWords(event.reason), 'bad'];
    case 'message-published':
      return [`${event.event} stored`, `for ${event.destination}`, 'ok'];
    case 'message-dead':
      return [`${event.event} is a dead letter`, inWords(event.reason), 'bad'];
    case 'destination-disabled':
      return [`${event.destination} was disabled`, inWords(event.reason), 'bad'];
    default:
      return undefined;
  }
};

/** @param {Wait} wait */
export const describeWait = ({ reason, startAt, endAt }) =>
  `waited ${duration(endAt - startAt)}: ${whyWaited[reason] ?? inWords(reason)}`;

/** Times of day come in whole milliseconds. */
const roundingMs = 3;

/** So long nothing happens between two exchanges of a conversation. */
const pauseMs = 700;

/** Equal deadlines differ by the time it took to emit them. */
const sameDeadlineMs = 25;

/** @typedef {{ startAt: number, endAt: number, deadline: Deadline | undefined, nodes: Node[] }} Group */

/**
 * Breaks where nothing happened for a while, and where another deadline begins after everything before has ended.
 * @type {(nodes: readonly Node[]) => Group[]}
 */
const segmentsOf = (nodes) => {
  /** @type {Group[]} */
  const groups = [];
  for (const node of nodes) {
    const startAt = firstOf(node);
    const deadline = deadlineOf(node);
    const group = groups.at(-1);
    const isOther =
      group?.deadline &&
      deadline &&
      Math.abs(group.deadline.at - deadline.at) > sameDeadlineMs &&
      startAt >= group.endAt - roundingMs;
    if (!group || isOther || startAt - group.endAt > pauseMs) {
      groups.push({ startAt, endAt: node.endAt, deadline, nodes: [node] });
      continue;
    }
    group.nodes.push(node);
    group.startAt = Math.min(group.startAt, startAt);
    group.endAt = Math.max(group.endAt, node.endAt);
    group.deadline = laterUse(group.deadline, deadline);
  }
  return groups;
};

/** @type {(node: Node) => number} */
const firstOf = ({ startAt, waits, children }) =>
  Math.min(startAt, ...waits.map((wait) => wait.startAt), ...children.map(firstOf));

/** @type {(node: Node) => Deadline | undefined} */
const deadlineOf = ({ deadline, children }) =>
  children.reduce((latest, child) => laterUse(latest, deadlineOf(child)), deadline);

/** @type {(one: Deadline | undefined, other: Deadline | undefined) => Deadline | undefined} */
const laterUse = (one, other) => {
  if (!one || !other) return one ?? other;
  return other.usedMs > one.usedMs ? other : one;
};
