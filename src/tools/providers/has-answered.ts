import { isSilence } from '../../core/arguments.ts';
import { saysNo } from '../says-no.ts';
import type { ToolCallContext } from '../context.ts';

/** A part of the conversation as a target sees it. */
export interface Said {
  readonly by: 'caller' | 'agent' | 'tool';
  /** The words, or a tool's result. `undefined`: they were spoken, and aren't written down yet. */
  readonly text: string | undefined;
  /** The id of the message, where it has one. */
  readonly id?: string | undefined;
}

/**
 * Returns whether the caller has spoken since the question with this token was read out. `undefined`: the conversation
 * doesn't show it. Words before the agent's, blank ones and a message that comes again are no answer. After a no, the
 * question is over.
 */
export const hasAnswered = (conversation: readonly Said[], token: string): boolean | undefined => {
  const asked = conversation.findLastIndex(({ by, text }) => by === 'tool' && text?.includes(token));
  // Where no one is heard, silence says nothing.
  if (asked === -1 || !conversation.some(isByCaller)) return undefined;
  const readOut = conversation.findIndex((said, index) => index > asked && said.by === 'agent' && isSpoken(said));
  if (readOut === -1) return false;
  const before = conversation.slice(0, readOut).filter(isByCaller);
  const after = conversation.slice(readOut + 1).filter((said) => isByCaller(said) && isSpoken(said));
  if (after.some(({ text }) => text !== undefined && saysNo(text))) return false;
  if (after.some((said) => said.text !== undefined && !isRepeated(said, before))) return true;
  return after.length === 0 ? false : undefined;
};

const isByCaller = ({ by }: Said): boolean => by === 'caller';

const isSpoken = ({ text }: Said): boolean => text === undefined || !isSilence(text);

/** An application may send its last message again, under its id or a new one. */
const isRepeated = ({ text, id }: Said, before: readonly Said[]): boolean =>
  before.at(-1)?.text === text || before.some((said) => id !== undefined && said.id === id);

/** A message of the conversation that a framework passes to a tool. */
export interface SaidMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly id?: unknown;
}

/** The context of a tool call in a conversation whose messages the target sees. */
export const seenIn = (messages: readonly SaidMessage[]): Pick<ToolCallContext, 'exchange' | 'hasAnswered'> => ({
  exchange: exchangeOf(messages),
  hasAnswered: (token) => hasAnswered(messages.flatMap(toSaid), token),
});

/** The user's last words and the number of their utterances, which several steps of one answer share. */
const exchangeOf = (messages: readonly SaidMessage[]): string | undefined => {
  const turns = messages.filter(({ role }) => role === 'user');
  return turns.length === 0 ? undefined : JSON.stringify([turns.length, turns.at(-1)?.content]);
};

const toSaid = ({ role, content, id }: SaidMessage): Said[] => {
  const by = speakers.get(role);
  if (!by) return [];
  const text = by === 'tool' ? JSON.stringify(content) : wordsIn(content);
  return [{ by, text, id: typeof id === 'string' ? id : undefined }];
};

const speakers: ReadonlyMap<string, Said['by']> = new Map([
  ['user', 'caller'],
  ['assistant', 'agent'],
  ['ai', 'agent'],
  ['tool', 'tool'],
]);

/** The words of a message: a text, or parts that are one. Pictures and files are none. */
export const wordsIn = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map(wordsOfPart).join(' ');
};

const wordsOfPart = (part: unknown): string => {
  if (typeof part === 'string') return part;
  const { text, transcript }: { readonly text?: unknown; readonly transcript?: unknown } = Object(part);
  const words = text ?? transcript;
  return typeof words === 'string' ? words : '';
};

/** A conversation whose parts come one by one. */
export interface HeardConversation {
  readonly add: (by: Said['by'], text: string) => void;
  readonly hasAnswered: (token: string) => boolean | undefined;
}

/** Keeps the last parts. */
export const createHeardConversation = (): HeardConversation => {
  const parts: Said[] = [];
  return {
    add: (by, text) => {
      parts.push({ by, text });
      if (parts.length > mostParts) parts.shift();
    },
    hasAnswered: (token) => hasAnswered(parts, token),
  };
};

/** A question is answered within five minutes; words may come one by one. */
const mostParts = 1_000;
