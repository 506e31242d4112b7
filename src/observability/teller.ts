import type { Clock } from '../clock.ts';
import { isSubscribed, publish } from './channels.ts';
import type { EventType, IntegrationEvent, OnEvent, Untold } from './events.ts';
import { quietly } from './quietly.ts';

/** Tells one event to whoever listens. */
export interface Tell {
  (event: Untold): void;
  /** Whether anybody listens: asked before an event that costs something to make. */
  readonly isHeard: (type: EventType) => boolean;
}

/** Completes events with their time, API and tenant, and hands them to the application's observer and the channels. */
export const createTeller = (
  onEvent: OnEvent | undefined,
  { api, tenant, clock }: { api: string; tenant?: string | undefined; clock: Clock },
): Tell => {
  const base = tenant === undefined ? { api } : { api, tenant };
  const isHeard = (type: EventType) => onEvent !== undefined || isSubscribed(type);
  const tell = (event: Untold): void => {
    if (!isHeard(event.type)) return;
    // Whoever tells leaves out what is the same for all.
    const told = { ...event, ...base, at: clock.wallNow() } as IntegrationEvent;
    if (onEvent) quietly(() => onEvent(told));
    publish(told);
  };
  return Object.assign(tell, { isHeard });
};
