import { InvalidArgumentError } from '../../errors.ts';
import type { CrmOptions } from '../client.ts';
import type { CrmDialect } from '../dialect.ts';
import type { CrmObject } from '../objects.ts';
import type { ObjectWithPhone } from '../queries.ts';
import { isFieldName } from '../query.ts';
import { rejectUnsuccessful } from '../unsuccessful.ts';
import { createLeadWithTask, unwrapComposite } from './composite.ts';
import { externalIdFields } from './external-ids.ts';
import { createClassify, retryAfterMs, usageOf } from './limits.ts';
import { phoneFormats as usualFormats } from './phone-formats.ts';
import { problemsOf } from './problems.ts';
import { createRoutes } from './routes.ts';
import { checkVersion } from './versions.ts';

/** What an org has decided, as far as its requests depend on it. */
export interface SalesforceOptions {
  /** The pinned version of the API. @defaultValue '60.0' */
  readonly version?: string;
  /**
   * A custom text field that is marked as external id, in all objects or by object: what is created under an
   * idempotency key is upserted by it, so that repeating it makes no second record. The steps of a phone call have such
   * keys: `callId:lead`, `callId:task`. Make it unique where the object allows that, and 255 characters long.
   * @defaultValue none: a create whose end is not known is sent again only after a search found nothing, or not at all
   */
  readonly externalIdField?: string | Readonly<Partial<Record<CrmObject, string>>>;
  /**
   * How a phone number is found, since Salesforce compares texts. `formats`: as it is usually written, which its
   * database index serves. `digits`: when that finds nothing, also by the last digits with anything between them;
   * it reads the whole table, and a longer number may hold the same digits. `index`: when that finds nothing, also by
   * `parameterizedSearch` in all phone fields, which sees a new record only after a while.
   * @defaultValue 'formats'
   */
  readonly phoneSearch?: 'formats' | 'digits' | 'index';
  /**
   * The fields that hold phone numbers. @defaultValue Phone and MobilePhone of leads; Phone, MobilePhone, HomePhone and
   * OtherPhone of contacts; Phone of accounts
   */
  readonly phoneFields?: Readonly<Partial<Record<ObjectWithPhone, readonly string[]>>>;
  /** The ways in which a number is written in the org, out of E.164. @defaultValue {@link phoneFormats} */
  readonly phoneFormats?: (e164: string) => readonly string[];
  /**
   * Which assignment rule gives a new lead, case or account its owner: the active one, none, or one by its id.
   * @defaultValue what the org says, which is the active one
   */
  readonly assignmentRule?: 'active' | 'none' | { readonly id: string };
  /**
   * What duplicate rules do about a new record: `Sforce-Duplicate-Rule-Header`. With `allowSave` it is made where a
   * rule only warns; a rule that blocks still refuses, and the ids of the others are on the error
   * ({@link duplicateIds}). @defaultValue what the org says
   */
  readonly duplicateRule?: {
    readonly allowSave?: boolean;
    /** Fields of the others too, and not just their ids. */
    readonly includeRecordDetails?: boolean;
    readonly runAsCurrentUser?: boolean;
  };
  /**
   * Sends a write again that was refused because another writer held the record: nothing was done then. Salesforce
   * itself has waited for about 10 s by then, so give such writes more time than a person on the phone has.
   * @defaultValue false
   */
  readonly retryLockedRows?: boolean;
  /**
   * Makes a new lead and the Task about it in one request. `qualifyLead` does so once the call is over. Needs
   * `externalIdField` for both objects. @defaultValue false
   */
  readonly composite?: boolean;
}

/** The options of a CRM client that {@link salesforce} fills in. */
export type SalesforcePreset = Pick<CrmOptions, 'version'> & Required<Pick<CrmOptions, 'idempotency' | 'dialect'>>;

/**
 * Options that make a CRM client speak to Salesforce. Spread them; options after them win. The clients, steps and
 * tools stay the same.
 * Throws `InvalidArgumentError` for options that cannot work.
 *
 * @example
 * const integration = createIntegration({
 *   crm: { ...salesforce({ externalIdField: 'Call_Id__c' }), baseUrl: 'https://acme.my.salesforce.com', authenticate },
 * });
 */
export const salesforce = (options: SalesforceOptions = {}): SalesforcePreset => {
  const { version = '60.0', composite = false, retryLockedRows = false, phoneSearch = 'formats' } = options;
  const keyField = externalIdFields(options.externalIdField);
  checkVersion(version, { upserts: options.externalIdField !== undefined });
  if (!['formats', 'digits', 'index'].includes(phoneSearch))
    throw new InvalidArgumentError('phoneSearch', 'must be formats, digits or index');
  if (composite && !(keyField('Lead') && keyField('Task')))
    throw new InvalidArgumentError('composite', 'needs externalIdField for Lead and Task, to be safe to repeat');

  const createHeaders = headersFor(options);
  const dialect: Partial<CrmDialect> = {
    ...createRoutes({
      phoneSearch,
      phoneFields: phoneFieldsOf(options.phoneFields),
      phoneFormats: options.phoneFormats ?? usualFormats,
    }),
    keyField,
    createHeaders,
    ...(composite && { createLeadWithTask: createLeadWithTask(keyField, createHeaders('Lead')) }),
    http: {
      unwrap: composite ? (response) => rejectUnsuccessful(unwrapComposite(response)) : rejectUnsuccessful,
      classify: createClassify({ retryLockedRows }),
      problemsOf,
      provesNothingDone: ['UNABLE_TO_LOCK_ROW'],
      retryAfterMs,
      usageOf,
      isOutdated: (status) => status === 410,
    },
  };
  return { version, idempotency: 'none', dialect };
};

const usualPhoneFields: Readonly<Record<ObjectWithPhone, readonly string[]>> = {
  Lead: ['Phone', 'MobilePhone'],
  Contact: ['Phone', 'MobilePhone', 'HomePhone', 'OtherPhone'],
  Account: ['Phone'],
};

const phoneFieldsOf = (
  given: SalesforceOptions['phoneFields'] = {},
): Readonly<Record<ObjectWithPhone, readonly string[]>> => {
  for (const [object, fields] of Object.entries(given)) {
    if (fields.length === 0 || !fields.every(isFieldName))
      throw new InvalidArgumentError(`phoneFields.${object}`, 'must be names of fields, at least one');
  }
  return { ...usualPhoneFields, ...given };
};

/** The objects for which assignment rules exist. */
const assigned: readonly string[] = ['Lead', 'Case', 'Account'];

const headersFor = ({ assignmentRule, duplicateRule }: SalesforceOptions) => {
  const assignment = assignmentHeader(assignmentRule);
  const settings = Object.entries(duplicateRule ?? {}).map(([name, value]) => `${name}=${value ? 'true' : 'false'}`);
  const duplicates = settings.length > 0 ? { 'sforce-duplicate-rule-header': settings.join('; ') } : {};
  return (object: string): Readonly<Record<string, string>> => ({
    ...(assigned.includes(object) && assignment),
    ...duplicates,
  });
};

const assignmentHeader = (rule: SalesforceOptions['assignmentRule']): Readonly<Record<string, string>> => {
  if (rule === undefined) return {};
  if (rule === 'active' || rule === 'none') return { 'sforce-auto-assign': rule === 'active' ? 'TRUE' : 'FALSE' };
  if (typeof rule.id !== 'string' || !/^\w{15,18}$/.test(rule.id))
    throw new InvalidArgumentError('assignmentRule.id', 'must be the id of a rule');
  return { 'sforce-auto-assign': rule.id };
};
