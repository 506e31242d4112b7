import type { Clock } from '../clock.ts';
import type { IntegrationEvent, OnEvent, Untold } from './events.ts';
import { quietly } from './quietly.ts';

/** Tells one event; costs next to nothing when nobody listens. */
export type Tell = (event: Untold) => void;

/** Completes events with their time, API and tenant, and hands them to the application's observer. */
export const createTeller = (
  onEvent: OnEvent | undefined,
  { api, tenant, clock }: { api: string; tenant?: string | undefined; clock: Clock },
): Tell => {
  if (!onEvent) return () => {};
  const base = tenant === undefined ? { api } : { api, tenant };
  return (event) => quietly(() => onEvent({ ...event, ...base, at: clock.wallNow() } as IntegrationEvent));
};
