import type { Clock } from '../clock.ts';
import { isSubscribed, publish } from './channels.ts';
import type { EventListeners, EventType, IntegrationEvent, Untold } from './events.ts';
import { quietly } from './quietly.ts';
import { createRedactor, type Redact, type Redactor } from './redactor.ts';

/** Tells one event to whoever listens. */
export interface Tell {
  (event: Untold): void;
  /** Whether anybody listens: asked before an event that costs something to make. */
  readonly isHeard: (type: EventType) => boolean;
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
  const isHeard = (type: EventType) => listeners.length > 0 || isSubscribed(type);
  const tell = (event: Untold): void => {
    if (!isHeard(event.type)) return;
    // Whoever tells leaves out what is the same for all.
    const told = { ...event, ...base, at: clock.wallNow() } as IntegrationEvent;
    redactor.redact(told);
    for (const listener of listeners) quietly(() => listener(told));
    publish(told);
  };
  return Object.assign(tell, {
    isHeard,
    hide: redactor.hide,
    ofTenant: (other: string | undefined) => tellerWith({ ...parts, tenant: other }),
  });
};
