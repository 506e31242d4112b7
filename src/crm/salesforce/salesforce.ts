import { InvalidArgumentError } from '../../core/errors.ts';
import { assertKnown, checkOptions, flag, oneOf, type OptionNames } from '../../core/option-checks.ts';
import type { Given } from '../../core/without-undefined.ts';
import type { CrmOptions } from '../client.ts';
import { type CrmDialect, documentedCrm } from '../dialect.ts';
import type { CrmObject } from '../objects.ts';
import type { ObjectWithPhone } from '../search-query.ts';
import { isFieldName } from '../where.ts';
import { ruleHeaders, type WriteRules } from '../write-rules.ts';
import { salesforceHttp } from './http-dialect.ts';
import { createRoutes, phoneFormats } from './routes.ts';

/** Options of an org of Salesforce. */
export interface SalesforceOptions extends WriteRules {
  /** The pinned version of the API. @defaultValue '60.0' */
  readonly version?: string | undefined;
  /**
   * A custom text field that is marked as external id, in all objects or by object. A create with an idempotency key is an
   * upsert by it, so that repeating it makes no second record. The steps of a phone call have such
   * keys: `callId:lead`, `callId:task`. Make it unique where the object allows that, and 255 characters long.
   * @defaultValue none: a create whose end is not known is sent again only after a search found nothing, or not at all
   */
  readonly externalIdField?: string | Readonly<Partial<Record<CrmObject, string>>> | undefined;
  /**
   * The way to find a phone number, since Salesforce compares texts. `formats` searches its usual spellings, by the
   * database index. The other two add a search if that finds nothing. `digits` compares the last digits, with anything
   * between them: it reads the whole table, and a longer number may have the same digits. `index` asks
   * @defaultValue 'formats'
   */
  readonly phoneSearch?: 'formats' | 'digits' | 'index' | undefined;
  /**
   * The fields that hold phone numbers. @defaultValue Phone and MobilePhone of leads; Phone, MobilePhone, HomePhone and
   * OtherPhone of contacts; Phone of accounts
   */
  readonly phoneFields?: Readonly<Partial<Record<ObjectWithPhone, readonly string[]>>> | undefined;
  /** The ways in which a number is written in the org, out of E.164. @defaultValue {@link phoneFormats} */
  readonly phoneFormats?: ((e164: string) => readonly string[]) | undefined;
  /**
   * Sends a write again that was refused because another writer held the record: nothing was done then. Salesforce
   * itself has waited for about 10 s by then, so give such writes more time than a person on the phone has.
   * @defaultValue false
   */
  readonly retryLockedRows?: boolean | undefined;
  /**
   * Makes a new lead and the Task about it in one request. `qualifyLead` does so once the call is over. Needs
   * `externalIdField` for both objects. @defaultValue false
   */
  readonly composite?: boolean | undefined;
}

/** The options of a CRM client that {@link salesforce} fills in. */
export type SalesforcePreset = Pick<CrmOptions, 'version'> & Given<Pick<CrmOptions, 'idempotency' | 'dialect'>>;

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
  assertKnown(options, optionNames);
  const { version = salesforceVersion, composite = false, retryLockedRows = false, phoneSearch = 'formats' } = options;
  const keyField = externalIdFields(options.externalIdField);
  checkVersion(version, { upserts: options.externalIdField !== undefined });
  checkOptions(undefined, [
    oneOf(phoneSearch, 'phoneSearch', ['formats', 'digits', 'index']),
    flag(options.composite, 'composite'),
    flag(options.retryLockedRows, 'retryLockedRows'),
  ]);
  if (composite && !(keyField('Lead') && keyField('Task')))
    throw new InvalidArgumentError('composite', 'needs externalIdField for Lead and Task, to be safe to repeat');

  // A rule that can't be one is refused now.
  ruleHeaders('Lead', options);
  const dialect: Partial<CrmDialect> = {
    name: 'Salesforce',
    ...createRoutes({
      phoneSearch,
      phoneFields: phoneFieldsOf(options.phoneFields),
      phoneFormats: options.phoneFormats ?? phoneFormats,
    }),
    keyField,
    // Every org that logs calls has the field. A query knows a record at once.
    referenceField: (object) => (object === 'Task' && keyField(object) === undefined ? 'CallObject' : undefined),
    createHeaders: (object) => ruleHeaders(object, options),
    upsert: () => {
      assertUpserts(version, 'for an upsert');
      return {};
    },
    leavesOut: leftOutOf,
    leadWithTask: composite,
    caseNote: (caseId, body) => {
      if (new TextEncoder().encode(body).length > mostOfComment)
        throw new InvalidArgumentError('body', `must have at most ${mostOfComment} bytes, as comments in Salesforce`);
      return documentedCrm.caseNote(caseId, body);
    },
    http: salesforceHttp({ retryLockedRows }),
  };
  return { version, idempotency: 'none', dialect };
};

const usualPhoneFields: Readonly<Record<ObjectWithPhone, readonly string[]>> = {
  Lead: ['Phone', 'MobilePhone'],
  Contact: ['Phone', 'MobilePhone', 'HomePhone', 'OtherPhone'],
  Account: ['Phone'],
};

const phoneFieldsOf = (
  own: SalesforceOptions['phoneFields'] = {},
): Readonly<Record<ObjectWithPhone, readonly string[]>> => {
  for (const [object, fields] of Object.entries(own)) {
    if (fields.length === 0 || !fields.every(isFieldName))
      throw new InvalidArgumentError(`phoneFields.${object}`, 'must be names of fields, at least one');
  }
  return { ...usualPhoneFields, ...own };
};

const optionNames: OptionNames<SalesforceOptions> = {
  version: true,
  externalIdField: true,
  phoneSearch: true,
  phoneFields: true,
  phoneFormats: true,
  retryLockedRows: true,
  composite: true,
  duplicateRule: true,
  assignmentRule: true,
};

/** The field in which an object keeps our keys. Throws `InvalidArgumentError` for what is no custom field. */
const externalIdFields = (
  option: string | Readonly<Partial<Record<CrmObject, string>>> | undefined,
): ((object: string) => string | undefined) => {
  const names = typeof option === 'string' ? [option] : Object.values(option ?? {});
  for (const name of names) {
    if (typeof name !== 'string' || !isFieldName(name) || !name.endsWith('__c'))
      throw new InvalidArgumentError('externalIdField', 'must be a custom field (…__c) that is marked as external id');
  }
  return (object) => (typeof option === 'string' ? option : option?.[object as CrmObject]);
};

/**
 * The fields of a write that the org hasn't, hides from its user or lets it only read: a refusal names them one by one.
 * Those without which there's no such record stay.
 */
const leftOutOf: CrmDialect['leavesOut'] = (_object, fields, problems = []) => {
  const named = problems.flatMap(({ code, message = '', fields: names = [] }) => {
    if (code === 'INVALID_FIELD_FOR_INSERT_UPDATE') return names;
    return code === 'INVALID_FIELD' ? (/No such column '(\w{1,80})' on sobject/.exec(message)?.slice(1) ?? []) : [];
  });
  return Object.keys(fields).filter((field) => named.includes(field) && !needed.includes(field));
};

/** Source: https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_casecomment.htm (2026-11-26). */
const mostOfComment = 4_000;

const needed: readonly string[] = [
  'Description',
  'LastName',
  'Company',
  'Name',
  'StageName',
  'CloseDate',
  'WhoId',
  'WhatId',
];

/** The version of Salesforce's API that the preset speaks. Source: the same policy. */
export const salesforceVersion = '60.0';

/**
 * The versions of the API that Salesforce has taken away or will; each lives for three years at least. Source: its API
 * end-of-life policy, as of Winter ’27. `GET /services/data` of an org lists what it serves today.
 *
 * @example
 * const { upTo, in: release } = salesforceVersions.retiring;
 * if (Number(version) <= Number(upTo)) console.warn(`${version} is served until ${release}`);
 */
export const salesforceVersions: {
  /** Answered with 410. */
  readonly retired: { readonly upTo: string; readonly since: string };
  /** Still served; gone with the release in `in`. */
  readonly retiring: { readonly from: string; readonly upTo: string; readonly in: string };
  /** The newest one that this package was written against. */
  readonly newest: string;
} = {
  retired: { upTo: '30.0', since: 'Summer ’25' },
  retiring: { from: '31.0', upTo: '40.0', in: 'Summer ’28' },
  newest: '68.0',
};

/** The first version whose upserts show whether they created. */
const firstWithCreated = 46;

/** Throws `InvalidArgumentError` for a version that is gone, and for one that is too old for what is asked of it. */
const checkVersion = (version: string, { upserts }: { readonly upserts: boolean }): void => {
  const { upTo, since } = salesforceVersions.retired;
  if (Number(version) <= Number(upTo))
    throw new InvalidArgumentError(
      'version',
      `must be above ${upTo}: Salesforce has served none of those since ${since}`,
    );
  if (upserts) assertUpserts(version, 'with externalIdField');
};

/** Throws `InvalidArgumentError` for a version that answers an upsert without a word. */
const assertUpserts = (version: string, when: string): void => {
  if (Number(version) < firstWithCreated)
    throw new InvalidArgumentError('version', `must be at least ${firstWithCreated}.0 ${when}`);
};
