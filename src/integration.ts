import { connectBilling } from './billing/client.ts';
import type { BillingClient, BillingOptions, Customer } from './billing/index.ts';
import { configuredClients } from './phone-call/steps/clients-of.ts';
import { type CrmClient, type CrmOptions, type CrmSchemas, createCrmClient } from './crm/index.ts';
import { InvalidArgumentError } from './core/errors.ts';
import { assertTimeZone } from './core/local-clock.ts';
import { assertNode } from './core/node-version.ts';
import { withoutUndefined } from './core/without-undefined.ts';
import { isLoopback } from './http/base-url.ts';
import type { ConnectionOptions, HttpClientStatus, WarmUp, WarmUpOptions } from './http/operation.ts';
import {
  type AttributeSchema,
  createMessagingClient,
  type DeclaredAttributes,
  type MessagingClientFor,
  type MessagingOptions,
} from './messaging/index.ts';
import { assertKnown, checkOptions, must, type OptionNames } from './core/option-checks.ts';
import { createRedactor } from './observability/redaction/redactor.ts';
import { mergeToolOptions, type PhoneCallToolOptions } from './phone-call/tools.ts';
import type { CheckOptions, CheckReport } from './phone-call/check/check-integration.ts';
import { partsToCheck, type PartsToCheck } from './phone-call/check/parts.ts';
import { assertBudget } from './phone-call/scope.ts';
import type { AroundFinish } from './phone-call/finish.ts';
import { type FinishLater, finishLaterChecks, startFinishWorker } from './phone-call/finish-later.ts';
import { createLiveCalls, type LiveCallsFor, type LiveCallsOptions } from './phone-call/live-calls.ts';
import { type ReadPhone, readLinePhone } from './phone-call/line-phone.ts';
import type { PhoneCallClients } from './phone-call/steps/ongoing-call.ts';
import { assertStoresUsable, type StoreName, warmUpStores } from './phone-call/stores.ts';
import {
  limitOf,
  type OwnPayments,
  ownPayments,
  paymentsCheck,
  type Payments,
  stricterPayments,
} from './tools/payment-rules.ts';
import { statusCheck } from './tools/ready/billing-tools.ts';
import { storeCheck, storeOf, type StoreOption } from './tools/store-option.ts';
import { createReport, type OnError, ownReport, type Report } from './tools/on-error.ts';
import {
  createPhoneCall,
  type PhoneCallFor,
  type PhoneCallOptions,
  type PhoneCallSettings,
  phoneCallSettingChecks,
  ownToolsCheck,
  phoneCallSettingNames,
  readPhoneCheck,
} from './phone-call/start-phone-call.ts';

/** Options that the clients share. Each can be said otherwise in the client's own options. */
export type SharedOptions = Partial<
  Pick<ConnectionOptions, 'appName' | 'tenant' | 'onEvent' | 'redact' | 'fetch' | 'ky' | 'transport'>
>;

/** The systems to connect, and what their clients and phone calls have in common. */
export interface IntegrationOptions<
  ContactSchema extends AttributeSchema = DeclaredAttributes,
  CompanySchema extends AttributeSchema = DeclaredAttributes,
  Schemas extends CrmSchemas = CrmSchemas,
  Owner extends object = Customer,
> extends SharedOptions {
  /** At least one of the three is needed. */
  readonly messaging?: MessagingOptions<ContactSchema, CompanySchema> | undefined;
  readonly crm?: CrmOptions<Schemas> | undefined;
  readonly billing?: BillingOptions<Owner> | undefined;
  /**
   * The rules of payments: the most, the means, and the people who have to agree. Without `payments` no money moves: by your code, by a model, or by
   * payment tools of your own.
   */
  readonly payments?: Payments<Owner> | undefined;
  /**
   * The memory that outlives this process and that every process knows: payments, approvals, used confirmations, and what a
   * phone call has looked up. `'memory'` says that you know it's lost with the process.
   * @defaultValue the memory of this process; the first payment of a model then warns once
   */
  readonly store?: StoreOption | undefined;
  /** The time zone of the business, as an IANA name: today, due dates and the day of a phone call are days there. @defaultValue 'UTC' */
  readonly timeZone?: string | undefined;
  /**
   * Gets every failure of a tool or a store that a caller may notice and your code doesn't see. Calls that couldn't be
   * written are among them. Gets the real error and its `cause`. What is normal in a phone call isn't a failure, such as
   * a declined card or wrong arguments of the model.
   * @defaultValue one process warning for each cause
   */
  readonly onError?: OnError | undefined;
  /**
   * Reads numbers without a country code, such as `phoneReader({ defaultCountry: 'US' })` of `/phone`.
   * @defaultValue such a number counts as withheld, and `onError` gets a message about it
   */
  readonly readPhone?: ReadPhone | undefined;
  /** Has `finish` store the call and write it later. @defaultValue `finish` writes it itself */
  readonly finishLater?: FinishLater | undefined;
  /** Settings of every phone call, unless it says otherwise. */
  readonly phoneCalls?: PhoneCallSettings<Schemas> | undefined;
}

/** The clients of one workspace, org and account, and the phone calls over them. */
export interface Integration extends IntegrationOf<DeclaredAttributes, DeclaredAttributes, CrmSchemas> {}

/** The integration with these schemas: an {@link Integration} where none are declared. */
export type IntegrationFor<
  ContactSchema extends AttributeSchema,
  CompanySchema extends AttributeSchema,
  Schemas extends CrmSchemas,
> = [string, string, string] extends [keyof ContactSchema, keyof CompanySchema, keyof Schemas]
  ? Integration
  : IntegrationOf<ContactSchema, CompanySchema, Schemas>;

/** An {@link Integration} whose attributes and fields are declared. */
export interface IntegrationOf<
  ContactSchema extends AttributeSchema,
  CompanySchema extends AttributeSchema,
  Schemas extends CrmSchemas,
> extends AsyncDisposable {
  /** Throws `InvalidArgumentError` when it is not configured. */
  readonly messaging: MessagingClientFor<ContactSchema, CompanySchema>;
  /** Throws `InvalidArgumentError` when it is not configured. */
  readonly crm: CrmClient<Schemas>;
  /** Throws `InvalidArgumentError` when it is not configured. */
  readonly billing: BillingClient;
  /** Starts a phone call over the clients that are configured. */
  startPhoneCall(options: PhoneCallOptions<Schemas>): PhoneCallFor<Schemas>;
  /** Keeps phone calls that go on, for servers that get one request for each thing that happens. */
  liveCalls<State = undefined>(options?: LiveCallsOptions<State, Schemas>): LiveCallsFor<State, Schemas>;
  /**
   * Opens a connection to each configured API and fetches its credential, so that a phone call's first requests don't
   * wait for them. Asks each store too, and each queue with an `admin`, and reports one that can't be used. Call it
   * when the server starts and when the phone rings. Never rejects.
   */
  warmUp(
    options?: WarmUpOptions,
  ): Promise<Readonly<Partial<Record<'messaging' | 'crm' | 'billing' | StoreName, WarmUp>>>>;
  /**
   * Finds out whether everything works: secrets, addresses, versions, credentials, the clock, the stores. It only reads, but
   * for one key in each store, which it takes back. Call it before you listen. Throws one {@link NotReadyError} with every
   * problem that a person has to fix. An API or a server that is merely down right now is a note.
   *
   * @example
   * const { notes } = await integration.check();
   * for (const { part, problem, help } of notes) console.warn(`${part}: ${problem}: ${help}`);
   */
  check(options?: CheckOptions): Promise<CheckReport>;
  /** Circuits, limits and waits of each API that is configured, right now. */
  status(): IntegrationStatus;
  /** Returns the same as `status()` for `JSON.stringify`: no secret. */
  toJSON(): IntegrationStatus;
  /** Ends live calls and writes them down, rejects queued requests and closes connections. `await using` calls it by itself. */
  close(): Promise<void>;
}

/** An integration for code that holds it: it can run something around the `finish` of a phone call. */
export interface ConnectedIntegration<
  ContactSchema extends AttributeSchema,
  CompanySchema extends AttributeSchema,
  Schemas extends CrmSchemas = CrmSchemas,
> extends IntegrationOf<ContactSchema, CompanySchema, Schemas> {
  readonly [configuredClients]: PhoneCallClients;
  readonly [ownReport]: Report;
  readonly [ownPayments]: OwnPayments;
  readonly [partsToCheck]: PartsToCheck;
  startPhoneCall(options: PhoneCallOptions<Schemas>, aroundFinish?: AroundFinish): PhoneCallFor<Schemas>;
  liveCalls<State = undefined>(
    options?: LiveCallsOptions<State, Schemas>,
    holder?: LiveCallsHolder<Schemas>,
  ): LiveCallsFor<State, Schemas>;
}

/** The code that holds an integration while live calls go on. */
interface LiveCallsHolder<Schemas extends CrmSchemas> {
  /** Throws for a phone call that must not start here. */
  readonly check: (call: PhoneCallOptions<Schemas>) => void;
  readonly onClose: () => void;
}

/** One entry per client that is configured. */
export type IntegrationStatus = Readonly<Partial<Record<'messaging' | 'crm' | 'billing', HttpClientStatus>>>;

/**
 * Connects a voice agent with a messaging platform, a CRM and a billing API, or with some of them.
 * Throws `InvalidArgumentError` for options that cannot work, and `StoreError` for a file that cannot be opened; nothing
 * is sent before the first call.
 *
 * @example
 * await using integration = createIntegration({ messaging, crm, billing, timeZone: 'Europe/Berlin' });
 * const phoneCall = integration.startPhoneCall({ callId: 'CA123', direction: 'inbound', phone: '+14155550100' });
 * const { contact } = await phoneCall.identifyCaller();
 * await phoneCall.finish({ outcome: 'resolved', summary, transcript });
 */
export const createIntegration = <
  const ContactSchema extends AttributeSchema = DeclaredAttributes,
  const CompanySchema extends AttributeSchema = DeclaredAttributes,
  const Schemas extends CrmSchemas = CrmSchemas,
  Owner extends object = Customer,
>(
  options: IntegrationOptions<ContactSchema, CompanySchema, Schemas, Owner>,
): IntegrationFor<ContactSchema, CompanySchema, Schemas> =>
  // The customers that `billing` finds are of the type that `card` takes.
  connect(options as object as IntegrationOptions<ContactSchema, CompanySchema, Schemas>) as object as IntegrationFor<
    ContactSchema,
    CompanySchema,
    Schemas
  >;

/** {@link createIntegration} for {@link ConnectedIntegration}. */
export const connect = <
  const ContactSchema extends AttributeSchema,
  const CompanySchema extends AttributeSchema,
  const Schemas extends CrmSchemas = CrmSchemas,
>(
  options: IntegrationOptions<ContactSchema, CompanySchema, Schemas>,
): ConnectedIntegration<ContactSchema, CompanySchema, Schemas> => {
  assertNode();
  const {
    messaging,
    crm,
    billing,
    payments,
    store,
    timeZone,
    phoneCalls,
    onError,
    readPhone,
    finishLater,
    ...rest
  }: typeof options = Object(options);
  if (!messaging && !crm && !billing)
    checkOptions(undefined, [
      () => assertKnown(options, optionNames),
      must(false, 'options', 'must have at least one of messaging, crm and billing'),
    ]);
  // Whatever secret one part knows, no other lets out.
  const redact = rest.redact && 'hide' in rest.redact ? rest.redact : createRedactor(rest.redact);
  // An unknown option is refused below, once.
  const known = Object.entries(rest).filter(([name]) => Object.hasOwn(optionNames, name));
  const shared: SharedOptions = { ...withoutUndefined(Object.fromEntries(known)), redact };
  let place: { readonly timeZone?: string | undefined } = {};
  const clients: Clients<ContactSchema, CompanySchema, Schemas> = {};
  // A client of your own has its options already.
  const commonOf = (options: BillingOptions) => ('own' in options ? place : { ...shared, ...place });
  let report: Report = () => {};
  checkOptions(undefined, [
    () => messaging && (clients.messaging = createMessagingClient({ ...shared, ...withoutUndefined(messaging) })),
    () => {
      assertTimeZone(timeZone);
      place = withoutUndefined({ timeZone });
    },
    () => crm && (clients.crm = createCrmClient<Schemas>({ ...shared, ...place, ...withoutUndefined(crm) })),
    () =>
      billing &&
      (clients.billing = connectBilling({ ...commonOf(billing), ...withoutUndefined(billing) }, limitOf(payments))),
    paymentsCheck(payments, { needsBelow: true }),
    storeCheck(store),
    readPhoneCheck(readPhone),
    ...finishLaterChecks(finishLater),
    () => assertKnown<IntegrationOptions>(options, optionNames),
    () =>
      assertKnown(phoneCalls, phoneCallSettingNames, 'phoneCalls', {
        finishLater: 'finishLater of createIntegration',
        payments: 'payments of createIntegration',
        store: 'store of createIntegration',
      }),
    () =>
      phoneCalls &&
      checkOptions('phoneCalls', [
        // A platform with wrong options of its own is refused for those.
        ...phoneCallSettingChecks(phoneCalls, {
          messaging: clients.messaging ?? messaging,
          billing: clients.billing ?? billing,
        }),
        () => checkOptions('tools', [ownToolsCheck(phoneCalls.tools, payments)]),
        () => {
          const { billing: ofBilling } = phoneCalls.tools ?? {};
          checkOptions('tools.billing', [statusCheck((ofBilling || {}).paymentStatus, clients.billing)]);
        },
        () => assertBudget('toolBudgetMs', phoneCalls.toolBudgetMs, clients),
      ]),
    () => {
      report = createReport(onError);
    },
  ]);
  const kinds = { store, finishLater };
  assertStoresUsable(kinds);
  // One memory for all phone calls: a person who rings back must not pay twice.
  const payStore = storeOf(store, isLocal(clients.billing));
  const toolDefaults: PhoneCallToolOptions = withoutUndefined({
    tenant: shared.tenant,
    onEvent: shared.onEvent,
    redact,
  });
  const status = (): IntegrationStatus =>
    withoutUndefined({
      messaging: clients.messaging?.status(),
      crm: clients.crm?.status(),
      billing: clients.billing?.status(),
    });
  // Whatever their type, attributes and fields are objects, and phone calls read and write them by name.
  const forPhoneCalls = clients as object as PhoneCallClients;

  const { queue, work = true } = finishLater ?? {};
  const worker = queue && work ? startFinishWorker(forPhoneCalls, { queue, tenant: shared.tenant, report }) : undefined;
  const kept = new Set<AsyncDisposable>();
  const closeAll = async () => {
    // They're written over the clients.
    await Promise.all([...kept].map((calls) => calls[Symbol.asyncDispose]()));
    await worker?.close(longestWriteMs);
    await Promise.all(Object.values(clients).map((client) => client.close()));
  };
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= closeAll());

  const parts: PartsToCheck = {
    messaging: messaging && { ...shared, ...withoutUndefined(messaging) },
    crm: crm && { ...shared, ...place, ...withoutUndefined(crm) },
    billing: billing && { ...commonOf(billing), ...withoutUndefined(billing) },
    payments,
    stores: kinds,
  };

  const rulesFor: OwnPayments['rulesFor'] = (ofCall) => stricterPayments(payments, ofCall);
  const startPhoneCall: ConnectedIntegration<ContactSchema, CompanySchema, Schemas>['startPhoneCall'] = (
    call,
    aroundFinish,
  ) => {
    const own: typeof call = Object(call);
    const phoneCall: object = createPhoneCall(
      forPhoneCalls,
      {
        timeZone,
        ...withoutUndefined(phoneCalls ?? {}),
        ...withoutUndefined(own),
        tools: mergeToolOptions(mergeToolOptions(toolDefaults, phoneCalls?.tools), own.tools),
      },
      { report, readPhone, finishLater, store: payStore, rulesFor, tenant: shared.tenant, aroundFinish },
    );
    return phoneCall as PhoneCallFor<Schemas>;
  };

  return {
    get [configuredClients]() {
      return forPhoneCalls;
    },
    get [ownReport]() {
      return report;
    },
    get [ownPayments]() {
      return { rulesFor, store: payStore };
    },
    get [partsToCheck]() {
      return parts;
    },
    get messaging() {
      return configured(clients.messaging, 'messaging');
    },
    get crm() {
      return configured(clients.crm, 'crm');
    },
    get billing() {
      return configured(clients.billing, 'billing');
    },
    startPhoneCall,
    liveCalls: <State>(liveOptions?: LiveCallsOptions<State, Schemas>, holder?: LiveCallsHolder<Schemas>) => {
      const numberOf = ({ callId, phone }: PhoneCallOptions<Schemas>) =>
        // What can't be read was reported when the phone call started.
        readLinePhone(phone, { callId, readPhone, report: () => {} });
      const over = () => {
        kept.delete(calls);
        holder?.onClose();
      };
      const start = (call: PhoneCallOptions<Schemas>) => {
        holder?.check(call);
        return startPhoneCall(call);
      };
      const calls = createLiveCalls({ start, numberOf, report, onClose: over }, liveOptions);
      kept.add(calls);
      return calls as object as LiveCallsFor<State, Schemas>;
    },
    warmUp: async (warmUpOptions = {}) => {
      const warm = async ([name, client]: [string, (typeof clients)[keyof typeof clients]]) =>
        [name, await client?.warmUp(warmUpOptions)] as const;
      const [stores, ...apis] = await Promise.all([
        warmUpStores(kinds, warmUpOptions, report),
        ...Object.entries(clients).map(warm),
      ]);
      return { ...Object.fromEntries(apis), ...stores };
    },
    check: async (checking) => {
      // Loaded when it's needed: most processes check once.
      const { checkIntegration } = await import('./phone-call/check/check-integration.ts');
      return checkIntegration(parts, checking);
    },
    status,
    toJSON: status,
    close,
    [Symbol.asyncDispose]: close,
  };
};

/** The clients that are configured. */
interface Clients<
  ContactSchema extends AttributeSchema,
  CompanySchema extends AttributeSchema,
  Schemas extends CrmSchemas,
> {
  messaging?: MessagingClientFor<ContactSchema, CompanySchema>;
  crm?: CrmClient<Schemas>;
  billing?: BillingClient;
}

const optionNames: OptionNames<IntegrationOptions> = {
  messaging: true,
  crm: true,
  billing: true,
  payments: true,
  store: true,
  timeZone: true,
  onError: true,
  readPhone: true,
  finishLater: true,
  phoneCalls: true,
  appName: true,
  tenant: true,
  onEvent: true,
  redact: true,
  fetch: true,
  ky: true,
  transport: true,
};

/** The time for what is written when the integration closes; the rest stays in the queue. */
const longestWriteMs = 5_000;

/** A sandbox on this machine: nothing warns about its store. */
const isLocal = (billing: BillingClient | undefined): boolean =>
  billing !== undefined && isLoopback(new URL(billing.paymentTerms().baseUrl).hostname);

const configured = <Client>(client: Client | undefined, name: string): Client => {
  if (client !== undefined) return client;
  throw new InvalidArgumentError(name, `is not configured: give createIntegration a ${name}`);
};
