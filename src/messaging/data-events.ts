import { entry } from '../api/entry.ts';
import { email, id, text } from '../core/arguments.ts';
import type { RequestOptions } from '../http/operation.ts';
import * as z from '../core/schema.ts';
import { readNothing } from '../core/schema.ts';

/** Something that a person did. One of `contactId`, `externalId` and `email` says who. */
export interface DataEvent {
  /** The name of the event, such as `called-support`. */
  readonly name: string;
  readonly contactId?: string | undefined;
  /** Your own id of the person. */
  readonly externalId?: string | undefined;
  readonly email?: string | undefined;
  /** The time of it, in UNIX seconds. @defaultValue now */
  readonly at?: number | undefined;
  /** Details; nothing nested. */
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** Writes down what people did. Path of the real platform; the default API doesn't have it. */
export interface DataEvents {
  /**
   * Adds an event to a person's history. It isn't sent again after an unknown end.
   *
   * @example
   * await messaging.dataEvents.create({ name: 'called-support', contactId, metadata: { minutes: 3 } });
   */
  create(event: DataEvent, call?: RequestOptions): Promise<void>;
}

const dataEvent = z.lazily<DataEvent>(() =>
  z
    .object({
      name: text(),
      contactId: z.optional(id()),
      externalId: z.optional(id()),
      email: z.optional(email()),
      at: z.optional(z.int()),
      metadata: z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
    })
    .check(
      z.refine(({ contactId, externalId, email }) => [contactId, externalId, email].some(Boolean), {
        path: ['contactId'],
        message: ', externalId or email must be given',
      }),
    ),
);

/** The operations on data events, as Intercom has them. */
export const dataEventEndpoints = {
  create: entry({
    method: 'POST',
    path: 'events',
    takes: dataEvent,
    body: ({ name, contactId, externalId, email, at = Math.floor(Date.now() / 1000), metadata }) => ({
      event_name: name,
      created_at: at,
      id: contactId,
      user_id: externalId,
      email,
      metadata,
    }),
    returns: readNothing,
  }),
};
