import type { Limit } from '../../http/operation.ts';
import { assertKnown, checkOptions, oneOf, type OptionNames } from '../../core/option-checks.ts';
import { createKeptAnswers } from './answers.ts';
import type { FakeApiOptions } from './api-options.ts';
import { billingContract } from './contract/billing.ts';
import { createCrmApi } from './crm-api.ts';
import type { Contract, Versioning } from './endpoint.ts';
import { createEvents, type FakeEvents } from './events.ts';
import { faultProblem } from './fault-problem.ts';
import { createFaults, type Fault } from './faults.ts';
import type { FakeRequest, Handled, RecordedRequest } from './fake-request.ts';
import { createHandler, type RequestMeter } from './handle.ts';
import { createMessagingApi } from './messaging-api.ts';
import {
  type ApiName,
  apiNames,
  documentedOperations,
  isOperation,
  isTarget,
  type OperationName,
} from './operations.ts';
import {
  type FakeBillingOptions,
  type FakeMessagingOptions,
  type FakePlatformOptions,
  platformChecks,
  testCredentials,
} from './platform-options.ts';
import { createRequestWindow } from './request-window.ts';
import type { FakeHubSpot } from './hubspot/view.ts';
import type { FakeSalesforce } from './salesforce/view.ts';
import { type FakeServer, serve } from './server.ts';
import { createBillingStore, type PaymentRule } from './store/billing.ts';
import { createCrmStore } from './store/crm.ts';
import { createMessagingStore } from './store/messaging.ts';
import { createStripeHandler } from './stripe/handle.ts';
import { payByTestMethod } from './stripe/test-methods.ts';
import { billingView, type FakeBilling } from './view/billing.ts';
import { crmView, type FakeCrm } from './view/crm.ts';
import { type FakeMessaging, messagingView } from './view/messaging.ts';
import { createZendesk } from './zendesk/handle.ts';
import type { FakeZendesk } from './zendesk/view.ts';

/** One address per API, without a slash at the end. */
export type BaseUrls = Readonly<Record<ApiName, string>>;

/** A messaging platform, a CRM and a billing API that exist for one test. */
export interface FakePlatform extends AsyncDisposable {
  /** What the workspace holds, and what people do in it. */
  readonly messaging: FakeMessaging;
  /** What the org holds. */
  readonly crm: FakeCrm;
  /** What the billing API holds, and how the next payments end. */
  readonly billing: FakeBilling;
  /** What the CRM has in addition to its records when it speaks Salesforce's dialect. Throws when it does not. */
  readonly salesforce: FakeSalesforce;
  /** What the account of HubSpot holds, which `crm` doesn't. Throws when the CRM speaks another dialect. */
  readonly hubspot: FakeHubSpot;
  /** What the account of Zendesk holds. Throws when the messaging platform speaks another dialect. */
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
  /** How often a write was really done, in all or for one idempotency key. Replayed answers do not count. */
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
  const asked: Exclude<FakePlatformOptions['messaging'], string | undefined> =
    typeof options.messaging === 'string' ? { dialect: options.messaging } : (options.messaging ?? {});
  const zendesk = asked.dialect === 'zendesk' ? createZendesk(asked) : undefined;
  const messaging: FakeMessagingOptions = asked.dialect === 'zendesk' ? {} : asked;
  const crm: Exclude<FakePlatformOptions['crm'], string | undefined> =
    typeof options.crm === 'string' ? { dialect: options.crm } : (options.crm ?? {});
  const given = options.billing === 'stripe' ? ({ dialect: 'stripe' } as const) : (options.billing ?? {});
  const stripe = given.dialect === 'stripe' ? given : undefined;
  const billing: FakeBillingOptions = given.dialect === 'stripe' ? {} : given;
  const faults = createFaults();
  const requests: RecordedRequest[] = [];
  const effects = new Map<string, number>();
  const problems: ((fault: Fault) => string | undefined)[] = [faultProblem];
  const messagingApi = createMessagingApi(messaging, { envelope, store: () => stores.messaging });
  const onRequest = (request: RecordedRequest) => {
    requests.push(request);
    options.onRequest?.(request);
  };
  const { salesforce, hubspot, answerLater, hasIssued, endIssued, ...crmApi } = createCrmApi(crm, {
    envelope,
    faults,
    onRequest,
  });
  const {
    events,
    publish,
    close: closeEvents,
  } = createEvents({
    receiver: options.webhooks,
    wording: messagingApi.wording,
  });
  const stores = {
    messaging: createMessagingStore({ onEvent: publish }),
    crm: createCrmStore(),
    billing: createBillingStore({ paymentRule: stripe ? payByTestMethod : (billing.paymentRule ?? payByMethod) }),
  };
  const accepted: Record<ApiName, ReadonlySet<string>> = {
    messaging: new Set(asked.credentials ?? [testCredentials.messaging]),
    crm: new Set(crm.credentials ?? [testCredentials.crm]),
    billing: new Set((stripe ?? billing).credentials ?? [testCredentials.billing]),
  };
  const acceptOnly =
    (api: ApiName) =>
    (...credentials: readonly string[]) => {
      accepted[api] = new Set(credentials);
      if (api === 'crm') endIssued();
      if (api === 'messaging') zendesk?.endTokens();
    };

  let requestNumber = 0;
  const shared = (api: ApiName) => ({
    isAccepted: (credential: string) => accepted[api].has(credential) || (api === 'crm' && hasIssued(credential)),
    recordCredentials: options.recordCredentials ?? false,
    faults,
    nextRequestId: () => `req_${++requestNumber}`,
    onRequest,
    onEffect: (operation: OperationName, key: string | undefined) => {
      for (const name of [operation, ...(key === undefined ? [] : [`${operation} ${key}`])]) {
        effects.set(name, (effects.get(name) ?? 0) + 1);
      }
    },
  });
  const handlerFor = <Store>(
    api: ApiName,
    own: FakeApiOptions,
    particular: {
      contract: Contract<Store>;
      store: Store;
      versioning: Versioning;
      credentialHeader?: string;
      rateLimit?: Limit;
      meter?: RequestMeter | undefined;
      knowsKeys?: boolean;
    },
  ) => {
    // A meter counts in place of the window.
    const rateLimit = particular.meter ? undefined : (own.rateLimit ?? particular.rateLimit);
    return createHandler({
      api,
      contract: own.endpoints === 'documented' ? onlyDocumented(particular.contract) : particular.contract,
      store: particular.store,
      versioning: particular.versioning,
      credentialHeader: (particular.credentialHeader ?? 'authorization').toLowerCase(),
      ...shared(api),
      latencyMs: own.latencyMs ?? 0,
      bodies: own.bodies ?? 'whole',
      phones: own.phones ?? 'e164',
      window: rateLimit ? createRequestWindow(rateLimit) : undefined,
      meter: particular.meter,
      answers: (particular.knowsKeys ?? own.idempotency !== 'none') ? createKeptAnswers() : undefined,
    });
  };

  const handlers: Readonly<Record<ApiName, (request: FakeRequest) => Handled>> = {
    messaging: zendesk
      ? zendesk.createHandler(shared('messaging'))
      : handlerFor('messaging', messaging, { ...messagingApi, store: stores.messaging }),
    crm: handlerFor('crm', crm, {
      ...crmApi,
      store: stores.crm,
    }),
    billing: stripe
      ? createStripeHandler(stripe, { ...shared('billing'), store: stores.billing })
      : handlerFor('billing', billing, {
          contract: billingContract({
            envelope: billing.envelope ?? envelope,
            absentCustomer: billing.absentCustomer ?? '404',
            severalCustomers: billing.severalCustomers ?? 'first',
            invoiceFilter: billing.invoiceFilter ?? 'honoured',
            idempotency: billing.idempotency ?? 'key',
          }),
          store: stores.billing,
          versioning: toVersioning(billing.version ?? { path: 'v1' }),
          credentialHeader: billing.credentialHeader ?? 'X-Api-Key',
        }),
  };

  const answerToken = zendesk?.createTokenHandler({ faults, onRequest });

  let listening: Promise<readonly FakeServer[]> | undefined;
  const close = async () => {
    const servers = (await listening?.catch(() => undefined)) ?? [];
    listening = undefined;
    await Promise.all([closeEvents(), ...servers.map((server) => server.close())]);
  };

  return {
    messaging: messagingView(stores.messaging, acceptOnly('messaging')),
    crm: crmView(stores.crm, acceptOnly('crm')),
    billing: billingView(stores.billing, acceptOnly('billing')),
    get salesforce() {
      if (!salesforce) throw new Error("The CRM of this platform speaks the default API's dialect");
      return salesforce;
    },
    get hubspot() {
      if (!hubspot) throw new Error("The CRM of this platform doesn't speak HubSpot's dialect");
      return hubspot;
    },
    get zendesk() {
      if (!zendesk) throw new Error("The messaging platform of this test doesn't speak Zendesk's dialect");
      return zendesk.view;
    },
    events,
    listen: async ({ messaging: messagingPort = 0, crm: crmPort = 0, billing: billingPort = 0 } = {}) => {
      listening ??= allOrNone([
        serve((request) => answerToken?.(request) ?? handlers.messaging(request), { port: messagingPort }),
        serve((request) => answerLater(request) ?? handlers.crm(request), { port: crmPort }),
        serve(handlers.billing, { port: billingPort }),
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
      return handlers[api](request);
    },
    refuseFaults: (problemOf) => {
      const problem = faults.pending().map(problemOf).find(Boolean);
      if (problem) throw new Error(problem);
      problems.push(problemOf);
    },
  };
};

/** When one server cannot listen, the others end too. */
const allOrNone = async (starting: readonly Promise<FakeServer>[]): Promise<readonly FakeServer[]> => {
  const started = await Promise.allSettled(starting);
  const failed = started.find((one) => one.status === 'rejected');
  const servers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (!failed) return servers;
  await Promise.all(servers.map((server) => server.close()));
  throw failed.reason;
};

/** An API that has the default API's endpoints alone, and answers 404 to everything else. */
const onlyDocumented = <Store>(contract: Contract<Store>): Contract<Store> => ({
  ...contract,
  endpoints: contract.endpoints.filter(({ operation }) => documentedOperations.has(operation)),
  refusals: { ...contract.refusals, method: contract.refusals.path },
});

const payByMethod: PaymentRule = ({ payment_method_id }) => {
  if (payment_method_id === 'pm_declined') return 'declined';
  return payment_method_id === 'pm_pending' ? 'pending' : 'completed';
};

const toVersioning = (version: NonNullable<FakeBillingOptions['version']>): Versioning => {
  if (version === 'in-base-url' || 'path' in version) return version;
  return { header: version.header.name, value: version.header.value };
};

const optionNames: OptionNames<FakePlatformOptions> = {
  messaging: true,
  crm: true,
  billing: true,
  envelope: true,
  webhooks: true,
  recordCredentials: true,
  onRequest: true,
};
