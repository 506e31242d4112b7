import type { SignatureScheme } from '../../signature/scheme.ts';
import type { MessagingTopic } from './store/messaging.ts';

/** Intercom's names of the events that the fake workspace fires. */
export type IntercomTopic =
  | 'contact.lead.created'
  | 'contact.lead.updated'
  | 'contact.user.created'
  | 'contact.user.updated'
  | 'conversation.admin.closed'
  | 'conversation.admin.replied'
  | 'conversation.user.created'
  | 'conversation.user.replied';

/** The names of an event, by the dialect of the platform. */
export type EventTopic = MessagingTopic | IntercomTopic;

/** A platform's way of reporting its events. */
export interface EventWording {
  readonly scheme: SignatureScheme;
  /** `undefined`: it does not report this one. `now` is seconds since 1970. */
  readonly describe: (
    topic: MessagingTopic,
    item: Readonly<Record<string, unknown>>,
    about: { readonly number: number; readonly now: number },
  ) => { readonly id: string; readonly topic: EventTopic; readonly body: object } | undefined;
}
