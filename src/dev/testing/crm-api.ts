import { crmContract } from './contract/crm.ts';
import type { Envelope } from './contract/envelope.ts';
import type { Contract, Versioning } from './endpoint.ts';
import type { FakeRequest, Handled } from './fake-request.ts';
import type { RequestMeter } from './handle.ts';
import type { FakeCrmOptions } from './platform-options.ts';
import { type FakePlatformEvent, salesforceContract } from './salesforce/contract.ts';
import { createMeter } from './salesforce/meter.ts';
import { hubspotContract } from './hubspot/contract.ts';
import { createHubSpotMeter } from './hubspot/meter.ts';
import type { FakeHubSpotOptions } from './hubspot/options.ts';
import { createHubSpotStore } from './hubspot/store.ts';
import { type FakeHubSpot, hubspotView } from './hubspot/view.ts';
import { createHubSpotTokens } from './hubspot/oauth.ts';
import { createTokenEndpoint, isTokenRequest } from './salesforce/oauth.ts';
import { type FakeSalesforceOptions, rulesOf, testConnectedApp } from './salesforce/options.ts';
import { salesforcePaths } from './salesforce/paths.ts';
import { createSessions } from './salesforce/sessions.ts';
import type { FakeSalesforce } from './salesforce/view.ts';
import type { CrmStore } from './store/crm.ts';
import { createTokenHandler } from './token-handler.ts';

/** What the fake CRM is, by the dialect it speaks. */
export interface CrmApi {
  readonly contract: Contract<CrmStore>;
  readonly versioning: Versioning;
  readonly meter?: RequestMeter | undefined;
  readonly knowsKeys: boolean;
  /** Credentials that it issued itself. */
  readonly hasIssued: (credential: string) => boolean;
  /** Those end. */
  readonly endIssued: () => void;
  /** Answers what only a server can, since it takes time; `undefined` for everything else. */
  readonly answerLater: (request: FakeRequest) => Promise<Handled> | undefined;
  /** `undefined` for the default API's CRM. */
  readonly salesforce: FakeSalesforce | undefined;
  /** `undefined` unless it speaks HubSpot's dialect. */
  readonly hubspot: FakeHubSpot | undefined;
}

export const createCrmApi = (
  options: FakeCrmOptions | FakeSalesforceOptions | FakeHubSpotOptions,
  { envelope, ...shared }: Shared & { readonly envelope: Envelope },
): CrmApi => {
  if (options.dialect === 'salesforce') return createSalesforce(options, shared);
  if (options.dialect === 'hubspot') return createHubSpot(options, shared);
  return {
    contract: crmContract({ envelope: options.envelope ?? envelope }),
    versioning: { path: `services/data/v${options.version ?? '60.0'}` },
    knowsKeys: options.idempotency !== 'none',
    hasIssued: () => false,
    endIssued: () => {},
    answerLater: () => undefined,
    salesforce: undefined,
    hubspot: undefined,
  };
};

/** What the CRM shares with the rest of the platform. */
type Shared = Parameters<typeof createTokenHandler>[1];

const createHubSpot = (
  {
    searchDelayMs = 10_000,
    dailyRequests = 250_000,
    missingScopes = [],
    rules,
    pipelines,
    rateLimit = { limit: 100, perMs: 10_000 },
  }: FakeHubSpotOptions,
  shared: Shared,
): CrmApi => {
  const store = createHubSpotStore({ rules, pipelines });
  const tokens = createHubSpotTokens();
  const answerToken = createTokenHandler(tokens.answer, shared);
  return {
    contract: hubspotContract({
      store,
      missingScopes,
      isIndexed: ({ id, createdAt }) => store.isIndexed(id) || createdAt + searchDelayMs <= Date.now(),
    }),
    versioning: 'in-base-url',
    meter: createHubSpotMeter(rateLimit === false ? Number.POSITIVE_INFINITY : rateLimit.limit, dailyRequests),
    knowsKeys: false,
    hasIssued: tokens.isValid,
    endIssued: tokens.endAll,
    answerLater: (request) => (tokens.isAsked(request) ? answerToken(request) : undefined),
    salesforce: undefined,
    hubspot: hubspotView(store),
  };
};

const twoHoursMs = 2 * 60 * 60_000;

const createSalesforce = (options: FakeSalesforceOptions, shared: Shared): CrmApi => {
  const { app = testConnectedApp, sessionIdleMs = twoHoursMs, pageSize = 2000, dailyRequests = 15_000 } = options;
  const { searchDelayMs = 60_000 } = options;
  const platformEvents: FakePlatformEvent[] = [];
  const sessions = createSessions({ idleMs: sessionIdleMs });
  const meter = createMeter(dailyRequests);
  const answerToken = createTokenHandler(createTokenEndpoint({ app, sessions }), shared);
  return {
    contract: salesforceContract({
      rules: rulesOf(options),
      pageSize,
      version: '60.0',
      isIndexed: ({ CreatedDate }) => Date.parse(CreatedDate) + searchDelayMs <= Date.now(),
      onPlatformEvent: (event) => void platformEvents.push(structuredClone(event)),
    }),
    versioning: salesforcePaths,
    meter,
    knowsKeys: false,
    hasIssued: sessions.isOpen,
    endIssued: sessions.endAll,
    hubspot: undefined,
    answerLater: (request) => (isTokenRequest(request) ? answerToken(request) : undefined),
    salesforce: {
      get platformEvents() {
        return structuredClone(platformEvents);
      },
      get usage() {
        return meter.usage();
      },
      useUpRequests: meter.useUp,
      startAnew: meter.startAnew,
      endSessions: sessions.endAll,
    },
  };
};
