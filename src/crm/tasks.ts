import { account } from './accounts.ts';
import {
  type AnyFields,
  anyNamed,
  newestFirst,
  type ObjectSearch,
  type ReadRecord,
  user,
  type WrittenFields,
} from './object-table.ts';

/** The fields of a Task. An org may have more: see `AnyFields`. */
export const task = {
  resource: 'tasks',
  fields: {
    /** Title. */
    Subject: 'text',
    Status: 'text',
    Priority: 'text',
    /** The day of the call: YYYY-MM-DD. */
    ActivityDate: 'date',
    /** Transcript and summary. */
    Description: 'text',
    /** The lead or contact that it relates to. */
    WhoId: 'id',
    /** The opportunity, or another record, that it relates to. */
    WhatId: 'id',
    Type: 'text',
    /** Direction of the call, such as `Inbound`. */
    CallType: 'text',
    /** Whole seconds, 0 or more. */
    CallDurationInSeconds: 'count',
    CallDisposition: 'text',
    CallObject: 'text',
    /** `Call` makes it a logged call in the org's activity reports. */
    TaskSubtype: 'text',
    IsReminderSet: 'boolean',
    /** A moment with its zone, such as 2026-11-23T14:00:00Z. */
    ReminderDateTime: 'datetime',
    RecordTypeId: 'id',
    OwnerId: 'id',
  },
  readOnly: { IsClosed: 'boolean', AccountId: 'id' },
  parents: { Who: anyNamed, What: anyNamed, Account: account, Owner: user },
} as const;

/** The fields that an activity such as a phone call is logged with. */
export interface TaskFields extends WrittenFields<typeof task>, AnyFields {}

/** Something that was done or is to be done, such as a phone call. */
export interface Task extends ReadRecord<typeof task>, AnyFields {}

/** Tasks that match everything given; one of `whoId`, `whatId`, `ownerId` and `where` must be given. */
export interface TaskSearch {
  /** The lead or contact that they relate to. */
  readonly whoId?: string | undefined;
  /** The opportunity, or another record, that they relate to. */
  readonly whatId?: string | undefined;
  readonly ownerId?: string | undefined;
  /** Only those that are done, or only those that are not. @defaultValue both */
  readonly isClosed?: boolean | undefined;
}

/** The search of tasks. */
export const taskSearch: ObjectSearch<TaskSearch> = {
  by: { whoId: 'WhoId', whatId: 'WhatId', ownerId: 'OwnerId', isClosed: 'IsClosed' },
  needs: ['whoId', 'whatId', 'ownerId'],
  fields: ['Id', 'Subject', 'Status', 'ActivityDate', 'WhoId', 'WhatId', 'IsClosed', 'OwnerId'],
  limit: 200,
  orderBy: [newestFirst],
};
