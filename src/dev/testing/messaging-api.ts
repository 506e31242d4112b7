import type { Limit } from '../../http/operation.ts';
import type { Envelope } from './contract/envelope.ts';
import { intercomContract } from './contract/intercom.ts';
import { intercomWording } from './contract/intercom-events.ts';
import { createIntercomLimit } from './contract/intercom-limit.ts';
import { messagingContract } from './contract/messaging.ts';
import type { Contract, Versioning } from './endpoint.ts';
import type { EventWording } from './event-wording.ts';
import type { RequestMeter } from './handle.ts';
import type { FakeMessagingOptions } from './platform-options.ts';
import type { MessagingStore } from './store/messaging.ts';

/** What the fake messaging platform is, by the dialect it speaks. */
export interface MessagingApi {
  readonly contract: Contract<MessagingStore>;
  readonly versioning: Versioning;
  readonly rateLimit?: Limit;
  readonly meter?: RequestMeter | undefined;
  readonly knowsKeys: boolean;
  /** `undefined`: the default API's. */
  readonly wording?: EventWording;
}

export const createMessagingApi = (
  options: FakeMessagingOptions,
  { envelope, store }: { readonly envelope: Envelope; readonly store: () => MessagingStore },
): MessagingApi => {
  if (options.dialect !== 'intercom') {
    return {
      contract: messagingContract({ envelope: options.envelope ?? envelope }),
      versioning: { header: `${options.platform ?? 'Acme'}-Version`, value: options.version ?? '2.11' },
      rateLimit: { limit: 1000, perMs: 60_000 },
      knowsKeys: options.idempotency !== 'none',
    };
  }
  const { platform = 'Intercom', version = '2.16', searchDelayMs = 60_000 } = options;
  const { rateLimit = { limit: 166, perMs: 10_000 } } = options;
  return {
    contract: intercomContract({ searchDelayMs }),
    versioning: { header: `${platform}-Version`, value: version, values: [...intercomVersions, version] },
    meter: rateLimit ? createIntercomLimit(rateLimit) : undefined,
    knowsKeys: false,
    wording: intercomWording(store),
  };
};

const upTo = (major: number, last: number) => Array.from({ length: last + 1 }, (_, minor) => `${major}.${minor}`);

const intercomVersions: readonly string[] = [...upTo(1, 4), ...upTo(2, 17), 'Preview', 'Unstable'];
