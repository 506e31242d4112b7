import type { AccountFields } from '../../../crm/accounts.ts';
import type { CaseFields } from '../../../crm/cases.ts';
import type { CrmContactFields } from '../../../crm/contacts.ts';
import type { CrmEventFields } from '../../../crm/events.ts';
import type { LeadFields } from '../../../crm/leads.ts';
import type { OpportunityFields } from '../../../crm/opportunities.ts';
import type { TaskFields } from '../../../crm/tasks.ts';
import type { Conversion, CrmStore, FakeCrmRecord } from '../store/crm.ts';

/** A record for the fake org: the fields that the client knows, its `Id`, and any others. */
export type NewFakeCrmRecord<Fields> = Fields & { readonly Id?: string } & Readonly<Record<string, unknown>>;

/** The fake org, for a test to fill and to look at. What is read is a copy of that moment. */
export interface FakeCrm {
  readonly leads: readonly FakeCrmRecord[];
  readonly tasks: readonly FakeCrmRecord[];
  readonly contacts: readonly FakeCrmRecord[];
  readonly accounts: readonly FakeCrmRecord[];
  readonly opportunities: readonly FakeCrmRecord[];
  readonly cases: readonly FakeCrmRecord[];
  readonly events: readonly FakeCrmRecord[];
  /** The records of any object, such as `Asset__c` or `User`. */
  records(object: string): readonly FakeCrmRecord[];

  /** Fields as the CRM spells them; `Id` may be given, and so may what the CRM sets itself, such as `IsConverted`. */
  addLead(lead: NewFakeCrmRecord<LeadFields>): FakeCrmRecord;
  addTask(task: NewFakeCrmRecord<TaskFields>): FakeCrmRecord;
  addContact(contact: NewFakeCrmRecord<CrmContactFields>): FakeCrmRecord;
  addAccount(account: NewFakeCrmRecord<AccountFields>): FakeCrmRecord;
  addOpportunity(opportunity: NewFakeCrmRecord<OpportunityFields>): FakeCrmRecord;
  addCase(supportCase: NewFakeCrmRecord<CaseFields>): FakeCrmRecord;
  addEvent(event: NewFakeCrmRecord<CrmEventFields>): FakeCrmRecord;
  /** A record of any object, such as `Asset__c` or `User`. */
  addRecord(object: string, fields: Readonly<Record<string, unknown>>): FakeCrmRecord;

  /** A sales rep takes over: the lead becomes a contact of an account, with an opportunity. */
  convertLead(id: string, to?: Conversion): FakeCrmRecord;

  /** From now on no other credential is accepted, as after a rotation. */
  acceptOnly(...credentials: readonly string[]): void;
}

export const crmView = (store: CrmStore, acceptOnly: FakeCrm['acceptOnly']): FakeCrm => {
  const all = (object: string) => structuredClone([...store.recordsOf(object).values()]);
  const add = (object: string) => (fields: Readonly<Record<string, unknown>>) =>
    structuredClone(store.add(object, fields));
  return {
    get leads() {
      return all('Lead');
    },
    get tasks() {
      return all('Task');
    },
    get contacts() {
      return all('Contact');
    },
    get accounts() {
      return all('Account');
    },
    get opportunities() {
      return all('Opportunity');
    },
    get cases() {
      return all('Case');
    },
    get events() {
      return all('Event');
    },
    records: all,
    addLead: add('Lead'),
    addTask: add('Task'),
    addContact: add('Contact'),
    addAccount: add('Account'),
    addOpportunity: add('Opportunity'),
    addCase: add('Case'),
    addEvent: add('Event'),
    addRecord: (object, fields) => add(object)(fields),
    convertLead: (id, to = {}) => {
      const lead = store.records.Lead.get(id);
      if (!lead) throw new Error(`There is no lead ${id}`);
      return structuredClone(store.convert(lead, to));
    },
    acceptOnly,
  };
};
