import { account } from './accounts.ts';
import {
  type AnyFields,
  anyNamed,
  type ObjectSearch,
  type ReadRecord,
  user,
  type WrittenFields,
} from './object-table.ts';

/** The fields of an event. An org may have more: see `AnyFields`. */
export const event = {
  resource: 'events',
  fields: {
    /** Title. */
    Subject: 'text',
    /** A moment with its zone, such as 2026-11-23T14:00:00Z. */
    StartDateTime: 'datetime',
    /** A moment with its zone. Give it or `DurationInMinutes`. */
    EndDateTime: 'datetime',
    /** Whole minutes. */
    DurationInMinutes: 'count',
    IsAllDayEvent: 'boolean',
    /** The day of an event that takes all of it: YYYY-MM-DD. */
    ActivityDate: 'date',
    Location: 'text',
    Description: 'text',
    /** The lead or contact that it relates to. */
    WhoId: 'id',
    /** The opportunity, or another record, that it relates to. */
    WhatId: 'id',
    Type: 'text',
    /** The time is shown as this: `Busy`, `Free`, `OutOfOffice`. */
    ShowAs: 'text',
    IsPrivate: 'boolean',
    IsReminderSet: 'boolean',
    /** A moment with its zone. */
    ReminderDateTime: 'datetime',
    RecordTypeId: 'id',
    /** The owner of the calendar: a user, or a public calendar. */
    OwnerId: 'id',
  },
  readOnly: { AccountId: 'id' },
  parents: { Who: anyNamed, What: anyNamed, Account: account, Owner: user },
} as const;

/** The fields that an appointment is made with. */
export interface CrmEventFields extends WrittenFields<typeof event>, AnyFields {}

/** An appointment in a calendar. */
export interface CrmEvent extends ReadRecord<typeof event>, AnyFields {}

/** Appointments that match everything given, the earliest first; one of the fields below, or `where`, must be given. */
export interface EventSearch {
  /** The owner of the calendar: a user, or a public calendar. */
  readonly ownerId?: string | undefined;
  /** The lead or contact that they relate to. */
  readonly whoId?: string | undefined;
  /** The opportunity, or another record, that they relate to. */
  readonly whatId?: string | undefined;
  /** Only those that end after this moment: a date and time with its zone, such as 2026-11-23T09:00:00Z. */
  readonly from?: string | undefined;
  /** Only those that start before this moment. With `from`, these are all that take any of the time between. */
  readonly to?: string | undefined;
}

/** The search of events. */
export const eventSearch: ObjectSearch<EventSearch> = {
  by: {
    ownerId: 'OwnerId',
    whoId: 'WhoId',
    whatId: 'WhatId',
    to: ['StartDateTime', '<'],
    from: ['EndDateTime', '>'],
  },
  needs: ['ownerId', 'whoId', 'whatId', 'from', 'to'],
  fields: ['Id', 'Subject', 'StartDateTime', 'EndDateTime', 'IsAllDayEvent', 'ShowAs', 'WhoId', 'WhatId', 'OwnerId'],
  limit: 200,
  orderBy: [{ field: 'StartDateTime' }],
};
