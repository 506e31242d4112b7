import type { EndpointAnswer } from '../endpoint.ts';
import { invalidParameter as invalid, Refused } from '../refused.ts';
import type { MessagingStore } from '../store/messaging.ts';
import type { FakeCompany, FakeContact, FakeConversation } from '../store/messaging-records.ts';

export const ok = (body: unknown): EndpointAnswer => ({ status: 200, body });

const notFound = (what: string) =>
  new Refused(
    404,
    what === 'contact' || what === 'conversation' ? 'not_found' : `${what}_not_found`,
    `No such ${what}`,
  );

/** The record with this id; a refusal names `what` there's none of. */
export const found = <T>(records: ReadonlyMap<string, T>, id: unknown, what: string): T => {
  const record = records.get(String(id));
  if (!record) throw notFound(what);
  return record;
};

export const contactOf = (store: MessagingStore, id: unknown): FakeContact => {
  const contact = store.contacts.get(String(id));
  if (!contact) throw notFound('contact');
  return contact;
};
export const conversationOf = (store: MessagingStore, id: unknown): FakeConversation => {
  const conversation = store.conversations.get(String(id));
  if (!conversation) throw notFound('conversation');
  return conversation;
};
export const companyOf = (store: MessagingStore, id: unknown): FakeCompany => {
  const company = store.companies.get(String(id));
  if (!company) throw notFound('company');
  return company;
};
export const adminOf = (store: MessagingStore, id: unknown) => {
  const admin = store.admins.get(String(id));
  if (!admin) throw notFound('admin');
  return admin;
};
export const assigneeOf = (
  store: MessagingStore,
  type: unknown,
  id: unknown,
): { type: 'team' | 'admin'; id: string } => {
  if (type !== 'team' && type !== 'admin') throw invalid('type', 'must be "team" or "admin"');
  const known = type === 'team' ? store.teams : store.admins;
  if (!known.has(String(id))) throw notFound('assignee');
  return { type, id: String(id) };
};

export const attachTag = (store: MessagingStore, record: { tag_ids: string[] }, id: unknown): EndpointAnswer => {
  const tag = store.tags.get(String(id));
  if (!tag) throw notFound('tag');
  if (!record.tag_ids.includes(tag.id)) record.tag_ids.push(tag.id);
  return ok({ type: 'tag', ...tag });
};

export const detachTag = (store: MessagingStore, record: { tag_ids: string[] }, id: unknown): EndpointAnswer => {
  const tag = store.tags.get(String(id));
  if (!tag || !record.tag_ids.includes(tag.id)) throw notFound('tag');
  record.tag_ids = record.tag_ids.filter((other) => other !== tag.id);
  return ok({ type: 'tag', ...tag });
};
