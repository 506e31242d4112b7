import { entry } from '../api/entry.ts';
import { count, id, text } from '../core/arguments.ts';
import { readList, readOptionalList, readWithin } from '../core/envelope.ts';
import * as z from '../core/schema.ts';
import { type Reader, readNothing, readOptional, readRecord, type RecordList } from '../core/schema.ts';
import type { RequestOptions } from '../http/operation.ts';
import { type AttributeRules, type CustomAttributes, readDeclared, writableFields } from './attributes.ts';
import {
  hasSomeField,
  optionalAmount,
  optionalText,
  optionalTime,
  readAttributes,
  writtenAttributes,
} from './fields.ts';
import { pageSize } from './search.ts';
import { followMerge, type Workspace } from './workspace.ts';

/** Groups contacts by organization. Fields that aren't listed here are kept as they came. */
export interface Company<Attributes extends object = CustomAttributes> {
  readonly id: string;
  readonly name?: string | null | undefined;
  /** The account tier is its name. */
  readonly plan?: { readonly name?: string | null | undefined; readonly [field: string]: unknown } | null | undefined;
  /** Recurring revenue, in the unit of the workspace. */
  readonly monthly_spend?: number | null | undefined;
  readonly size?: number | null | undefined;
  /** Account manager and health signals are usually kept here. */
  readonly custom_attributes?: Attributes | undefined;
  readonly updated_at?: number | string | null | undefined;
  readonly [field: string]: unknown;
}

/** Finds one company: by exactly one of the two. */
export interface CompanyQuery {
  /** Exactly this name. */
  readonly name?: string | undefined;
  /** Your own id of it, `company_id`. */
  readonly companyId?: string | undefined;
}

/** Chooses one page of all companies. */
export interface CompanyPage {
  /** From 1. @defaultValue 1 */
  readonly page?: number | undefined;
  /** @defaultValue the platform's */
  readonly pageSize?: number | undefined;
}

/** The fields of a new company, or changes to one. A field that's left out isn't touched, and `null` empties one. */
export interface CompanyFields<Attributes extends object = CustomAttributes> {
  /** Your own id of it. Set when it's created; it can't be changed. */
  readonly company_id?: string | undefined;
  readonly name?: string | null | undefined;
  /** The name of the account tier. */
  readonly plan?: string | null | undefined;
  /** Recurring revenue, in the unit of the workspace. */
  readonly monthly_spend?: number | null | undefined;
  readonly size?: number | null | undefined;
  readonly website?: string | null | undefined;
  readonly industry?: string | null | undefined;
  readonly custom_attributes?: Attributes | undefined;
  /** Any other field of the platform, which refuses those that it doesn't have. */
  readonly [field: string]: unknown;
}

/** Reads and writes companies. Paths of the real platform; the default API names the capability only. */
export interface Companies<Attributes extends object> {
  get(id: string, call?: RequestOptions): Promise<Company<Attributes> | undefined>;
  update(id: string, fields: CompanyFields<Attributes>, call?: RequestOptions): Promise<Company<Attributes>>;
  /** With your own `company_id` it's an upsert; without one, two creations make two companies. */
  create(fields: CompanyFields<Attributes>, call?: RequestOptions): Promise<Company<Attributes>>;
  /** The company with exactly this name, or with your own id. */
  find(by: CompanyQuery, call?: RequestOptions): Promise<Company<Attributes> | undefined>;
  /** One page of the companies that have contacts. */
  list(page?: CompanyPage, call?: RequestOptions): Promise<RecordList<Company<Attributes>>>;
  /** Makes a contact part of a company. */
  attach(
    contactId: string,
    company: { readonly companyId: string },
    call?: RequestOptions,
  ): Promise<Company<Attributes>>;
  detach(contactId: string, company: { readonly companyId: string }, call?: RequestOptions): Promise<void>;
  /** The companies that a contact belongs to. */
  listForContact(contactId: string, call?: RequestOptions): Promise<RecordList<Company<Attributes>>>;
}

const companySchema = z.lazily<Company>(() =>
  z.object({
    id: z.readId(),
    name: optionalText(),
    plan: z.nullish(z.looseObject({ name: optionalText() })),
    monthly_spend: optionalAmount(),
    size: optionalAmount(),
    custom_attributes: readAttributes(),
    updated_at: optionalTime(),
  }),
);

/** Reads a company, whatever attributes it has. */
export const anyCompany: Reader<Company> = readRecord(companySchema, ['id']);

const fieldsSchema = z.lazily<CompanyFields>(() =>
  z
    .looseObject({
      company_id: z.optional(id()),
      name: optionalText(),
      plan: optionalText(),
      monthly_spend: optionalAmount(),
      size: z.nullish(count()),
      website: optionalText(),
      industry: optionalText(),
      custom_attributes: writtenAttributes(),
    })
    .check(hasSomeField('fields')),
);

const ofContact = z.lazily(() => z.object({ companyId: id() }));

const onePage = z.lazily<CompanyPage>(() =>
  z.object({ page: z.optional(z.int().check(z.minimum(1))), pageSize: pageSize() }),
);

const companyQuery = z.lazily<CompanyQuery>(() =>
  z.object({ name: z.optional(text()), companyId: z.optional(id()) }).check(
    z.refine(({ name, companyId }) => (name === undefined) !== (companyId === undefined), {
      path: ['name'],
      message: 'or companyId must be given, and not both',
    }),
  ),
);

type CompanyEndpoints<Attributes extends object> = ReturnType<typeof companyEndpoints<Attributes>>;

/** The operations on companies whose attributes follow these rules, as Intercom has them. */
export const companyEndpoints = <Attributes extends object>(rules: AttributeRules) => {
  const company = readWithin('company', readDeclared<Company<Attributes>>(anyCompany, rules));
  const companies = readOptionalList(readList(company, { under: ['companies'] }));
  return {
    get: entry({ method: 'GET', path: 'companies/{id}', absentOn404: true, returns: readOptional(company) }),
    create: entry({
      method: 'POST',
      path: 'companies',
      takes: fieldsSchema,
      // With an id of yours it's an upsert.
      repeat: ({ company_id }) => (company_id ? 'again' : undefined),
      returns: company,
    }),
    update: entry({
      method: 'PUT',
      path: 'companies/{id}',
      takes: fieldsSchema,
      withoutKeys: 'again',
      returns: company,
    }),
    find: entry({
      method: 'GET',
      path: 'companies',
      takes: companyQuery,
      query: ({ name, companyId }) => ({ name, company_id: companyId }),
      absentOn404: true,
      // Described as a list; the pages of the API show the company itself.
      answer: (answer) => (Array.isArray(Object(answer).data) ? (Object(answer).data[0] ?? null) : answer),
      returns: readOptional(company),
    }),
    list: entry({
      method: 'GET',
      path: 'companies',
      takes: onePage,
      query: ({ page, pageSize }) => ({ page, per_page: pageSize }),
      returns: companies,
    }),
    listForContact: entry({ method: 'GET', path: 'contacts/{contactId}/companies', returns: companies }),
    attach: entry({
      method: 'POST',
      path: 'contacts/{contactId}/companies',
      takes: ofContact,
      body: ({ companyId }) => ({ id: companyId }),
      withoutKeys: 'again',
      returns: company,
    }),
    detach: entry({ method: 'DELETE', path: 'contacts/{contactId}/companies/{companyId}', returns: readNothing }),
  };
};

/** Makes the methods of companies. */
export const createCompanies = <Attributes extends object>(
  workspace: Workspace<{ readonly companies: CompanyEndpoints<Attributes> }>,
  rules: AttributeRules,
): Companies<Attributes> => {
  const { companies } = workspace.methods;
  return {
    ...companies,
    create: async (fields, call) => companies.create(writableFields(rules, 'messaging.companies.create', fields), call),
    update: async (id, fields, call) =>
      companies.update(id, writableFields(rules, 'messaging.companies.update', fields), call),
    list: (page = {}, call) => companies.list(page, call),
    listForContact: (contactId, call) => followMerge(workspace, contactId, call, companies.listForContact),
    attach: (contactId, company, call) =>
      followMerge(workspace, contactId, call, (id, call) => companies.attach(id, company, call)),
    detach: (contactId, company, call) =>
      followMerge(workspace, contactId, call, (id, call) => companies.detach(id, company?.companyId, call)),
  };
};
