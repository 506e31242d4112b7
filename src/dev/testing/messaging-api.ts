import type { Envelope } from './contract/envelope.ts';
import { createIntercomLimit, intercomContract } from './contract/intercom.ts';
import { intercomWording } from './contract/intercom-events.ts';
import { messagingContract } from './contract/messaging.ts';
import { createContractApi } from './contract-api.ts';
import type { EventWording } from './event-wording.ts';
import type { ApiParts } from './pipeline.ts';
import type { FakeMessagingOptions } from './platform-options.ts';
import type { MessagingStore } from './store/messaging.ts';
import type { FakeZendeskOptions } from './zendesk/options.ts';
import type { FakeZendesk } from './zendesk/view.ts';
import { createZendesk } from './zendesk/zendesk.ts';

/** The fake messaging platform, by the dialect it speaks. */
export interface MessagingApi extends ApiParts {
  /** `undefined`: the default API's. */
  readonly wording?: EventWording;
  /** `undefined` unless it speaks Zendesk's dialect. */
  readonly zendesk?: FakeZendesk;
}

export const createMessagingApi = (
  options: FakeMessagingOptions | FakeZendeskOptions,
  { envelope, store }: { readonly envelope: Envelope; readonly store: () => MessagingStore },
): MessagingApi => {
  if (options.dialect === 'zendesk') return createZendesk(options);
  if (options.dialect === 'intercom') return createIntercom(options, store);
  const { platform = 'Acme', version = '2.11' } = options;
  const api = {
    contract: messagingContract({ envelope: options.envelope ?? envelope }),
    versioning: { header: `${platform}-Version`, value: version },
    rateLimit: { limit: 1000, perMs: 60_000 },
  };
  return { createApi: (context) => createContractApi('messaging', { ...api, store: store() }, options, context) };
};

const createIntercom = (options: FakeMessagingOptions, store: () => MessagingStore): MessagingApi => {
  const { platform = 'Intercom', version = '2.16', searchDelayMs = 60_000 } = options;
  const { rateLimit = { limit: 166, perMs: 10_000 } } = options;
  const api = {
    contract: intercomContract({ searchDelayMs }),
    versioning: { header: `${platform}-Version`, value: version, values: [...intercomVersions, version] },
    meter: rateLimit ? createIntercomLimit(rateLimit) : undefined,
    knowsKeys: false,
  };
  return {
    createApi: (context) => createContractApi('messaging', { ...api, store: store() }, options, context),
    wording: intercomWording(store),
  };
};

const upTo = (major: number, last: number) => Array.from({ length: last + 1 }, (_, minor) => `${major}.${minor}`);

const intercomVersions: readonly string[] = [...upTo(1, 4), ...upTo(2, 17), 'Preview', 'Unstable'];
