/** What the fields of a record must look like before it is sent. */
import { count, date, e164, email, id, isScalar, text } from '../arguments.ts';
import * as z from '../schema.ts';
import { isFieldName } from './query.ts';
import type {
  AccountFields,
  AccountSearch,
  CaseFields,
  CaseSearch,
  CrmContactFields,
  LeadFields,
  LeadSearch,
  OpportunityFields,
  OpportunitySearch,
  PersonSearch,
  TaskFields,
} from './records.ts';

const anyText = z.lazily(() => z.nullish(z.string()));

/** Checks the fields whose type is known, and lets any other field of the org pass. */
const fieldsOf = <Shape extends Record<string, z.ZodType>>(shapeOf: () => Shape) =>
  z.lazily(() => {
    const shape = shapeOf();
    return z.looseObject(shape).check(
      z.superRefine((fields, { addIssue }) => {
        const names = Object.keys(fields);
        if (names.every((name) => fields[name] === undefined))
          addIssue({ code: 'custom', message: 'must have at least one field', path: ['fields'] });
        for (const name of names.filter((name) => !Object.hasOwn(shape, name))) {
          if (!isFieldName(name))
            addIssue({ code: 'custom', message: 'must be the plain name of a field', path: [name] });
          else if (fields[name] !== undefined && !isScalar(fields[name]))
            addIssue({ code: 'custom', message: 'must be a text, a number, true, false or null', path: [name] });
        }
      }),
    );
  });

export const leadFields: z.LazySchema<LeadFields> = fieldsOf(() => ({
  FirstName: anyText(),
  LastName: anyText(),
  Company: anyText(),
  Email: z.nullish(email()),
  Phone: z.nullish(e164()),
  Title: anyText(),
  NumberOfEmployees: z.nullish(count()),
  LeadSource: anyText(),
  Status: anyText(),
  Use_Case__c: anyText(),
  Expected_Close__c: z.nullish(date()),
  Lead_Score__c: z.nullish(z.number()),
  Description: anyText(),
  Rejection_Reason__c: anyText(),
  OwnerId: z.nullish(id()),
}));

export const taskFields: z.LazySchema<TaskFields> = fieldsOf(() => ({
  Subject: anyText(),
  Status: anyText(),
  ActivityDate: z.nullish(date()),
  Description: anyText(),
  WhoId: z.nullish(id()),
  WhatId: z.nullish(id()),
  CallType: anyText(),
  CallDurationInSeconds: z.nullish(count()),
  TaskSubtype: anyText(),
  OwnerId: z.nullish(id()),
}));

export const contactFields: z.LazySchema<CrmContactFields> = fieldsOf(() => ({
  FirstName: anyText(),
  LastName: anyText(),
  AccountId: z.nullish(id()),
  Email: z.nullish(email()),
  Phone: z.nullish(e164()),
  MobilePhone: z.nullish(e164()),
  Title: anyText(),
  LeadSource: anyText(),
  Description: anyText(),
  OwnerId: z.nullish(id()),
}));

export const accountFields: z.LazySchema<AccountFields> = fieldsOf(() => ({
  Name: anyText(),
  Phone: z.nullish(e164()),
  Website: anyText(),
  Industry: anyText(),
  NumberOfEmployees: z.nullish(count()),
  Description: anyText(),
  OwnerId: z.nullish(id()),
}));

export const opportunityFields: z.LazySchema<OpportunityFields> = fieldsOf(() => ({
  Name: anyText(),
  StageName: anyText(),
  CloseDate: z.nullish(date()),
  AccountId: z.nullish(id()),
  Amount: z.nullish(z.number()),
  Type: anyText(),
  NextStep: anyText(),
  LeadSource: anyText(),
  Description: anyText(),
  OwnerId: z.nullish(id()),
}));

export const caseFields: z.LazySchema<CaseFields> = fieldsOf(() => ({
  Subject: anyText(),
  Description: anyText(),
  Status: anyText(),
  Priority: anyText(),
  Origin: anyText(),
  Type: anyText(),
  ContactId: z.nullish(id()),
  AccountId: z.nullish(id()),
  SuppliedName: anyText(),
  SuppliedEmail: z.nullish(email()),
  SuppliedPhone: z.nullish(e164()),
  OwnerId: z.nullish(id()),
}));

const options = () => ({
  limit: z.optional(z.int().check(z.minimum(1), z.maximum(200))),
  fields: z.optional(
    z.array(z.string().check(z.refine(isFieldName, 'must be the plain name of a field'))).check(z.maxLength(100)),
  ),
});

const person = () => ({ email: z.optional(email()), phone: z.optional(e164()), ...options() });

const hasEither = ({ email, phone }: PersonSearch) => email !== undefined || phone !== undefined;

const eitherIsMissing = { path: ['phone'], message: 'or email must be given' };

export const personSearch = z.lazily<PersonSearch>(() =>
  z.object(person()).check(z.refine(hasEither, eitherIsMissing)),
);

export const leadSearch = z.lazily<LeadSearch>(() =>
  z.object({ ...person(), isConverted: z.optional(z.boolean()) }).check(z.refine(hasEither, eitherIsMissing)),
);

export const accountSearch = z.lazily<AccountSearch>(() =>
  z.object({ name: z.optional(text()), phone: z.optional(e164()), ...options() }).check(
    z.refine(({ name, phone }) => name !== undefined || phone !== undefined, {
      path: ['name'],
      message: 'or phone must be given',
    }),
  ),
);

export const opportunitySearch = z.lazily<OpportunitySearch>(() =>
  z.object({
    accountId: id(),
    isClosed: z.optional(z.boolean()),
    ...options(),
  }),
);

export const caseSearch = z.lazily<CaseSearch>(() =>
  z
    .object({
      contactId: z.optional(id()),
      accountId: z.optional(id()),
      caseNumber: z.optional(text()),
      isClosed: z.optional(z.boolean()),
      ...options(),
    })
    .check(
      z.refine(({ contactId, accountId, caseNumber }) => [contactId, accountId, caseNumber].some((one) => one), {
        path: ['contactId'],
        message: 'or accountId or caseNumber must be given',
      }),
    ),
);
