/** What arguments must look like before they are sent. */
import { count, e164, email, id, text } from '../arguments.ts';
import * as z from '../schema.ts';
import type { CompanyFields, ContactCondition, ContactFields, ContactQuery, PersonQuery } from './records.ts';

const anyText = z.lazily(() => z.nullish(z.string()));
const attributes = z.lazily(() => z.optional(z.record(z.string(), z.unknown())));

const hasField = (fields: object): boolean => Object.values(fields).some((value) => value !== undefined);
const needsField = { path: ['fields'], message: 'must have at least one field' };

export const contactFields = z.lazily<ContactFields>(() =>
  z
    .looseObject({
      phone: z.nullish(e164()),
      email: z.nullish(email()),
      name: anyText(),
      external_id: z.nullish(id()),
      role: anyText(),
      owner_id: z.nullish(id()),
      custom_attributes: attributes(),
    })
    .check(z.refine(hasField, needsField)),
);

export const companyFields = z.lazily<CompanyFields>(() =>
  z
    .looseObject({
      name: anyText(),
      plan: anyText(),
      monthly_spend: z.nullish(z.number()),
      size: z.nullish(count()),
      website: anyText(),
      industry: anyText(),
      custom_attributes: attributes(),
    })
    .check(z.refine(hasField, needsField)),
);

const searchedValue = z.lazily(() =>
  z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()]))]),
);

const condition = z.lazily<ContactCondition>(() =>
  z.object({ field: text(), operator: text(), value: searchedValue() }),
);

const anyObject = z.lazily(() => z.object({}));
const someParts = z.lazily(() => z.array(z.unknown()).check(z.minLength(1)));

/** Reads what the query is meant to be before it is checked, so that the field that is wrong is named. */
export const checkContactQuery = (operation: string, query: ContactQuery, prefix = ''): ContactQuery => {
  const joined = z.checkArgument(operation, anyObject, query, prefix) && joinOf(query);
  if (joined === undefined) return z.checkArgument(operation, condition, query, prefix);
  const [join, parts] = joined;
  const under = prefix === '' ? join : `${prefix}.${join}`;
  z.checkArgument(operation, someParts, parts, under);
  const checked = parts.map((part, index) => checkContactQuery(operation, part, `${under}.${index}`));
  return join === 'any' ? { any: checked } : { all: checked };
};

const joinOf = (query: ContactQuery): readonly ['any' | 'all', readonly ContactQuery[]] | undefined => {
  if ('any' in query) return ['any', query.any];
  return 'all' in query ? ['all', query.all] : undefined;
};

export const personQuery = z.lazily<PersonQuery>(() =>
  z.object({ phone: z.optional(e164()), email: z.optional(email()) }).check(
    z.refine(({ phone, email }) => phone !== undefined || email !== undefined, {
      path: ['phone'],
      message: 'or email must be given',
    }),
  ),
);

export const pageSize = z.lazily<number | undefined>(() => z.optional(z.int().check(z.minimum(1))));

/** One page of a search. `checkContactQuery` has checked the query. */
export interface ContactSearch {
  readonly query: ContactQuery;
  readonly pageSize?: number | undefined;
  readonly after?: string | undefined;
}

export const contactSearch = z.lazily<ContactSearch>(() =>
  z.object({ query: z.custom<ContactQuery>(), pageSize: pageSize(), after: z.optional(z.string()) }),
);

export const newConversation = z.lazily(() => z.object({ contactId: id(), body: text() }));
export const byAdmin = z.lazily(() => z.object({ adminId: id() }));
export const message = z.lazily(() => z.object({ body: text(), adminId: id() }));
export const toTeam = z.lazily(() => z.object({ teamId: id(), adminId: id() }));
export const farewell = z.lazily(() => z.object({ body: z.optional(text()), adminId: id() }));
export const conversationTag = z.lazily(() => z.object({ tagId: id(), adminId: id() }));
/** Without an admin where neither the call nor the client names one. */
export const contactTag = z.lazily(() => z.object({ tagId: id(), adminId: z.optional(id()) }));
