import * as z from '../schema.ts';
import { type Reader, readId, readRecord } from '../schema.ts';
import type { Account, Case, CreatedRecord, CrmContact, Lead, Opportunity } from './records.ts';

const text = z.lazily(() => z.nullish(z.string()));
const flag = z.lazily(() => z.nullish(z.boolean()));

const leadSchema = z.lazily<Lead>(() =>
  z.object({
    Id: readId(),
    Status: text(),
    Email: text(),
    Phone: text(),
    OwnerId: text(),
    IsConverted: flag(),
    ConvertedContactId: text(),
    ConvertedAccountId: text(),
    ConvertedOpportunityId: text(),
    Rejection_Reason__c: text(),
  }),
);

const contactSchema = z.lazily<CrmContact>(() =>
  z.object({
    Id: readId(),
    AccountId: text(),
    Email: text(),
    Phone: text(),
    OwnerId: text(),
  }),
);

const accountSchema = z.lazily<Account>(() => z.object({ Id: readId(), Name: text(), OwnerId: text() }));

const opportunitySchema = z.lazily<Opportunity>(() =>
  z.object({
    Id: readId(),
    AccountId: text(),
    StageName: text(),
    IsClosed: flag(),
    OwnerId: text(),
  }),
);

const caseSchema = z.lazily<Case>(() =>
  z.object({
    Id: readId(),
    CaseNumber: text(),
    Subject: text(),
    Status: text(),
    IsClosed: flag(),
    OwnerId: text(),
  }),
);

const createdSchema = z.lazily<CreatedRecord>(() => z.object({ id: readId() }));

/** A created record may come back as its bare id, as `{ id }`, or whole with its `Id`. */
export const created: Reader<CreatedRecord> = (json, context) =>
  readRecord(createdSchema, ['id'])(withId(json, 'id', 'Id'), context);

/** A found record may be its bare id, or an object with `Id` or `id`. */
const found =
  <T extends { readonly Id: string }>(schema: z.LazySchema<T>): Reader<T> =>
  (json, context) =>
    readRecord(schema, ['Id'])(withId(json, 'Id', 'id'), context);

/** One kind of record as a search gives it, in a list or by itself. */
export const lead: Reader<Lead> = found(leadSchema);
export const contact: Reader<CrmContact> = found(contactSchema);
export const account: Reader<Account> = found(accountSchema);
export const opportunity: Reader<Opportunity> = found(opportunitySchema);
export const supportCase: Reader<Case> = found(caseSchema);

const withId = (json: unknown, wanted: 'id' | 'Id', other: 'id' | 'Id'): unknown => {
  if (typeof json === 'string') return { [wanted]: json };
  if (typeof json !== 'object' || json === null || wanted in json || !(other in json)) return json;
  const { [other]: id, ...rest } = json as Record<string, unknown>;
  return { [wanted]: id, ...rest };
};
