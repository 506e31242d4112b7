import { assertKnown, checkOptions, oneOf, type OptionNames } from '../../core/option-checks.ts';
import { createBillingApi } from './billing-api.ts';
import { createCrmApi } from './crm-api.ts';
import { createEvents, type FakeEvents } from './events.ts';
import { createFaults, type Fault, faultProblem } from './faults.ts';
import type { FakeRequest, Handled, RecordedRequest } from './fake-request.ts';
import { createMessagingApi } from './messaging-api.ts';
import { type ApiName, apiNames, isOperation, isTarget, type OperationName } from './operations.ts';
import {
  type FakeBillingOptions,
  type FakeCrmOptions,
  type FakeMessagingOptions,
  type FakePlatformOptions,
  platformChecks,
  testCredentials,
} from './platform-options.ts';
import { type ApiContext, type ApiParts, createPipeline } from './pipeline.ts';
import type { FakeHubSpotOptions } from './hubspot/options.ts';
import type { FakeSalesforceOptions } from './salesforce/options.ts';
import type { FakeHubSpot } from './hubspot/view.ts';
import type { FakeSalesforce } from './salesforce/view.ts';
import { type FakeServer, serve } from './server.ts';
import { createCrmStore, crmView, type FakeCrm } from './store/crm.ts';
import { createMessagingStore } from './store/messaging.ts';
import type { FakeStripeOptions } from './stripe/options.ts';
import { createTokenHandler } from './token-handler.ts';
import { billingView, type FakeBilling } from './store/billing.ts';
import type { FakeZendeskOptions } from './zendesk/options.ts';
import type { FakeZendesk } from './zendesk/view.ts';
import { type FakeMessaging, messagingView } from './store/messaging-view.ts';

/** One address per API, without a slash at the end. */
export type BaseUrls = Readonly<Record<ApiName, string>>;

/** A messaging platform, a CRM and a billing API that exist for one test. */
export interface FakePlatform extends AsyncDisposable {
  /** The records of the workspace, and the actions of people in it. */
  readonly messaging: FakeMessaging;
  /** The records of the org. */
  readonly crm: FakeCrm;
  /** The records of the billing API, and the script of the next payments. */
  readonly billing: FakeBilling;
  /** The org's events, limits and sessions. Throws if the CRM doesn't speak Salesforce's dialect. */
  readonly salesforce: FakeSalesforce;
  /** The records of the account of HubSpot. Throws if the CRM speaks another dialect. */
  readonly hubspot: FakeHubSpot;
  /** The records of the account of Zendesk. Throws if the messaging platform speaks another dialect. */
  readonly zendesk: FakeZendesk;
  /** The webhook events that the messaging platform sends. */
  readonly events: FakeEvents;

  /**
   * Listens on three ports of 127.0.0.1, free ones unless they are named. Asked again, it gives the same addresses.
   * Rejects when a port is taken.
   */
  listen(ports?: Partial<Readonly<Record<ApiName, number>>>): Promise<BaseUrls>;
  /** Ends all connections at once, stalled ones included, and sends no more events. */
  close(): Promise<void>;

  /**
   * The coming requests of an operation, or of a whole API, meet these faults, one each, in this order; `ok` lets one
   * through. Faults that are given later come after those that wait. Throws for an operation that does not exist.
   *
   * @example
   * platform.fault('billing.payments.create', [{ status: 429, retryAfter: 1 }, { executeThenDrop: true }, 'ok']);
   */
  fault(target: OperationName | ApiName, faults: readonly Fault[]): void;
  /** Faults that no request has met yet. */
  readonly pendingFaults: readonly Fault[];

  /** Every request so far, refused ones included, the oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Counts how often a write was really done, in all or for one idempotency key. Replayed answers don't count. */
  effects(operation: OperationName, options?: { readonly idempotencyKey?: string | undefined }): number;

  /**
   * The contract without a socket: what one request is answered, and how. For adapters. Token endpoints need a socket.
   */
  handle(api: ApiName, request: FakeRequest): Handled;
  /** For adapters that cannot act every fault out: from now on `fault` throws what `problemOf` says of one. */
  refuseFaults(problemOf: (fault: Fault) => string | undefined): void;
}

/**
 * A messaging platform, a CRM and a billing API for tests, over real HTTP. Strict: what the real APIs refuse is
 * refused. Each call gives a platform of its own; nothing is shared.
 *
 * @example
 * await using platform = createFakePlatform();
 * const { billing: baseUrl } = await platform.listen();
 * const customer = platform.billing.addCustomer({ phone: '+14155550100' });
 * platform.fault('billing.customers.find', [{ status: 503 }]);
 */
export const createFakePlatform = (options: FakePlatformOptions = {}): FakePlatform => {
  checkOptions(undefined, [() => assertKnown(options, optionNames), ...platformChecks(options)]);
  const { envelope = 'data' } = options;
  const messagingOptions = optionsOf<FakeMessagingOptions | FakeZendeskOptions>(options.messaging);
  const crmOptions = optionsOf<FakeCrmOptions | FakeSalesforceOptions | FakeHubSpotOptions>(options.crm);
  const billingOptions = optionsOf<FakeBillingOptions | FakeStripeOptions>(options.billing);
  const faults = createFaults();
  const requests: RecordedRequest[] = [];
  const effects = new Map<string, number>();
  const problems: ((fault: Fault) => string | undefined)[] = [faultProblem];

  const messagingApi = createMessagingApi(messagingOptions, { envelope, store: () => messagingStore });
  const {
    events,
    publish,
    close: closeEvents,
  } = createEvents({ receiver: options.webhooks, wording: messagingApi.wording });
  const messagingStore = createMessagingStore({ onEvent: publish });
  const crmStore = createCrmStore();
  const crmApi = createCrmApi(crmOptions, envelope, crmStore);
  const billingApi = createBillingApi(billingOptions, envelope);

  let requestNumber = 0;
  const start = (
    api: ApiName,
    { createApi, tokens }: ApiParts,
    credentials: readonly string[] = [testCredentials[api]],
  ) => {
    let accepted: ReadonlySet<string> = new Set(credentials);
    const context: ApiContext = {
      isAccepted: (credential) => accepted.has(credential) || (tokens?.isValid(credential) ?? false),
      recordCredentials: options.recordCredentials ?? false,
      faults,
      nextRequestId: () => `req_${++requestNumber}`,
      onRequest: (request) => {
        requests.push(request);
        options.onRequest?.(request);
      },
      onEffect: (operation, key) => {
        for (const name of [operation, ...(key === undefined ? [] : [`${operation} ${key}`])]) {
          effects.set(name, (effects.get(name) ?? 0) + 1);
        }
      },
    };
    const handle = createPipeline(createApi(context), context);
    const answerToken = tokens && createTokenHandler(api, tokens, context);
    return {
      handle,
      listen: (port: number) => serve((request) => answerToken?.(request) ?? handle(request), { port }),
      acceptOnly: (...others: readonly string[]) => {
        accepted = new Set(others);
        tokens?.endAll();
      },
    };
  };
  const apis = {
    messaging: start('messaging', messagingApi, messagingOptions.credentials),
    crm: start('crm', crmApi, crmOptions.credentials),
    billing: start('billing', billingApi, billingOptions.credentials),
  };

  let listening: Promise<readonly FakeServer[]> | undefined;
  const close = async () => {
    const servers = (await listening?.catch(() => undefined)) ?? [];
    listening = undefined;
    await Promise.all([closeEvents(), ...servers.map((server) => server.close())]);
  };

  return {
    messaging: messagingView(messagingStore, apis.messaging.acceptOnly),
    crm: crmView(crmStore, apis.crm.acceptOnly),
    billing: billingView(billingApi.store, apis.billing.acceptOnly),
    get salesforce() {
      if (!crmApi.salesforce) throw new Error("The CRM of this platform doesn't speak Salesforce's dialect");
      return crmApi.salesforce;
    },
    get hubspot() {
      if (!crmApi.hubspot) throw new Error("The CRM of this platform doesn't speak HubSpot's dialect");
      return crmApi.hubspot;
    },
    get zendesk() {
      if (!messagingApi.zendesk) throw new Error("The messaging platform of this test doesn't speak Zendesk's dialect");
      return messagingApi.zendesk;
    },
    events,
    listen: async ({ messaging: messagingPort = 0, crm: crmPort = 0, billing: billingPort = 0 } = {}) => {
      listening ??= allOrNone([
        apis.messaging.listen(messagingPort),
        apis.crm.listen(crmPort),
        apis.billing.listen(billingPort),
      ]);
      const [first, second, third] = await listening;
      return { messaging: first?.url ?? '', crm: second?.url ?? '', billing: third?.url ?? '' };
    },
    close,
    [Symbol.asyncDispose]: close,
    fault: (target, given) => {
      if (!isTarget(target)) throw new Error(`There is no operation ${String(target)}`);
      const problem = given.flatMap((fault) => problems.map((problemOf) => problemOf(fault))).find(Boolean);
      if (problem) throw new Error(problem);
      faults.add(target, given);
    },
    get pendingFaults() {
      return faults.pending();
    },
    get requests() {
      return [...requests];
    },
    effects: (operation, { idempotencyKey } = {}) => {
      if (!isOperation(operation)) throw new Error(`There is no operation ${String(operation)}`);
      return effects.get(idempotencyKey === undefined ? operation : `${operation} ${idempotencyKey}`) ?? 0;
    },
    handle: (api, request) => {
      oneOf(api, 'api', apiNames)();
      return apis[api].handle(request);
    },
    refuseFaults: (problemOf) => {
      const problem = faults.pending().map(problemOf).find(Boolean);
      if (problem) throw new Error(problem);
      problems.push(problemOf);
    },
  };
};

/** Ends all servers if one cannot listen. */
const allOrNone = async (starting: readonly Promise<FakeServer>[]): Promise<readonly FakeServer[]> => {
  const started = await Promise.allSettled(starting);
  const failed = started.find((one) => one.status === 'rejected');
  const servers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (!failed) return servers;
  await Promise.all(servers.map((server) => server.close()));
  throw failed.reason;
};

/** A platform's name means that platform with its defaults. */
const optionsOf = <Options extends { readonly dialect?: string | undefined }>(
  given: Options | NonNullable<Options['dialect']> | undefined = {} as Options,
): Options => (typeof given === 'string' ? ({ dialect: given } as Options) : given);

const optionNames: OptionNames<FakePlatformOptions> = {
  messaging: true,
  crm: true,
  billing: true,
  envelope: true,
  webhooks: true,
  recordCredentials: true,
  onRequest: true,
};
