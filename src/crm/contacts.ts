import { account } from './accounts.ts';
import {
  type AnyFields,
  newestFirst,
  type ObjectSearch,
  type ReadRecord,
  user,
  type WrittenFields,
} from './object-table.ts';

/** The fields of a contact. An org may have more: see `AnyFields`. */
export const contact = {
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
  parents: { Account: account, Owner: user },
} as const;

/** The fields that a contact is created with or changed to. */
export interface CrmContactFields extends WrittenFields<typeof contact>, AnyFields {}

/** A person whom the org already does business with. */
export interface CrmContact extends ReadRecord<typeof contact>, AnyFields {}

/** Rows whose e-mail or phone matches; at least one of the two, or `where`, must be given. */
export interface PersonSearch {
  readonly email?: string | undefined;
  /** E.164. Matched as text: a number that is stored in another format is not found. */
  readonly phone?: string | undefined;
}

/** The search of contacts. */
export const contactSearch: ObjectSearch<PersonSearch> = {
  by: { email: 'Email', phone: 'Phone' },
  needs: ['phone', 'email'],
  isAny: true,
  fields: ['Id', 'AccountId', 'Email', 'Phone', 'OwnerId'],
  documented: ['Email', 'Phone'],
  limit: 1,
  orderBy: [newestFirst],
};
