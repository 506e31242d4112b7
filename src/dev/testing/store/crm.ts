import type { AccountFields } from '../../../crm/accounts.ts';
import type { CaseFields } from '../../../crm/cases.ts';
import type { CrmContactFields } from '../../../crm/contacts.ts';
import type { CrmEventFields } from '../../../crm/events.ts';
import type { LeadFields } from '../../../crm/leads.ts';
import type { OpportunityFields } from '../../../crm/opportunities.ts';
import type { TaskFields } from '../../../crm/tasks.ts';
import { createIds } from './ids.ts';

/** The objects of the fake CRM. */
export type CrmObject = 'Lead' | 'Task' | 'Contact' | 'Account' | 'Opportunity' | 'Case' | 'Event';

/** A record of the fake CRM: `Id`, and the fields that were written. */
export interface FakeCrmRecord {
  Id: string;
  OwnerId: string;
  /** ISO 8601. */
  CreatedDate: string;
  /** ISO 8601. */
  LastModifiedDate: string;
  [field: string]: unknown;
}

/** The records of a converted lead. Those that are left out are made. */
export interface Conversion {
  /** @defaultValue a contact made of the lead */
  readonly contactId?: string;
  /** @defaultValue an account made of the lead */
  readonly accountId?: string;
  /** @defaultValue an opportunity made of the lead */
  readonly opportunityId?: string;
}

/** The first three characters of a record's id show its object, as in the real CRM. Those of other objects are `a00`. */
const idPrefixes: Readonly<Record<string, string>> = {
  User: '005',
  Event: '00U',
  Lead: '00Q',
  Task: '00T',
  Contact: '003',
  Account: '001',
  Opportunity: '006',
  Case: '500',
};

const defaultOwnerId = '005000000000001';

/** Everything that the fake org holds. */
export const createCrmStore = () => {
  const records: Readonly<Record<CrmObject, Map<string, FakeCrmRecord>>> = {
    Lead: new Map(),
    Task: new Map(),
    Contact: new Map(),
    Account: new Map(),
    Opportunity: new Map(),
    Case: new Map(),
    Event: new Map(),
  };
  const users = new Map([[defaultOwnerId, { ...systemFields(defaultOwnerId), Name: 'Integration User' }]]);
  /** Objects of the org's own, and the users. */
  const others = new Map<string, Map<string, FakeCrmRecord>>([['User', users]]);
  const deleted = new Set<string>();
  const nextId = createIds();
  /** The records of any object, by id. */
  const recordsOf = (object: string): Map<string, FakeCrmRecord> => {
    const map = isStandard(object) ? records[object] : (others.get(object) ?? new Map<string, FakeCrmRecord>());
    if (!isStandard(object)) others.set(object, map);
    return map;
  };

  const add = (object: string, fields: Readonly<Record<string, unknown>>): FakeCrmRecord => {
    const map = recordsOf(object);
    const given = fields['Id'];
    const Id =
      typeof given === 'string'
        ? given
        : nextId(
            object,
            (id) => map.has(id) || deleted.has(id),
            (number) => `${idPrefixes[object] ?? 'a00'}${String(number).padStart(12, '0')}`,
          );
    const record: FakeCrmRecord = {
      ...systemFields(Id),
      ...defaultsOf(object, map.size + 1),
      ...structuredClone(fields),
      Id,
    };
    map.set(Id, record);
    return record;
  };

  return {
    records,
    recordsOf,
    add,
    /** The record with this id, whatever its object. */
    find: (id: string): { readonly object: string; readonly record: FakeCrmRecord } | undefined =>
      [...Object.entries(records), ...others].flatMap(([object, map]) => {
        const record = map.get(id);
        return record ? [{ object, record }] : [];
      })[0],
    remove: (object: string, id: string): void => {
      recordsOf(object).delete(id);
      deleted.add(id);
    },
    wasDeleted: (id: string): boolean => deleted.has(id),
    update: (record: FakeCrmRecord, fields: Readonly<Record<string, unknown>>): FakeCrmRecord =>
      Object.assign(record, structuredClone(fields), { LastModifiedDate: now() }),
    /** Remembers everything; what it gives puts it back. */
    snapshot: (): (() => void) => {
      const all = () => new Map([...Object.entries(records), ...others]);
      const kept = structuredClone(all());
      return () => {
        for (const [object, map] of all()) {
          map.clear();
          for (const [id, record] of kept.get(object) ?? []) {
            map.set(id, record);
            deleted.delete(id);
          }
        }
      };
    },
    convert: (lead: FakeCrmRecord, { contactId, accountId, opportunityId }: Conversion): FakeCrmRecord => {
      const { FirstName, LastName, Email, Phone, OwnerId, Company } = lead;
      const AccountId = accountId ?? add('Account', { Name: Company ?? LastName, OwnerId }).Id;
      const contact = contactId ?? add('Contact', { FirstName, LastName, Email, Phone, OwnerId, AccountId }).Id;
      const opportunity =
        opportunityId ??
        add('Opportunity', {
          Name: Company ?? LastName,
          StageName: 'Prospecting',
          CloseDate: now().slice(0, 10),
          AccountId,
          OwnerId,
        }).Id;
      return Object.assign(lead, {
        IsConverted: true,
        ConvertedAccountId: AccountId,
        ConvertedContactId: contact,
        ConvertedOpportunityId: opportunity,
        LastModifiedDate: now(),
      });
    },
  };
};

export type CrmStore = ReturnType<typeof createCrmStore>;

const now = () => new Date().toISOString();

const systemFields = (Id: string): FakeCrmRecord => {
  const stamp = now();
  return { OwnerId: defaultOwnerId, CreatedDate: stamp, LastModifiedDate: stamp, Id };
};

const isStandard = (object: string): object is CrmObject =>
  ['Lead', 'Task', 'Contact', 'Account', 'Opportunity', 'Case', 'Event'].includes(object);

const defaultsOf = (object: string, number: number): Readonly<Record<string, unknown>> => {
  switch (object) {
    case 'Lead':
      return { IsConverted: false, ConvertedAccountId: null, ConvertedContactId: null, ConvertedOpportunityId: null };
    case 'Opportunity':
      return { IsClosed: false, IsWon: false };
    case 'Case':
      return { CaseNumber: String(number).padStart(8, '0'), IsClosed: false };
    default:
      return {};
  }
};

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
