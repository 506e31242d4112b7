import type { Clock } from '../clock.ts';
import { isSubscribed, publish } from './channels.ts';
import type { EventListeners, EventType, IntegrationEvent, OnEvent, Untold } from './events.ts';
import { quietly } from './quietly.ts';
import { createRedactor, type Redact, type Redactor } from './redactor.ts';
import { type Begun, isTracer, joinSpans, type Span, type TraceCarrier, type Tracer } from './tracer.ts';

/** Tells one event to whoever listens; it ends the span of what it tells of. */
export interface Telling {
  (event: Untold, span?: Span): void;
  /** Whether anybody listens: asked before an event that costs something to make. */
  readonly isHeard: (type: EventType) => boolean;
  /**
   * Lets the tracers among the listeners follow something from its beginning; `from` is the trace that somebody else sent
   * along. `undefined` when there are none.
   */
  readonly begin: (begun: Begun, from?: TraceCarrier) => Span | undefined;
}

export interface Tell extends Telling {
  /** Ends spans and tells nobody else: for what is a part of something that everybody is told of. */
  readonly toTracers: Telling;
  /** From now on these are masked in every event, wherever they appear. */
  readonly hide: (secrets: readonly string[]) => void;
  /** Tells the same listeners of another tenant. */
  readonly ofTenant: (tenant: string | undefined) => Tell;
}

export interface TellerOptions {
  readonly api: string;
  readonly tenant?: string | undefined;
  readonly clock: Clock;
  readonly redact?: Redact | undefined;
}

/**
 * Completes events with their time, API and tenant, takes secrets and personal data out of them, and hands them to the
 * application's listeners and the channels.
 */
export const createTeller = (onEvent: EventListeners | undefined, { redact, ...options }: TellerOptions): Tell => {
  const listeners = onEvent === undefined ? [] : typeof onEvent === 'function' ? [onEvent] : onEvent;
  const redactor = redact && 'hide' in redact ? redact : createRedactor(redact);
  return tellerWith({ listeners, redactor, ...options });
};

interface TellerParts extends Omit<TellerOptions, 'redact'> {
  readonly listeners: Extract<EventListeners, readonly unknown[]>;
  readonly redactor: Redactor;
}

const tellerWith = (parts: TellerParts): Tell => {
  const { listeners, redactor, api, tenant, clock } = parts;
  const base = tenant === undefined ? { api } : { api, tenant };
  const tracers = listeners.filter(isTracer);
  const isOn = (listener: OnEvent) => !isTracer(listener) || listener.isOn();
  const isHeard = (type: EventType) => listeners.some(isOn) || isSubscribed(type);

  const complete = (event: Untold): IntegrationEvent => {
    // Whoever tells leaves out what is the same for all.
    const told = { ...event, ...base, at: clock.wallNow() } as IntegrationEvent;
    redactor.redact(told);
    // One listener can't change what the next one gets.
    return freeze(told);
  };
  const tell = (event: Untold, span?: Span): void => {
    if (!isHeard(event.type) && !span) return;
    const told = complete(event);
    if (span) quietly(() => span.end(told));
    for (const listener of listeners) if (isOn(listener)) quietly(() => listener(told));
    publish(told);
  };

  const begin: Telling['begin'] = (begun, from) => {
    if (!tracers.some(isOn)) return undefined;
    const told = { ...begun };
    // It goes by the names of fields, which are those of events.
    redactor.redact(told as object as IntegrationEvent);
    return joinSpans(tracers.flatMap((tracer) => begunBy(tracer, told, from)));
  };
  const endSpan = (event: Untold, span?: Span): void => {
    if (span) quietly(() => span.end(complete(event)));
  };
  return Object.assign(tell, {
    isHeard,
    begin,
    toTracers: Object.assign(endSpan, { isHeard: () => false, begin }),
    hide: redactor.hide,
    ofTenant: (other: string | undefined) => tellerWith({ ...parts, tenant: other }),
  });
};

const freeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
  return value;
};

const begunBy = (tracer: Tracer, begun: Begun, from: TraceCarrier | undefined): Span[] => {
  try {
    const span = tracer.begin(begun, from);
    return span ? [span] : [];
  } catch {
    return [];
  }
};
