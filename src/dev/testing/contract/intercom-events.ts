import { hubSignature } from '../../../signature/scheme.ts';
import type { EventWording, IntercomTopic } from '../event-wording.ts';
import type { MessagingStore, MessagingTopic } from '../store/messaging.ts';
import { partsSpeltByIntercom } from './intercom-records.ts';
import { contactRecord, conversationRecord } from './messaging-records.ts';
import type { FakeContact, FakeConversation } from '../store/messaging-records.ts';

/**
 * Intercom's reports of events: its topics, whole records, HMAC-SHA1. A changed attribute has no topic of its own; it
 * arrives as an update of its contact.
 */
export const intercomWording = (store: () => MessagingStore): EventWording => ({
  scheme: hubSignature,
  describe: (topic, item, { number, now }) => {
    const told = toIntercom(topic, item, store());
    if (!told) return undefined;
    const id = `notif_${number}`;
    const body = {
      type: 'notification_event',
      app_id: 'fake_app',
      id,
      topic: told.topic,
      created_at: now,
      first_sent_at: now,
      delivery_attempts: 1,
      data: { type: 'notification_event_data', item: told.item },
    };
    return { id, topic: told.topic, body };
  },
});

const toIntercom = (
  topic: MessagingTopic,
  item: Readonly<Record<string, unknown>>,
  store: MessagingStore,
): { readonly topic: IntercomTopic; readonly item: unknown } | undefined => {
  // The store fires with copies of its own records.
  const contact = item as object as FakeContact;
  const conversation = item as object as FakeConversation;
  const conversationItem = () => partsSpeltByIntercom(conversationRecord(store, conversation));
  switch (topic) {
    case 'contact.created':
      return { topic: `contact.${contact.role}.created`, item: contactRecord(store, contact) };
    case 'contact.updated':
      return { topic: `contact.${contact.role}.updated`, item: contactRecord(store, contact) };
    case 'conversation.created':
      return { topic: 'conversation.user.created', item: conversationItem() };
    case 'conversation.replied': {
      const isAdmin = conversation.parts.at(-1)?.author.type === 'admin';
      return { topic: isAdmin ? 'conversation.admin.replied' : 'conversation.user.replied', item: conversationItem() };
    }
    case 'conversation.closed':
      return { topic: 'conversation.admin.closed', item: conversationItem() };
    case 'custom_attribute.changed':
      return undefined;
  }
};
