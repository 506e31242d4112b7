import { createOutbox, defineEvent, type Outbox } from 'voice-agent-integrations/outbox';
import { bullmq } from 'voice-agent-integrations/stores/bullmq';
import * as z from 'zod';

export const callCompleted = defineEvent('call.completed', { 1: z.object({ callId: z.string() }) });

/** The same outbox in every process; a process that only publishes delivers nothing. */
export const openOutbox = ({ deliver }: { readonly deliver: boolean }): Outbox => {
  const { REDIS_URL: connection = '', CRM_URL: url = '', NAME: name = '', RUN: run = '' } = process.env;
  let delivered = 0;
  return createOutbox({
    queue: bullmq({ connection, name: `scale-example-${run}` }),
    deliver,
    destinations: [{ name: 'crm', url, version: 1, concurrency: 2, attemptTimeoutMs: 500 }],
    allowNetworks: ['127.0.0.0/8'],
    onEvent: (event) => {
      if (event.type !== 'delivery' || event.outcome !== 'delivered') return;
      delivered += 1;
      if (delivered % 10 === 0) console.log(`${name} has delivered ${delivered} events`);
    },
  });
};
