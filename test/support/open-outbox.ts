import * as z from 'zod';
import type { IntegrationEvent } from '../../src/observability/events.ts';
import type { Alert } from '../../src/outbox/alert.ts';
import { defineEvent } from '../../src/outbox/define-event.ts';
import { createOutbox, type Outbox, type OutboxOptions } from '../../src/outbox/outbox.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { createVirtualClock, type Timed, type VirtualClock } from './virtual-clock.ts';

/** An outbox on a clock that stands still, and all that it says. */
export interface OpenOutbox extends AsyncDisposable {
  readonly outbox: Outbox;
  readonly clock: VirtualClock;
  readonly events: readonly IntegrationEvent[];
  readonly alerts: readonly Alert[];
}

export const callCompleted = defineEvent('call.completed', {
  1: z.object({ callId: z.string() }),
});

/** Loopback is its own network; chance always falls in the middle. */
export function openOutbox(options: Timed<Partial<OutboxOptions>>): OpenOutbox;
export function openOutbox(options: Partial<OutboxOptions>): Omit<OpenOutbox, 'clock'>;
export function openOutbox(options: Partial<OutboxOptions>): Omit<OpenOutbox, 'clock'> {
  const { clock = createVirtualClock() } = options;
  const events: IntegrationEvent[] = [];
  const alerts: Alert[] = [];
  const outbox = createOutbox({
    queue: createMemoryMessageQueue({ clock }),
    destinations: [],
    allowNetworks: ['127.0.0.0/8', '::1/128'],
    clock,
    random: () => 0.5,
    onEvent: (event) => events.push(event),
    onAlert: (alert) => alerts.push(alert),
    ...options,
  });
  const opened = { outbox, clock, events, alerts, [Symbol.asyncDispose]: () => outbox.close(0) };
  return opened;
}
