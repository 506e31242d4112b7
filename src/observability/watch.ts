import { type Clock, setQuietTimer, systemClock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import type { OnEvent } from './events.ts';
import { createRecent, type Recent } from './recent.ts';
import { type EndpointResult, resultOf } from './result-of.ts';
import { quietly } from './quietly.ts';

/** When somebody should look. Give at least one of the limits. */
export interface WatchLimits {
  /** From 0 to 1, such as 0.95: of one endpoint within the window. */
  readonly successRateBelow?: number;
  /** Of one endpoint within the window. */
  readonly p95AboveMs?: number;
  /** Of one destination, in all `outboxes` together; needs these. */
  readonly deadLettersAbove?: number;
  /** Whose dead letters are counted, every `checkEveryMs`. */
  readonly outboxes?: readonly WatchedOutbox[];
  /** How far back calls count. @defaultValue 300000 */
  readonly windowMs?: number;
  /** With fewer calls of an endpoint within the window nothing is said about it. @defaultValue 20 */
  readonly minimumVolume?: number;
  /**
   * How far a value must come back behind its limit until it is well again, as a share of the limit (of failures, for the
   * success rate), so that it does not go to and fro. @defaultValue 0.2
   */
  readonly margin?: number;
  /** Also the time after which an endpoint is judged again that nobody uses. @defaultValue 15000 */
  readonly checkEveryMs?: number;
  /** Endpoints that are watched at once; those that are used come first. @defaultValue 200 */
  readonly maximumEndpoints?: number;
  readonly clock?: Clock;
}

/** What is read of an outbox: of each destination, its dead letters. */
export interface WatchedOutbox {
  status(): Promise<Readonly<Record<string, { readonly dead: number }>>>;
}

/** Told once when a limit is crossed, and once when all is well again. */
export interface WatchAlert {
  readonly type: 'success-rate' | 'p95' | 'dead-letters';
  readonly state: 'raised' | 'recovered';
  /** Such as `call:billing.payments.create`, `delivery:crm`, `webhook:payments`; `outbox:crm` for dead letters. */
  readonly about: string;
  /** What was measured: a share from 0 to 1, milliseconds, or a number of dead letters. */
  readonly value: number;
  /** What it was held against, in the same unit. */
  readonly limit: number;
  /** Calls within the window, or dead letters. */
  readonly volume: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Limits that are being watched. `close`, or `using`, ends it. */
export interface Watch extends Disposable {
  /** Give it to clients, toolboxes, receivers and outboxes. */
  readonly onEvent: OnEvent;
  /** What is raised right now. */
  raised(): readonly WatchAlert[];
  close(): void;
}

/**
 * Watches endpoints and dead letters without any other system, and says when somebody should look: once when a limit is
 * crossed, once when it is well again. An alert about an endpoint ends when enough calls show that it works, or when the
 * window is empty. What `onAlert` throws is ignored. Throws `InvalidArgumentError` for limits that cannot work.
 *
 * @example
 * using watching = watch({ successRateBelow: 0.95, p95AboveMs: 2000 }, (alert) => pager.send(alert));
 * const integration = createIntegration({ billing, onEvent: [logTo(logger), watching.onEvent] });
 */
export const watch = (limits: WatchLimits, onAlert: (alert: WatchAlert) => void): Watch => {
  const { successRateBelow, p95AboveMs, deadLettersAbove, outboxes = [] } = limits;
  const { windowMs = 300_000, minimumVolume = 20, margin = 0.2, checkEveryMs = 15_000 } = limits;
  const { maximumEndpoints = 200, clock = systemClock } = limits;
  assertLimits(limits);
  const endpoints = new Map<string, Recent>();
  const deadLetters = new Map<WatchedOutbox, OutboxReading>();
  const unanswered = new Set<WatchedOutbox>();
  const raised = new Map<string, WatchAlert>();
  let isClosed = false;

  const judge = ({ type, about, value, limit, volume, isBad, isWell }: Judgement) => {
    const key = `${type} ${about}`;
    const state = isBad && !raised.has(key) ? 'raised' : isWell && raised.has(key) ? 'recovered' : undefined;
    if (!state) return;
    const alert: WatchAlert = { type, state, about, value, limit, volume, at: clock.wallNow() };
    if (state === 'raised') raised.set(key, alert);
    else raised.delete(key);
    quietly(() => onAlert(alert));
  };

  const judgeEndpoint = (about: string, recent: Recent, now: number) => {
    const { volume, successRate } = recent.read(now);
    const isEnough = volume >= minimumVolume;
    const isEmpty = volume === 0;
    if (successRateBelow !== undefined)
      judge({
        type: 'success-rate',
        about,
        value: successRate,
        limit: successRateBelow,
        volume,
        isBad: isEnough && successRate < successRateBelow,
        isWell: isEmpty || (isEnough && 1 - successRate <= (1 - successRateBelow) * (1 - margin)),
      });
    if (p95AboveMs !== undefined && (isEmpty || recent.isDue(now))) {
      const p95Ms = recent.p95Ms(now);
      judge({
        type: 'p95',
        about,
        value: p95Ms,
        limit: p95AboveMs,
        volume,
        isBad: isEnough && p95Ms > p95AboveMs,
        isWell: isEmpty || (isEnough && p95Ms <= p95AboveMs * (1 - margin)),
      });
    }
    if (isEmpty) endpoints.delete(about);
  };

  const judgeDeadLetters = (limit: number) => {
    for (const [destination, dead] of sumOfDead(deadLetters.values()))
      judge({
        type: 'dead-letters',
        about: `outbox:${destination}`,
        value: dead,
        limit,
        volume: dead,
        isBad: dead > limit,
        isWell: dead <= Math.floor(limit * (1 - margin)),
      });
  };

  // A queue that cannot be read says so itself; until it can be, what it held last counts.
  const readDeadLetters = async (outbox: WatchedOutbox, limit: number) => {
    if (unanswered.has(outbox)) return;
    unanswered.add(outbox);
    try {
      deadLetters.set(outbox, await outbox.status());
      if (!isClosed) judgeDeadLetters(limit);
    } catch {
    } finally {
      unanswered.delete(outbox);
    }
  };

  const recentOf = (about: string): Recent | undefined => {
    const known = endpoints.get(about);
    if (known || endpoints.size >= maximumEndpoints) return known;
    const recent = createRecent(windowMs);
    endpoints.set(about, recent);
    return recent;
  };

  let cancel = () => {};
  const checkLater = () => {
    const check = () => {
      for (const [about, recent] of endpoints) judgeEndpoint(about, recent, clock.now());
      if (deadLettersAbove !== undefined) for (const outbox of outboxes) void readDeadLetters(outbox, deadLettersAbove);
      checkLater();
    };
    cancel = setQuietTimer(clock, check, checkEveryMs);
  };
  checkLater();

  const close = () => {
    isClosed = true;
    cancel();
  };

  return {
    onEvent: (event) => {
      const ended = resultOf(event);
      if (isClosed || !ended || ended.result === 'neutral') return;
      const about = aboutOf(ended);
      const recent = recentOf(about);
      if (!recent) return;
      const now = clock.now();
      recent.add(now, { isOk: ended.result === 'ok', ms: ended.durationMs });
      judgeEndpoint(about, recent, now);
    },
    raised: () => [...raised.values()],
    close,
    [Symbol.dispose]: close,
  };
};

interface Judgement extends Omit<WatchAlert, 'state' | 'at'> {
  readonly isBad: boolean;
  readonly isWell: boolean;
}

type OutboxReading = Awaited<ReturnType<WatchedOutbox['status']>>;

const sumOfDead = (readings: Iterable<OutboxReading>): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>();
  for (const reading of readings)
    for (const [destination, { dead }] of Object.entries(reading))
      sums.set(destination, (sums.get(destination) ?? 0) + dead);
  return sums;
};

const aboutOf = ({ kind, endpoint }: EndpointResult): string => `${kind}:${endpoint}`;

const assertLimits = ({ successRateBelow, p95AboveMs, deadLettersAbove, outboxes, ...rest }: WatchLimits): void => {
  if (successRateBelow === undefined && p95AboveMs === undefined && deadLettersAbove === undefined)
    throw new InvalidArgumentError(
      'limits',
      'must have at least one of successRateBelow, p95AboveMs and deadLettersAbove',
    );
  if (successRateBelow !== undefined && !(successRateBelow > 0 && successRateBelow <= 1))
    throw new InvalidArgumentError('successRateBelow', 'must be above 0 and at most 1');
  if (deadLettersAbove !== undefined && !outboxes?.length)
    throw new InvalidArgumentError('outboxes', 'must be given for deadLettersAbove');
  if (rest.margin !== undefined && !(rest.margin >= 0 && rest.margin < 1))
    throw new InvalidArgumentError('margin', 'must be from 0 up to 1');
  const positive = { p95AboveMs, ...pick(rest) };
  for (const [name, value] of Object.entries(positive))
    if (value !== undefined && !(value > 0)) throw new InvalidArgumentError(name, 'must be above 0');
};

const pick = ({ windowMs, minimumVolume, checkEveryMs, maximumEndpoints }: WatchLimits) => ({
  windowMs,
  minimumVolume,
  checkEveryMs,
  maximumEndpoints,
});
