import { channel } from 'node:diagnostics_channel';

/** How many listen to a channel: Node tells only whether anybody does, so that all are taken off and put back. */
export const subscriberCount = (name: string): number => {
  // What Node keeps of a channel while somebody listens.
  const { _subscribers = [] } = channel(name) as unknown as { readonly _subscribers?: readonly unknown[] };
  return _subscribers.length;
};
