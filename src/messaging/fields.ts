/** What arguments must look like before they are sent. */
import { count, e164, email, id, text } from '../arguments.ts';
import * as z from '../schema.ts';
import type { CompanyFields, ContactFields, ContactQuery } from './records.ts';

const anyText = z.optional(z.string());
const attributes = z.optional(z.record(z.string(), z.unknown()));

const hasField = (fields: object): boolean => Object.values(fields).some((value) => value !== undefined);
const needsField = { path: ['fields'], message: 'must have at least one field' };

export const contactFields: z.ZodType<ContactFields> = z
  .strictObject({
    phone: z.optional(e164),
    email: z.optional(email),
    name: anyText,
    external_id: z.optional(id),
    role: anyText,
    owner_id: z.optional(id),
    custom_attributes: attributes,
  })
  .refine(hasField, needsField);

export const companyFields: z.ZodType<CompanyFields> = z
  .strictObject({
    name: anyText,
    plan: anyText,
    monthly_spend: z.optional(z.number()),
    size: z.optional(count),
    website: anyText,
    industry: anyText,
    custom_attributes: attributes,
  })
  .refine(hasField, needsField);

export const contactQuery: z.ZodType<ContactQuery> = z.object({ field: text, operator: text, value: z.string() });

export const newConversation = z.object({ contactId: id, body: text });
export const message = z.object({ body: text });
export const toTeam = z.object({ teamId: id });
export const tagged = z.object({ tagId: id });
