import type { AttemptEvent, WaitReason } from './events.ts';

/** Whether the attempt reached the network; otherwise it was refused before it was sent. */
export const wasSent = ({ error }: AttemptEvent): boolean => !refusedHere.has(error?.code ?? '');

const refusedHere: ReadonlySet<string> = new Set([
  'circuit_open',
  'rate_limited',
  'quota_exceeded',
  'authentication_failed',
  'deadline_exceeded',
]);

/** Why there was another attempt: what it waited for, or `credential` after a 401. `undefined` for a first attempt. */
export const whyAgain = (event: AttemptEvent): WaitReason | 'credential' | undefined => {
  if (event.attempt === 1 || !wasSent(event)) return undefined;
  return event.waits.find(({ reason }) => reason !== 'rate_limit')?.reason ?? 'credential';
};
