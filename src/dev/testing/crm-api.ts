import { crmContract } from './contract/crm.ts';
import type { Envelope } from './contract/envelope.ts';
import { type ContractApi, createContractApi } from './contract-api.ts';
import { hubspotContract } from './hubspot/contract.ts';
import { createHubSpotMeter, createHubSpotStore } from './hubspot/store.ts';
import { createHubSpotTokens } from './hubspot/oauth.ts';
import type { FakeHubSpotOptions } from './hubspot/options.ts';
import { type FakeHubSpot, hubspotView } from './hubspot/view.ts';
import type { ApiParts } from './pipeline.ts';
import type { FakeCrmOptions } from './platform-options.ts';
import { type FakePlatformEvent, salesforceContract } from './salesforce/contract.ts';
import { createMeter, type FakeSalesforce } from './salesforce/view.ts';
import { createSessions, createTokenEndpoint, isTokenRequest } from './salesforce/oauth.ts';
import { type FakeSalesforceOptions, rulesOf, testConnectedApp } from './salesforce/options.ts';
import { salesforcePaths } from './salesforce/paths.ts';
import type { CrmStore } from './store/crm.ts';

/** The fake CRM, by the dialect it speaks. */
export interface CrmApi extends ApiParts {
  /** `undefined` unless it speaks Salesforce's dialect. */
  readonly salesforce?: FakeSalesforce;
  /** `undefined` unless it speaks HubSpot's dialect. */
  readonly hubspot?: FakeHubSpot;
}

type CrmOptions = FakeCrmOptions | FakeSalesforceOptions | FakeHubSpotOptions;

export const createCrmApi = (options: CrmOptions, envelope: Envelope, store: CrmStore): CrmApi => {
  const create =
    (api: ContractApi<CrmStore>): ApiParts['createApi'] =>
    (context) =>
      createContractApi('crm', { ...api, store }, options, context);
  if (options.dialect === 'salesforce') return createSalesforce(options, create);
  if (options.dialect === 'hubspot') return createHubSpot(options, create);
  return {
    createApi: create({
      contract: crmContract({ envelope: options.envelope ?? envelope }),
      versioning: { path: `services/data/v${options.version ?? '60.0'}` },
    }),
  };
};

type Create = (api: ContractApi<CrmStore>) => ApiParts['createApi'];

const createHubSpot = (
  {
    searchDelayMs = 10_000,
    dailyRequests = 250_000,
    missingScopes = [],
    rules,
    pipelines,
    rateLimit = { limit: 100, perMs: 10_000 },
  }: FakeHubSpotOptions,
  create: Create,
): CrmApi => {
  const store = createHubSpotStore({ rules, pipelines });
  return {
    createApi: create({
      contract: hubspotContract({
        store,
        missingScopes,
        isIndexed: ({ id, createdAt }) => store.isIndexed(id) || createdAt + searchDelayMs <= Date.now(),
      }),
      versioning: 'in-base-url',
      meter: createHubSpotMeter(rateLimit === false ? Number.POSITIVE_INFINITY : rateLimit.limit, dailyRequests),
      knowsKeys: false,
    }),
    tokens: createHubSpotTokens(),
    hubspot: hubspotView(store),
  };
};

const twoHoursMs = 2 * 60 * 60_000;

const createSalesforce = (options: FakeSalesforceOptions, create: Create): CrmApi => {
  const { app = testConnectedApp, sessionIdleMs = twoHoursMs, pageSize = 2000, dailyRequests = 15_000 } = options;
  const { searchDelayMs = 60_000 } = options;
  const platformEvents: FakePlatformEvent[] = [];
  const sessions = createSessions({ idleMs: sessionIdleMs });
  const meter = createMeter(dailyRequests);
  return {
    createApi: create({
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
    }),
    tokens: {
      isAsked: isTokenRequest,
      answer: createTokenEndpoint({ app, sessions }),
      isValid: sessions.isOpen,
      endAll: sessions.endAll,
    },
    salesforce: {
      get platformEvents() {
        return structuredClone(platformEvents);
      },
      get usage() {
        return meter.usage();
      },
      useUpRequests: meter.useUp,
      resetUsage: meter.resetUsage,
      endSessions: sessions.endAll,
    },
  };
};
