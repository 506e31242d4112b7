import { channel } from 'node:diagnostics_channel';

/** Returns the number of listeners to the events of this process. */
export const subscriberCount = (): number => {
  // Node says only whether there are any; this field holds them.
  const events = channel('voice-agent-integrations') as unknown as { readonly _subscribers?: readonly unknown[] };
  return events._subscribers?.length ?? 0;
};
