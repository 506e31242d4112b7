import type { MessagingStore } from '../store/messaging.ts';
import type {
  FakeAdmin,
  FakeCompany,
  FakeContact,
  FakeConversation,
  FakePart,
  FakeTeam,
} from '../store/messaging-records.ts';

/** The tags of a contact or a conversation. */
export const tagRecords = (store: MessagingStore, { tag_ids }: { readonly tag_ids: readonly string[] }) =>
  tag_ids.map((id) => ({ type: 'tag', id, name: store.tags.get(id)?.name ?? null }));

/** A contact, as the real platform writes it. */
export const contactRecord = (store: MessagingStore, contact: FakeContact) => {
  const { tag_ids, company_ids, ...fields } = contact;
  return {
    type: 'contact',
    ...fields,
    tags: { type: 'list', data: tagRecords(store, { tag_ids }) },
    companies: { type: 'list', data: company_ids.map((id) => ({ type: 'company', id })) },
  };
};

/** A company, as the real platform writes it. */
export const companyRecord = ({ plan, ...company }: FakeCompany) => ({
  type: 'company',
  ...company,
  plan: plan === null ? null : { type: 'plan', name: plan },
});

/** A conversation with its parts, as the real platform writes it. */
export const conversationRecord = (store: MessagingStore, conversation: FakeConversation) => {
  const { contact_id, body, tag_ids, parts, ...fields } = conversation;
  return {
    type: 'conversation',
    ...fields,
    open: conversation.state === 'open',
    source: { type: 'conversation', body, author: { type: 'contact', id: contact_id } },
    contacts: { type: 'contact.list', contacts: [{ type: 'contact', id: contact_id }] },
    tags: { type: 'tag.list', tags: tagRecords(store, { tag_ids }) },
    conversation_parts: {
      type: 'conversation_part.list',
      conversation_parts: parts.map(partRecord),
      total_count: parts.length,
    },
  };
};

/** Spelt as the default API does (`message_type`, `admin_id`) and as the real platform does. */
const partRecord = ({ type, ...part }: FakePart) => ({
  type: 'conversation_part',
  message_type: type,
  part_type: type,
  admin_id: part.author.type === 'admin' ? part.author.id : null,
  ...part,
});

/** An admin, as the real platform writes it. */
export const adminRecord = (admin: FakeAdmin) => ({ type: 'admin', ...admin });

/** A team, as the real platform writes it: the ids of its members are numbers, where they can be. */
export const teamRecord = ({ admin_ids, ...team }: FakeTeam) => ({
  type: 'team',
  ...team,
  admin_ids: admin_ids.map((id) => (/^\d{1,15}$/.test(id) ? Number(id) : id)),
});
