/** What arguments must look like before they are sent. */
import { count, e164, email, id, text } from '../core/arguments.ts';
import * as z from '../core/schema.ts';
import type {
  CompanyFields,
  CompanyPage,
  CompanyQuery,
  ContactFields,
  ConversationFields,
  PersonQuery,
} from './records.ts';
import { pageSize } from './search-query.ts';

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
      unsubscribed_from_emails: z.optional(z.boolean()),
      owner_id: z.nullish(id()),
      custom_attributes: attributes(),
    })
    .check(z.refine(hasField, needsField)),
);

export const companyFields = z.lazily<CompanyFields>(() =>
  z
    .looseObject({
      company_id: z.optional(id()),
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

export const conversationFields = z.lazily<ConversationFields>(() =>
  z
    .looseObject({
      title: z.optional(text()),
      read: z.optional(z.boolean()),
      company_id: z.nullish(id()),
      custom_attributes: attributes(),
    })
    .check(
      z.refine(hasField, needsField),
      z.refine((fields) => !('message_type' in fields), {
        path: ['message_type'],
        message: 'must not be given: reply, or add a note, with conversations.reply and conversations.addNote',
      }),
    ),
);

export const personQuery = z.lazily<PersonQuery>(() =>
  z.object({ phone: z.optional(e164()), email: z.optional(email()) }).check(
    z.refine(({ phone, email }) => phone !== undefined || email !== undefined, {
      path: ['phone'],
      message: 'or email must be given',
    }),
  ),
);

export const newConversation = z.lazily(() => z.object({ contactId: id(), body: text() }));
export const byAdmin = z.lazily(() => z.object({ adminId: id() }));
export const message = z.lazily(() => z.object({ body: text(), adminId: id() }));
export const toTeam = z.lazily(() => z.object({ teamId: id(), adminId: id() }));
export const toAdmin = z.lazily(() => z.object({ toAdminId: id(), adminId: id() }));
export const snooze = z.lazily(() => z.object({ until: z.int().check(z.minimum(1)), adminId: id() }));
export const farewell = z.lazily(() => z.object({ body: z.optional(text()), adminId: id() }));
export const conversationTag = z.lazily(() => z.object({ tagId: id(), adminId: id() }));
/** Without an admin where neither the call nor the client names one. */
export const contactTag = z.lazily(() => z.object({ tagId: id(), adminId: z.optional(id()) }));
export const awayMode = z.lazily(() => z.object({ away: z.boolean(), reassign: z.optional(z.boolean()) }));

export const newTag = z.lazily(() => z.object({ name: text() }));
export const merge = z.lazily(() => z.object({ fromId: id(), intoId: id() }));
export const contactNote = z.lazily(() => z.object({ body: text(), adminId: z.optional(id()) }));
export const subscription = z.lazily(() =>
  z.object({ subscriptionTypeId: id(), consent: z.enum(['opt_in', 'opt_out']) }),
);
export const companyId = z.lazily(() => z.object({ companyId: id() }));
export const companyPage = z.lazily<CompanyPage>(() =>
  z.object({ page: z.optional(z.int().check(z.minimum(1))), pageSize: pageSize() }),
);
export const companyQuery = z.lazily<CompanyQuery>(() =>
  z.object({ name: z.optional(text()), companyId: z.optional(id()) }).check(
    z.refine(({ name, companyId }) => (name === undefined) !== (companyId === undefined), {
      path: ['name'],
      message: 'or companyId must be given, and not both',
    }),
  ),
);
