import * as z from 'zod';
import type { IntegrationEvent } from '../../src/observability/events.ts';
import type { Alert } from '../../src/outbox/worker.ts';
import { defineEvent } from '../../src/outbox/define-event.ts';
import { createOutbox, type Outbox, type OutboxOptions } from '../../src/outbox/outbox.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';
import { fixRandom } from './fix-random.ts';

/** An outbox on a virtual clock, and all that it emits. */
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
export const openOutbox = (options: Partial<OutboxOptions>, clock = createVirtualClock()): OpenOutbox => {
  fixRandom(0.5);
  const events: IntegrationEvent[] = [];
  const alerts: Alert[] = [];
  const outbox = createOutbox({
    queue: createMemoryMessageQueue({}),
    destinations: [],
    allowNetworks: ['127.0.0.0/8', '::1/128'],
    onEvent: (event) => events.push(event),
    onAlert: (alert) => alerts.push(alert),
    ...options,
  });
  return { outbox, clock, events, alerts, [Symbol.asyncDispose]: () => outbox.close(0) };
};
