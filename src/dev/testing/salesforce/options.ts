import type { FakeApiOptions } from '../api-options.ts';
import type { HiddenFields } from './hidden.ts';
import type { Given } from '../../../core/without-undefined.ts';

/** The behaviour of a fake org of Salesforce. */
export interface FakeSalesforceOptions
  extends Pick<FakeApiOptions, 'credentials' | 'rateLimit' | 'latencyMs' | 'bodies' | 'phones'> {
  readonly dialect: 'salesforce';
  /** The custom fields that are marked as external ids, of every object. @defaultValue `['Call_Id__c']` */
  readonly externalIdFields?: readonly string[] | undefined;
  /**
   * The treatment of a new lead with the e-mail of a contact or an open lead. `alert` refuses it unless the request allows
   * it to be saved, `block` always. @defaultValue 'none'
   */
  readonly duplicateRule?: 'none' | 'alert' | 'block' | undefined;
  /** @defaultValue 'duplicateResult' */
  readonly duplicateSpelling?: DuplicateSpelling | undefined;
  /**
   * Fields that the org hides from its user, by object: `{ Lead: ['MobilePhone'] }`. Naming one is refused as if it weren't
   * there. @defaultValue none
   */
  readonly hiddenFields?: HiddenFields | undefined;
  /** The owner that the active assignment rule gives new leads and cases. @defaultValue none */
  readonly assignTo?: string | undefined;
  /** Rows of a query in one answer. @defaultValue 2000 */
  readonly pageSize?: number | undefined;
  /** Milliseconds in which `parameterizedSearch` doesn't know a new record. @defaultValue 60000 */
  readonly searchDelayMs?: number | undefined;
  /** Requests of 24 hours; over it 403. @defaultValue 15000 */
  readonly dailyRequests?: number | undefined;
  /** A session ends after so long without a request. @defaultValue two hours */
  readonly sessionIdleMs?: number | undefined;
  /** The application that may ask for tokens. @defaultValue {@link testConnectedApp} */
  readonly app?: FakeConnectedApp | undefined;
}

/** The spelling of the match list's name: Salesforce has used both. */
export type DuplicateSpelling = 'duplicateResult' | 'duplicateResut';

/** An application that the org's administrator has allowed. */
export interface FakeConnectedApp {
  readonly clientId: string;
  /** For the grants that need one. */
  readonly clientSecret?: string;
  /** The integration user. */
  readonly username: string;
  /** For the grant with a refresh token. @defaultValue none is accepted */
  readonly refreshTokens?: readonly string[];
  /** The public half of the key that signs assertions, as a JWK. */
  readonly publicKey?: Readonly<Record<string, unknown>>;
}

/**
 * The app that the token endpoints of the fake org and the fake HubSpot accept by default. It opens nothing but
 * the fake platform.
 *
 * @example
 * const app = { ...testConnectedApp, publicKey };
 * const platform = createFakePlatform({ crm: { dialect: 'salesforce', app } });
 */
export const testConnectedApp: FakeConnectedApp = {
  clientId: 'test-consumer-key',
  clientSecret: 'test-consumer-secret',
  username: 'voice-agent@example.com',
  refreshTokens: ['test-refresh-token'],
};

/** The rules of the org's administrator. */
export type SalesforceRules = Given<
  Pick<FakeSalesforceOptions, 'externalIdFields' | 'duplicateRule' | 'duplicateSpelling' | 'hiddenFields'>
> & { readonly assignTo: string | undefined };

/** The options with their defaults. */
export const rulesOf = (options: FakeSalesforceOptions): SalesforceRules => ({
  externalIdFields: options.externalIdFields ?? ['Call_Id__c'],
  duplicateRule: options.duplicateRule ?? 'none',
  hiddenFields: options.hiddenFields ?? {},
  duplicateSpelling: options.duplicateSpelling ?? 'duplicateResult',
  assignTo: options.assignTo,
});
