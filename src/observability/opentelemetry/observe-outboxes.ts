import type { OutboxStatusSource } from '../metrics/create-metrics.ts';
import { sumDestinations } from '../metrics/destinations.ts';
import type { Meter } from './api.ts';

/** What waits in the outboxes, read whenever the metrics are. An outbox that cannot be read is left out. */
export const observeOutboxes = (meter: Meter, outboxes: () => readonly OutboxStatusSource[]): void => {
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(name, { description, unit });
  const messages = gauge('voice_agent.outbox.messages', '{message}', 'Messages that wait for a destination, by state.');
  const deadLetters = gauge('voice_agent.outbox.dead_letters', '{message}', 'The depth of the dead letters.');
  const oldest = gauge('voice_agent.outbox.oldest_age', 's', 'The age of the oldest message that waits.');
  const disabled = gauge('voice_agent.outbox.disabled', '{destination}', '1 while a destination is disabled.');

  meter.addBatchObservableCallback(
    async (result) => {
      const statuses = await Promise.all(outboxes().map((outbox) => outbox.status().catch(() => ({}))));
      for (const counts of sumDestinations(statuses)) {
        const destination = { 'messaging.destination.name': counts.destination };
        for (const state of ['ready', 'delayed', 'leased'] as const)
          result.observe(messages, counts[state], { ...destination, 'voice_agent.message.state': state });
        result.observe(deadLetters, counts.dead, destination);
        result.observe(oldest, counts.oldestAgeMs / 1_000, destination);
        result.observe(disabled, counts.isDisabled ? 1 : 0, destination);
      }
    },
    [messages, deadLetters, oldest, disabled],
  );
};
