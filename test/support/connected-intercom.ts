import { bearer } from '../../src/auth/index.ts';
import { createMessagingClient, type MessagingClient, type MessagingOptions } from '../../src/messaging/index.ts';
import { intercom, type IntercomOptions } from '../../src/messaging/intercom/index.ts';
import type { IntegrationEvent } from '../../src/observability/events.ts';
import {
  createFakePlatform,
  type FakeMessagingOptions,
  type FakePlatform,
  testCredentials,
} from '../../src/dev/testing/index.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

export interface ConnectedIntercom extends AsyncDisposable {
  readonly platform: FakePlatform;
  readonly clock: VirtualClock;
  /** The events of the client. */
  readonly events: readonly IntegrationEvent[];
  readonly options: MessagingOptions;
  readonly client: MessagingClient;
  /** Another process: it shares nothing with the first client. */
  readonly another: (options?: Partial<MessagingOptions>) => MessagingClient;
}

/** Intercom on loopback and on virtual time, and a client that reaches it with the preset. Waits pass at once. */
export const connectIntercom = async (
  given: Partial<MessagingOptions> & { readonly preset?: IntercomOptions; readonly fake?: FakeMessagingOptions } = {},
): Promise<ConnectedIntercom> => {
  const { preset, fake, ...rest } = given;
  const clock = createVirtualClock({ wallNow: Date.UTC(2026, 10, 21, 12) });
  const platform = createFakePlatform({ messaging: { dialect: 'intercom', ...fake } });
  const { messaging: baseUrl } = await platform.listen();
  const events: IntegrationEvent[] = [];
  const options: MessagingOptions = {
    ...intercom(preset),
    baseUrl,
    authenticate: bearer(() => testCredentials.messaging),
    adminId: 'admin_1',
    backoff: { minimumMs: 0, maximumMs: 0 },
    onEvent: (event) => {
      events.push(event);
      if (event.type === 'rate-limit' && event.state === 'paused')
        setImmediate(() => void clock.advance(event.pausedForMs));
    },
    ...rest,
  };
  const another = (more: Partial<MessagingOptions> = {}) => createMessagingClient({ ...options, ...more });
  return {
    platform,
    clock,
    events,
    options,
    client: another(),
    another,
    [Symbol.asyncDispose]: () => platform.close(),
  };
};
