import { assertKnown, flag, oneOf, type OptionCheck, type OptionNames } from '../../core/option-checks.ts';
import { isJsonObject } from '../../stores/ports/json.ts';
import type { FakeApiOptions } from './api-options.ts';
import type { AbsentAnswer } from './contract/billing.ts';
import type { Envelope } from './contract/envelope.ts';
import type { EventReceiver } from './events.ts';
import type { RecordedRequest } from './fake-request.ts';
import type { FakeHubSpotOptions } from './hubspot/options.ts';
import type { ApiName } from './operations.ts';
import type { FakeSalesforceOptions } from './salesforce/options.ts';
import type { PaymentRule } from './store/billing.ts';
import type { FakeStripeOptions } from './stripe/options.ts';
import type { FakeZendeskOptions } from './zendesk/options.ts';

/** The behaviour of the fake messaging platform. */
export interface FakeMessagingOptions extends FakeApiOptions {
  /**
   * The API that it speaks. Intercom's refuses what the real one refuses, and knows no idempotency keys. It counts
   * requests per 10 seconds, and says on a 429 only when its window ends.
   * @defaultValue 'documented'
   */
  readonly dialect?: 'documented' | 'intercom' | undefined;
  /** Intercom: how long a search does not know a contact that was just created. @defaultValue 60000 */
  readonly searchDelayMs?: number | undefined;
  /** The version header is named after it: `Acme` wants `Acme-Version`. @defaultValue 'Acme', or 'Intercom' */
  readonly platform?: string | undefined;
  /** The only version it speaks; for Intercom, the one that is taken without a header. @defaultValue '2.11', or '2.16' */
  readonly version?: string | undefined;
}

/** The behaviour of the fake CRM, in the words of the default API. */
export interface FakeCrmOptions extends FakeApiOptions {
  /** The default API's; for Salesforce, see {@link FakeSalesforceOptions}. @defaultValue 'documented' */
  readonly dialect?: 'documented' | undefined;
  /** The only version it speaks. @defaultValue '60.0' */
  readonly version?: string | undefined;
}

/** The behaviour of the fake billing API. */
export interface FakeBillingOptions extends FakeApiOptions {
  /** The default API's; for Stripe, see {@link FakeStripeOptions}. @defaultValue 'documented' */
  readonly dialect?: 'documented' | undefined;
  /** The place of the version. @defaultValue `{ path: 'v1' }` */
  readonly version?:
    | { readonly path: string }
    | { readonly header: { readonly name: string; readonly value: string } }
    | 'in-base-url'
    | undefined;
  /** The header of the credential; `Authorization` means a bearer token. @defaultValue 'X-Api-Key' */
  readonly credentialHeader?: string | undefined;
  /** The answer when no customer was found. @defaultValue '404' */
  readonly absentCustomer?: AbsentAnswer | undefined;
  /** The answer of a search that matches several customers. @defaultValue 'first' */
  readonly severalCustomers?: 'first' | 'list' | undefined;
  /** `ignored`: lists have all customers' invoices and payments, paid and void ones too. @defaultValue 'honoured' */
  readonly invoiceFilter?: 'honoured' | 'ignored' | undefined;
  /**
   * The end of payments that `nextPayment` doesn't script.
   * @defaultValue declined for `pm_declined`, pending for `pm_pending`, else completed
   */
  readonly paymentRule?: PaymentRule | undefined;
}

/** The behaviour of the fake platform. Everything has a default. */
export interface FakePlatformOptions {
  /** `intercom`: a workspace of Intercom, `zendesk`: an account of Zendesk; strict, as their defaults are. */
  readonly messaging?: FakeMessagingOptions | FakeZendeskOptions | 'intercom' | 'zendesk' | undefined;
  /** `salesforce`: an org of Salesforce; `hubspot`: an account of HubSpot. Both strict, as their defaults are. */
  readonly crm?: FakeCrmOptions | FakeSalesforceOptions | FakeHubSpotOptions | 'salesforce' | 'hubspot' | undefined;
  /** `stripe`: an account of Stripe, strict, as its defaults are. */
  readonly billing?: FakeBillingOptions | FakeStripeOptions | 'stripe' | undefined;
  /** The wrapping of lists. @defaultValue 'data' */
  readonly envelope?: Envelope | undefined;
  /** The receiver of the messaging events. @defaultValue nowhere; see `events.sendTo` */
  readonly webhooks?: EventReceiver | undefined;
  /** Keeps credentials readable in `requests`. @defaultValue false */
  readonly recordCredentials?: boolean | undefined;
  /** Called with each request, after the work is done and before the answer leaves. */
  readonly onRequest?: ((request: RecordedRequest) => void) | undefined;
}

/** The checks of how the fake platform behaves. Each API has the names of all dialects. */
export const platformChecks = (options: FakePlatformOptions): readonly OptionCheck[] => [
  oneOf(options.envelope, 'envelope', apiWords.envelope),
  flag(options.recordCredentials, 'recordCredentials'),
  ...apiChecks('messaging', options.messaging, ['documented', 'intercom', 'zendesk']),
  ...apiChecks('crm', options.crm, ['documented', 'salesforce', 'hubspot']),
  ...apiChecks('billing', options.billing, ['documented', 'stripe']),
];

const apiChecks = (
  api: ApiName,
  given: string | object | undefined,
  dialects: readonly string[],
): readonly OptionCheck[] => {
  if (!isJsonObject(given)) return [oneOf(given, api, dialects, 'an object')];
  const { dialect, version, ...words }: { readonly [name: string]: unknown } = { ...given };
  const isPlaced = api !== 'billing' || dialect === 'stripe' || isJsonObject(version);
  return [
    () => assertKnown(given, apiNames[api], api),
    oneOf(dialect as string | undefined, `${api}.dialect`, dialects),
    oneOf(
      isPlaced ? undefined : (version as string | undefined),
      `${api}.version`,
      ['in-base-url'],
      '{ path } or { header }',
    ),
    ...Object.entries(apiWords).map(([name, known]) =>
      oneOf(words[name] as string | undefined, `${api}.${name}`, known),
    ),
  ];
};

const sharedNames: OptionNames<FakeApiOptions> = {
  credentials: true,
  envelope: true,
  rateLimit: true,
  endpoints: true,
  idempotency: true,
  latencyMs: true,
  bodies: true,
  phones: true,
};

type NamesOf<Name extends string> = Readonly<Record<Name, true>>;

/** Each API has the names of all dialects. */
const apiNames: {
  readonly messaging: NamesOf<keyof FakeMessagingOptions | keyof FakeZendeskOptions>;
  readonly crm: NamesOf<keyof FakeCrmOptions | keyof FakeSalesforceOptions | keyof FakeHubSpotOptions>;
  readonly billing: NamesOf<keyof FakeBillingOptions | keyof FakeStripeOptions>;
} = {
  messaging: {
    ...sharedNames,
    dialect: true,
    searchDelayMs: true,
    platform: true,
    version: true,
    pageSize: true,
    role: true,
  },
  crm: {
    ...sharedNames,
    dialect: true,
    version: true,
    searchDelayMs: true,
    pageSize: true,
    dailyRequests: true,
    missingScopes: true,
    hiddenFields: true,
    pipelines: true,
    rules: true,
    externalIdFields: true,
    duplicateRule: true,
    duplicateSpelling: true,
    assignTo: true,
    sessionIdleMs: true,
    app: true,
  },
  billing: {
    ...sharedNames,
    dialect: true,
    version: true,
    credentialHeader: true,
    absentCustomer: true,
    severalCustomers: true,
    invoiceFilter: true,
    paymentRule: true,
    searchDelayMs: true,
    account: true,
    pageSize: true,
  },
};

/** The closed sets of words in the options of all fake APIs. */
const apiWords = {
  envelope: ['array', 'data'],
  endpoints: ['all', 'documented'],
  idempotency: ['key', 'none'],
  bodies: ['whole', 'bytes'],
  phones: ['e164', 'formatted'],
  absentCustomer: ['404', '204', 'null', '{}', '[]'],
  severalCustomers: ['first', 'list'],
  invoiceFilter: ['honoured', 'ignored'],
  duplicateRule: ['none', 'alert', 'block'],
  role: ['agent', 'admin'],
  duplicateSpelling: ['duplicateResult', 'duplicateResut'],
} as const;

/**
 * The credentials that each API accepts by default. They open nothing but the fake platform.
 *
 * @example
 * authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
 */
export const testCredentials: Readonly<Record<ApiName, string>> = {
  messaging: 'test-messaging-token',
  crm: 'test-crm-token',
  billing: 'test-billing-key',
};
