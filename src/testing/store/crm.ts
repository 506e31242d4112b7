import { createIds } from './ids.ts';

/** The objects of the fake CRM. */
export type CrmObject = 'Lead' | 'Task' | 'Contact' | 'Account' | 'Opportunity' | 'Case';

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

/** Where a converted lead went. What is left out is made. */
export interface Conversion {
  /** @defaultValue a contact made of the lead */
  readonly contactId?: string;
  /** @defaultValue an account made of the lead */
  readonly accountId?: string;
  /** @defaultValue an opportunity made of the lead */
  readonly opportunityId?: string;
}

/** The first three characters of a record's id show its object, as in the real CRM. */
const idPrefixes: Readonly<Record<CrmObject, string>> = {
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
  };
  const nextId = createIds();
  const now = () => new Date().toISOString();

  const add = (object: CrmObject, fields: Readonly<Record<string, unknown>>): FakeCrmRecord => {
    const map = records[object];
    const given = fields['Id'];
    const Id =
      typeof given === 'string'
        ? given
        : nextId(
            object,
            (id) => map.has(id),
            (number) => `${idPrefixes[object]}${String(number).padStart(12, '0')}`,
          );
    const stamp = now();
    const record: FakeCrmRecord = {
      OwnerId: defaultOwnerId,
      CreatedDate: stamp,
      LastModifiedDate: stamp,
      ...defaultsOf(object, map.size + 1),
      ...structuredClone(fields),
      Id,
    };
    map.set(Id, record);
    return record;
  };

  return {
    records,
    add,
    update: (record: FakeCrmRecord, fields: Readonly<Record<string, unknown>>): FakeCrmRecord =>
      Object.assign(record, structuredClone(fields), { LastModifiedDate: now() }),
    /** Remembers everything; what it gives puts it back. */
    snapshot: (): (() => void) => {
      const kept = structuredClone(records);
      return () => {
        for (const [object, map] of Object.entries(records)) {
          map.clear();
          for (const [id, record] of kept[object as CrmObject]) map.set(id, record);
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

const defaultsOf = (object: CrmObject, number: number): Readonly<Record<string, unknown>> => {
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
