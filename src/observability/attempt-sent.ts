import type { AttemptEvent } from './events.ts';

/** Whether the attempt came as far as the network; otherwise it was refused before it left. */
export const wasSent = ({ error }: AttemptEvent): boolean => !refusedHere.has(error?.code ?? '');

const refusedHere: ReadonlySet<string> = new Set([
  'circuit_open',
  'rate_limited',
  'quota_exceeded',
  'authentication_failed',
  'deadline_exceeded',
]);

/** Why there was another attempt: what was waited for, or `credential` after a 401. `undefined` of a first one. */
export const whyAgain = (event: AttemptEvent): string | undefined => {
  if (event.attempt === 1 || !wasSent(event)) return undefined;
  return event.waits.find(({ reason }) => reason !== 'rate_limit')?.reason ?? 'credential';
};
