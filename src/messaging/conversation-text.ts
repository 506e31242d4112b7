import { createLocalClock, type LocalClock } from '../core/local-clock.ts';
import { flag } from '../core/option-checks.ts';
import type { Conversation } from './conversations.ts';
import { type ConversationPart, isNote } from './parts.ts';

/** Options of {@link conversationText}. */
export interface ConversationTextOptions {
  /** Adds the notes that colleagues wrote to each other. Never show that to a customer. @defaultValue false */
  readonly withInternalNotes?: boolean | undefined;
  /** The reader's time zone, as an IANA name: the times are those of its clocks. @defaultValue 'UTC' */
  readonly timeZone?: string | undefined;
}

/**
 * Turns a conversation into plain text for a model: one line per message, with its time and who wrote it. Internal notes
 * are left out unless you ask for them. So is everything that isn't known to be visible to the customer.
 *
 * @example
 * const conversation = await messaging.conversations.get(id);
 * if (conversation) console.log(conversationText(conversation)); // [2026-11-22 10:15] Customer: Where is my invoice?
 */
export const conversationText = (conversation: Conversation, options: ConversationTextOptions = {}): string =>
  createConversationText(options)(conversation);

/** {@link conversationText} for many conversations: one clock serves all of them. */
export const createConversationText = ({
  withInternalNotes = false,
  timeZone,
}: ConversationTextOptions): ((conversation: Conversation) => string) => {
  flag(withInternalNotes, 'withInternalNotes')();
  const clock = createLocalClock(timeZone);
  return ({ source, created_at, parts = [] }) =>
    [{ message_type: 'comment', created_at, ...source }, ...parts]
      .flatMap((part) => lineOf(part, withInternalNotes, clock))
      .join('\n');
};

/** The kinds of parts whose words the customer gets. Newer kinds aren't shown until they're known to be harmless. */
const visible: ReadonlySet<unknown> = new Set(['comment', 'quick_reply', 'close', 'open']);

const lineOf = (part: ConversationPart, withInternalNotes: boolean, clock: LocalClock): readonly string[] => {
  const { message_type, body, redacted } = part;
  if (!body?.trim() || redacted === true) return [];
  const isInternal = isNote(part);
  if (isInternal ? !withInternalNotes : !visible.has(message_type)) return [];
  return [`${timeOf(part['created_at'], clock)}${isInternal ? 'Internal note' : writerOf(part)}: ${body.trim()}`];
};

const writerOf = ({ author, admin_id }: ConversationPart): string => {
  const { type } = Object(author);
  if (type === 'bot') return 'Bot';
  return type === 'admin' || type === 'team' || admin_id ? 'Agent' : 'Customer';
};

const timeOf = (created: unknown, clock: LocalClock): string => {
  const at = new Date(
    typeof created === 'number' ? created * 1000 : typeof created === 'string' ? created : Number.NaN,
  );
  return Number.isNaN(at.getTime()) ? '' : `[${clock.at(at).iso.slice(0, 16).replace('T', ' ')}] `;
};
