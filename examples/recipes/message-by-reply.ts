import type { MessagingClient } from 'voice-agent-integrations/messaging';
import { refused, type SendMessageOptions } from 'voice-agent-integrations/tools';

/** Sends messages as replies in the phone call's conversation, which Intercom and Zendesk pass on to its contact. */
export const messageByReply =
  (messaging: Pick<MessagingClient, 'conversations'>): SendMessageOptions['send'] =>
  async ({ text }, { conversationIds, request }) => {
    const [id] = conversationIds;
    if (id === undefined)
      return refused({ error: 'no_conversation', message: 'Leave a note first, then call this again.' });
    await messaging.conversations.reply(id, { body: text }, request);
    return 'accepted';
  };
