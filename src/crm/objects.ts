/**
 * The standard objects of the CRM, each once: what it's called in the client, and which fields are known of it. Types,
 * checks and readers all come from here. An org may have more fields; see `AnyFields`.
 */
export const standardObjects = {
  Lead: {
    resource: 'leads',
    fields: {
      /** `Mr.`, `Dr.` and the like. */
      Salutation: 'text',
      /** Given name. */
      FirstName: 'text',
      /** Family name. */
      LastName: 'text',
      /** Company name. */
      Company: 'text',
      Email: 'email',
      /** E.164. */
      Phone: 'phone',
      /** E.164. */
      MobilePhone: 'phone',
      /** Role in the company. */
      Title: 'text',
      Website: 'text',
      Industry: 'text',
      Rating: 'text',
      Street: 'text',
      City: 'text',
      State: 'text',
      PostalCode: 'text',
      Country: 'text',
      /** Company size: an integer, 0 or more. */
      NumberOfEmployees: 'count',
      AnnualRevenue: 'number',
      /** Channel of origin. */
      LeadSource: 'text',
      /** Free text that the org's administrator defines. */
      Status: 'text',
      DoNotCall: 'boolean',
      HasOptedOutOfEmail: 'boolean',
      RecordTypeId: 'id',
      Use_Case__c: 'text',
      /** The prospect's timeline: YYYY-MM-DD. */
      Expected_Close__c: 'date',
      /** Qualification score. */
      Lead_Score__c: 'number',
      /** Summary and link to the transcript. */
      Description: 'text',
      /** Feedback of sales: why a rep rejected the lead. Usually only read. */
      Rejection_Reason__c: 'text',
      OwnerId: 'id',
    },
    readOnly: {
      /** Given and family name. */
      Name: 'text',
      /** It has become a contact; it must not be changed any more. */
      IsConverted: 'boolean',
      ConvertedDate: 'date',
      ConvertedContactId: 'id',
      ConvertedAccountId: 'id',
      ConvertedOpportunityId: 'id',
    },
    parents: { Owner: 'User' },
  },
  Contact: {
    resource: 'contacts',
    fields: {
      /** `Mr.`, `Dr.` and the like. */
      Salutation: 'text',
      FirstName: 'text',
      LastName: 'text',
      AccountId: 'id',
      Email: 'email',
      /** E.164. */
      Phone: 'phone',
      /** E.164. */
      MobilePhone: 'phone',
      HomePhone: 'text',
      OtherPhone: 'text',
      Title: 'text',
      Department: 'text',
      /** YYYY-MM-DD. */
      Birthdate: 'date',
      MailingStreet: 'text',
      MailingCity: 'text',
      MailingState: 'text',
      MailingPostalCode: 'text',
      MailingCountry: 'text',
      LeadSource: 'text',
      DoNotCall: 'boolean',
      HasOptedOutOfEmail: 'boolean',
      RecordTypeId: 'id',
      Description: 'text',
      OwnerId: 'id',
    },
    readOnly: {
      /** Given and family name. */
      Name: 'text',
    },
    parents: { Account: 'Account', Owner: 'User' },
  },
  Account: {
    resource: 'accounts',
    fields: {
      Name: 'text',
      AccountNumber: 'text',
      Type: 'text',
      ParentId: 'id',
      /** E.164. */
      Phone: 'phone',
      Website: 'text',
      Industry: 'text',
      Rating: 'text',
      BillingStreet: 'text',
      BillingCity: 'text',
      BillingState: 'text',
      BillingPostalCode: 'text',
      BillingCountry: 'text',
      /** An integer, 0 or more. */
      NumberOfEmployees: 'count',
      AnnualRevenue: 'number',
      RecordTypeId: 'id',
      Description: 'text',
      OwnerId: 'id',
    },
    readOnly: {},
    parents: { Owner: 'User' },
  },
  Opportunity: {
    resource: 'opportunities',
    fields: {
      Name: 'text',
      StageName: 'text',
      /** YYYY-MM-DD. */
      CloseDate: 'date',
      AccountId: 'id',
      Amount: 'number',
      /** Percent. */
      Probability: 'number',
      Type: 'text',
      NextStep: 'text',
      LeadSource: 'text',
      RecordTypeId: 'id',
      Description: 'text',
      OwnerId: 'id',
    },
    readOnly: { IsClosed: 'boolean', IsWon: 'boolean' },
    parents: { Account: 'Account', Owner: 'User' },
  },
  Case: {
    resource: 'cases',
    fields: {
      Subject: 'text',
      Description: 'text',
      Status: 'text',
      Priority: 'text',
      /** Channel of origin, such as `Phone`. */
      Origin: 'text',
      Type: 'text',
      Reason: 'text',
      ContactId: 'id',
      AccountId: 'id',
      ParentId: 'id',
      SuppliedName: 'text',
      SuppliedEmail: 'email',
      /** E.164. */
      SuppliedPhone: 'phone',
      SuppliedCompany: 'text',
      RecordTypeId: 'id',
      OwnerId: 'id',
    },
    readOnly: {
      /** The number that people know. */
      CaseNumber: 'text',
      IsClosed: 'boolean',
      IsEscalated: 'boolean',
      ClosedDate: 'datetime',
    },
    parents: { Contact: 'Contact', Account: 'Account', Owner: 'User' },
  },
  Task: {
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
      /** With its zone, such as 2026-11-23T14:00:00Z. */
      ReminderDateTime: 'datetime',
      RecordTypeId: 'id',
      OwnerId: 'id',
    },
    readOnly: { IsClosed: 'boolean', AccountId: 'id' },
    parents: { Who: 'Name', What: 'Name', Account: 'Account', Owner: 'User' },
  },
  Event: {
    resource: 'events',
    fields: {
      /** Title. */
      Subject: 'text',
      /** With its zone, such as 2026-11-23T14:00:00Z. */
      StartDateTime: 'datetime',
      /** With its zone. Give it or `DurationInMinutes`. */
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
      /** How the time is shown: `Busy`, `Free`, `OutOfOffice`. */
      ShowAs: 'text',
      IsPrivate: 'boolean',
      IsReminderSet: 'boolean',
      /** With its zone. */
      ReminderDateTime: 'datetime',
      RecordTypeId: 'id',
      /** Whose calendar it's in: a user, or a public calendar. */
      OwnerId: 'id',
    },
    readOnly: { AccountId: 'id' },
    parents: { Who: 'Name', What: 'Name', Account: 'Account', Owner: 'User' },
  },
} as const;

/** What is known of the org's own objects. */
export const customObject = { Name: 'text', RecordTypeId: 'id', OwnerId: 'id' } as const;

/** What every object has and the CRM sets itself. */
export const systemFields = { CreatedDate: 'datetime', LastModifiedDate: 'datetime' } as const;

/** What is known of a parent that has no operations of its own. `Name` is what `Who` and `What` are, whatever they are. */
export const otherParents = {
  User: { Name: 'text', FirstName: 'text', LastName: 'text', Email: 'email', Phone: 'text', MobilePhone: 'text' },
  Name: { Name: 'text', Type: 'text' },
} as const;

/** What a field holds. A `datetime` has its zone; `phone` is E.164 when it's written, and any text when it's read. */
export type FieldKind = 'text' | 'id' | 'email' | 'phone' | 'date' | 'datetime' | 'count' | 'number' | 'boolean';

/** The kinds of record that this package knows. */
export type CrmObject = keyof typeof standardObjects;

/** Whether an object is one of {@link standardObjects}. */
export const isStandard = (object: string): object is CrmObject => Object.hasOwn(standardObjects, object);

/** The kind of a field that is known of an object. */
export const kindOf = (object: string, field: string): FieldKind | undefined => {
  const { fields, readOnly } = isStandard(object) ? standardObjects[object] : { fields: customObject, readOnly: {} };
  const known: Readonly<Record<string, FieldKind>> = { Id: 'id', ...fields, ...readOnly, ...systemFields };
  return Object.hasOwn(known, field) ? known[field] : undefined;
};
