import { type Channel, channel } from 'node:diagnostics_channel';
import type { EventType, IntegrationEvent, OnEvent } from './events.ts';

/**
 * The `node:diagnostics_channel` of each type of event: anything in the process may subscribe, such as a tracer that the
 * application did not hand to this package. Which payload belongs to which name: {@link IntegrationEvent}.
 *
 * @example
 * import { subscribe } from 'node:diagnostics_channel';
 * subscribe(channelNames.circuit, (event) => pager.send(event));
 */
export const channelNames: { readonly [Type in EventType]: `voice-agent-integrations:${Type}` } = {
  call: 'voice-agent-integrations:call',
  attempt: 'voice-agent-integrations:attempt',
  circuit: 'voice-agent-integrations:circuit',
  'rate-limit': 'voice-agent-integrations:rate-limit',
  'version-warning': 'voice-agent-integrations:version-warning',
  'schema-drift': 'voice-agent-integrations:schema-drift',
  'settled-late': 'voice-agent-integrations:settled-late',
  'credential-used': 'voice-agent-integrations:credential-used',
  'credential-renewed': 'voice-agent-integrations:credential-renewed',
  'credential-renewal-failed': 'voice-agent-integrations:credential-renewal-failed',
  'tool-run': 'voice-agent-integrations:tool-run',
  'webhook-received': 'voice-agent-integrations:webhook-received',
  'message-published': 'voice-agent-integrations:message-published',
  delivery: 'voice-agent-integrations:delivery',
  'message-dead': 'voice-agent-integrations:message-dead',
  'destination-disabled': 'voice-agent-integrations:destination-disabled',
};

const types = Object.keys(channelNames) as EventType[];

// Node keeps one channel per name for the whole process; this is a shorter way to it.
const channels = Object.fromEntries(types.map((type) => [type, channel(channelNames[type])])) as Record<
  EventType,
  Channel
>;

/** Whether anything in the process listens to this type. */
export const isSubscribed = (type: EventType): boolean => channels[type].hasSubscribers;

export const publish = (event: IntegrationEvent): void => channels[event.type].publish(event);

/**
 * Hears every event of this process, of all clients, toolboxes, receivers and outboxes. The returned function ends it.
 * What the listener throws reaches the process as an uncaught exception: Node's own rule for its channels.
 *
 * @example
 * const stop = subscribeToEvents((event) => ring.push(event));
 */
export const subscribeToEvents = (onEvent: OnEvent): (() => void) => {
  // Only this package publishes there.
  const listener = (event: unknown) => onEvent(event as IntegrationEvent);
  for (const type of types) channels[type].subscribe(listener);
  return () => {
    for (const type of types) channels[type].unsubscribe(listener);
  };
};
