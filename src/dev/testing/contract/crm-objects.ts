import type { CrmResource } from '../operations.ts';
import type { FieldType, Fields } from '../fields.ts';
import type { CrmObject } from '../store/crm.ts';

/** The writable fields of one object. */
export interface ObjectShape {
  /** Its name in operations. */
  readonly resource: CrmResource | `${string}__c`;
  /** Needed when it is created. */
  readonly required: readonly string[];
  readonly fields: Readonly<Record<string, FieldType>>;
  /** Set by the CRM itself; can be queried and not written. */
  readonly readOnly: readonly string[];
  /** The objects that an id in this field may belong to. */
  readonly references: Readonly<Record<string, readonly CrmObject[]>>;
  /** The words that a field may hold. */
  readonly picklists?: Readonly<Record<string, readonly string[]>>;
}

const address = (prefix: string): Readonly<Record<string, 'text'>> =>
  Object.fromEntries(['Street', 'City', 'State', 'PostalCode', 'Country'].map((part) => [`${prefix}${part}`, 'text']));

/** Lead and Task of the default API, and the standard fields of the objects that it names. */
export const crmObjects: Readonly<Record<CrmObject, ObjectShape>> = {
  Lead: {
    resource: 'leads',
    required: ['LastName', 'Company'],
    fields: {
      FirstName: 'text',
      LastName: 'text',
      Company: 'text',
      Email: 'email',
      Phone: 'text',
      MobilePhone: 'text',
      Title: 'text',
      Website: 'text',
      ...address(''),
      DoNotCall: 'boolean',
      HasOptedOutOfEmail: 'boolean',
      Industry: 'text',
      Rating: 'text',
      NumberOfEmployees: 'integer',
      AnnualRevenue: 'number',
      LeadSource: 'text',
      Status: 'text',
      Description: 'text',
      OwnerId: 'text',
      Use_Case__c: 'text',
      Expected_Close__c: 'date',
      Lead_Score__c: 'number',
      Rejection_Reason__c: 'text',
    },
    readOnly: [
      'Name',
      'IsConverted',
      'ConvertedDate',
      'ConvertedAccountId',
      'ConvertedContactId',
      'ConvertedOpportunityId',
    ],
    references: {},
  },
  Task: {
    resource: 'tasks',
    required: [],
    fields: {
      Subject: 'text',
      Status: 'text',
      Priority: 'text',
      ActivityDate: 'date',
      Description: 'text',
      WhoId: 'text',
      WhatId: 'text',
      OwnerId: 'text',
      TaskSubtype: 'text',
      CallType: 'text',
      CallDurationInSeconds: 'integer',
      CallDisposition: 'text',
      CallObject: 'text',
    },
    readOnly: ['IsClosed', 'AccountId'],
    references: { WhoId: ['Lead', 'Contact'], WhatId: ['Opportunity', 'Account', 'Case'] },
    picklists: { CallType: ['Inbound', 'Internal', 'Outbound'] },
  },
  Contact: {
    resource: 'contacts',
    required: ['LastName'],
    fields: {
      FirstName: 'text',
      LastName: 'text',
      AccountId: 'text',
      Email: 'email',
      Phone: 'text',
      MobilePhone: 'text',
      HomePhone: 'text',
      OtherPhone: 'text',
      Title: 'text',
      Department: 'text',
      ...address('Mailing'),
      DoNotCall: 'boolean',
      HasOptedOutOfEmail: 'boolean',
      LeadSource: 'text',
      Description: 'text',
      OwnerId: 'text',
    },
    readOnly: ['Name'],
    references: { AccountId: ['Account'] },
  },
  Account: {
    resource: 'accounts',
    required: ['Name'],
    fields: {
      Name: 'text',
      Type: 'text',
      ParentId: 'text',
      ...address('Billing'),
      Phone: 'text',
      Website: 'text',
      Industry: 'text',
      AnnualRevenue: 'number',
      NumberOfEmployees: 'integer',
      Description: 'text',
      OwnerId: 'text',
    },
    readOnly: [],
    references: { ParentId: ['Account'] },
  },
  Opportunity: {
    resource: 'opportunities',
    required: ['Name', 'StageName', 'CloseDate'],
    fields: {
      Name: 'text',
      StageName: 'text',
      CloseDate: 'date',
      AccountId: 'text',
      Amount: 'number',
      Probability: 'number',
      Type: 'text',
      NextStep: 'text',
      LeadSource: 'text',
      Description: 'text',
      OwnerId: 'text',
    },
    readOnly: ['IsClosed', 'IsWon'],
    references: { AccountId: ['Account'] },
  },
  Case: {
    resource: 'cases',
    required: [],
    fields: {
      Subject: 'text',
      Description: 'text',
      Status: 'text',
      Priority: 'text',
      Origin: 'text',
      Type: 'text',
      Reason: 'text',
      ContactId: 'text',
      AccountId: 'text',
      SuppliedName: 'text',
      SuppliedEmail: 'email',
      SuppliedPhone: 'text',
      SuppliedCompany: 'text',
      OwnerId: 'text',
    },
    readOnly: ['CaseNumber', 'IsClosed', 'IsEscalated'],
    references: { ContactId: ['Contact'], AccountId: ['Account'] },
  },
  Event: {
    resource: 'events',
    required: ['StartDateTime'],
    fields: {
      Subject: 'text',
      StartDateTime: 'datetime',
      EndDateTime: 'datetime',
      DurationInMinutes: 'integer',
      IsAllDayEvent: 'boolean',
      ActivityDate: 'date',
      Location: 'text',
      Description: 'text',
      WhoId: 'text',
      WhatId: 'text',
      OwnerId: 'text',
      Type: 'text',
      ShowAs: 'text',
      IsPrivate: 'boolean',
      IsReminderSet: 'boolean',
      ReminderDateTime: 'datetime',
    },
    readOnly: ['AccountId'],
    references: { WhoId: ['Lead', 'Contact'], WhatId: ['Opportunity', 'Account', 'Case'] },
    picklists: { ShowAs: ['Busy', 'OutOfOffice', 'Free'] },
  },
};

/** Fields of every object that the CRM sets itself. */
const systemFields = ['Id', 'CreatedDate', 'LastModifiedDate', 'LastActivityDate'];

const isCustom = (name: string) => name.endsWith('__c');

/** Returns the fields of a create's body; an update requires none. */
export const bodyFields = (shape: ObjectShape, method: 'create' | 'update'): Fields => {
  const isRequired = (name: string) => method === 'create' && shape.required.includes(name);
  const entries = Object.entries(shape.fields);
  return {
    required: Object.fromEntries(entries.filter(([name]) => isRequired(name))),
    optional: Object.fromEntries(entries.filter(([name]) => !isRequired(name))),
    others: isCustom,
  };
};

/** Returns true if a query may name the field. */
export const isQueryable = (shape: ObjectShape, name: string): boolean =>
  Object.hasOwn(shape.fields, name) || shape.readOnly.includes(name) || systemFields.includes(name) || isCustom(name);
