import { createRecentRecords } from '../api/recent-records.ts';
import { createUnclearWrites, type UnclearWrites } from '../api/unclear-writes.ts';
import { AbortedError } from '../core/errors.ts';
import { shareDeadline } from '../http/deadline.ts';
import type { RequestOptions } from '../http/operation.ts';
import type { EventSearch } from './events.ts';
import type { AnyFields, AnyRecord } from './object-table.ts';
import type { RecordClient } from './records.ts';
import { searchedFields, type SearchOf } from './search-query.ts';

type Events = RecordClient<AnyFields, AnyRecord, SearchOf<'Event'>>;

/** Cancels an appointment, in the way of the CRM. */
export interface CancelsEvents {
  /**
   * The appointment doesn't take place: in HubSpot its outcome is `CANCELED`, another CRM deletes it.
   * Throws a `ClientError` with status 404 when there is none with this id.
   */
  cancel(id: string, call?: RequestOptions): Promise<void>;
}

interface RecentEventsOptions {
  readonly forMs: number;
  readonly deadlineMs: number | undefined;
  /** The fields that make an event a canceled one; `undefined`: it's deleted. */
  readonly canceled: AnyFields | undefined;
}

/**
 * Adds `cancel`. `searchAll` shows what this client made, moved or canceled in the last `forMs` as it is now. The CRM's
 * search may be behind, but a read by id isn't. An event that can't be read is shown as the search has it.
 */
export const withRecentEvents = (
  events: Events,
  { forMs, deadlineMs, canceled }: RecentEventsOptions,
): Events & CancelsEvents => {
  const recent = createRecentRecords<{ readonly id: string }>({ forMs });
  const changed = async <Result>(id: string, write: Promise<Result>): Promise<Result> => {
    // What became of it may not be known: its id says.
    recent.remember({ id });
    return write;
  };

  const recentOnes = async (by: SearchOf<'Event'>, call: RequestOptions) => {
    const options = { ...call, fields: [...searchedFields('Event', by.fields), ...Object.keys(canceled ?? {})] };
    const read = await Promise.all(
      recent.all().map(async ({ id }) => [id, await events.get(id, options).catch(leaveOut)] as const),
    );
    return new Map(read.flatMap(([id, event]) => (event === unread ? [] : [[id, event] as const])));
  };

  const isWanted = (event: AnyRecord | undefined, by: SearchOf<'Event'>): event is AnyRecord =>
    event !== undefined && !isCanceled(event, canceled) && matches(event, by);

  const searchAll: Events['searchAll'] = async function* (by, call = {}) {
    const shared = shareDeadline(call, { deadlineMs });
    const known = await recentOnes(by, shared);
    for await (const found of events.searchAll(by, known.size > 0 ? shared : call)) {
      const event = known.has(found.Id) ? known.get(found.Id) : found;
      known.delete(found.Id);
      // A row may lack what only its id shows.
      if (event === found || isWanted(event, by)) yield event ?? found;
    }
    // Whether a further condition holds is the CRM's to say.
    for (const event of known.values()) if (by.where === undefined && isWanted(event, by)) yield event;
  };

  const update: Events['update'] = (id, fields, call) => changed(id, events.update(id, fields, call));
  const remove: Events['delete'] = (id, call) => changed(id, events.delete(id, call));

  const unclear = createUnclearWrites<AnyFields>({ forMs });

  const client: Events & CancelsEvents = {
    ...events,
    update,
    delete: remove,
    create: async (fields, call) => {
      const made = await unclear.run(fields, () => events.create(fields, call));
      recent.remember({ id: made.id });
      return made;
    },
    searchAll,
    cancel: async (id, call) => {
      if (canceled) await update(id, canceled, call);
      else await remove(id, call);
    },
  };
  unclearWrites.set(client, unclear);
  return client;
};

const unclearWrites = new WeakMap<object, UnclearWrites<AnyFields>>();

/** The events that a client may have made, or is making, and that no search shows yet. Those of other clients aren't known. */
export const unclearEventsOf = (
  events: object,
): { readonly ended: readonly AnyFields[]; readonly all: readonly AnyFields[] } => {
  const unclear = unclearWrites.get(events);
  const ended = unclear?.ended() ?? [];
  return { ended, all: [...ended, ...(unclear?.goingOn() ?? [])] };
};

const isCanceled = (event: AnyRecord, canceled: AnyFields = {}): boolean => {
  const fields = Object.entries(canceled);
  return fields.length > 0 && fields.every(([field, value]) => event[field] === value);
};

const matches = (event: AnyRecord, { ownerId, whoId, whatId, from, to }: EventSearch): boolean =>
  (ownerId === undefined || event['OwnerId'] === ownerId) &&
  (whoId === undefined || event['WhoId'] === whoId) &&
  (whatId === undefined || event['WhatId'] === whatId) &&
  (to === undefined || startOf(event) < Date.parse(to)) &&
  (from === undefined || Date.parse(String(event['EndDateTime'])) > Date.parse(from));

const startOf = (event: AnyRecord): number => Date.parse(String(event['StartDateTime']));

const unread = 'unread';

/** The CRM's own answer is there: only a caller who gives up ends the search. */
const leaveOut = (error: unknown): typeof unread => {
  if (error instanceof AbortedError) throw error;
  return unread;
};
