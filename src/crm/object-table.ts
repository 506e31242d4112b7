import type { Comparison, Order } from './where.ts';

/** The kind of a field's value. A `datetime` has its zone; `phone` is E.164 when it's written, and any text when it's read. */
export type FieldKind = 'text' | 'id' | 'email' | 'phone' | 'date' | 'datetime' | 'count' | 'number' | 'boolean';

/** The kinds of an object's fields, by name. */
type Kinds = Readonly<Record<string, FieldKind>>;

/** One object of the CRM: its name in the client, and its known fields. Types, checks and readers come from it. */
export interface ObjectTable extends ParentTable {
  readonly resource: string;
  /** The fields that can't be written. */
  readonly readOnly: Kinds;
  /** The objects that a field leads to. */
  readonly parents: Readonly<Record<string, ParentTable>>;
}

/** An object without operations of its own. */
export interface ParentTable {
  readonly fields: Kinds;
}

/** The fields that every object has and the CRM sets itself. */
export const systemFields = { CreatedDate: 'datetime', LastModifiedDate: 'datetime' } as const;

/** The fields of a user. */
export const user = {
  fields: { Name: 'text', FirstName: 'text', LastName: 'text', Email: 'email', Phone: 'text', MobilePhone: 'text' },
} as const;

/** The fields of any record that `Who` or `What` leads to. */
export const anyNamed = { fields: { Name: 'text', Type: 'text' } } as const;

/**
 * Any field of the org, standard or custom, such as `City` or `Region__c`: a text, a number, `true`, `false`, or `null` to
 * empty it. The CRM refuses those that it doesn't have.
 */
export interface AnyFields {
  readonly [field: string]: unknown;
}

/** A record of which no more is known than its id. */
export type AnyRecord = AnyFields & { readonly Id: string };

/** The value of a field of this kind. */
type ValueOf<Kind> = Kind extends 'count' | 'number' ? number : Kind extends 'boolean' ? boolean : string;

/** Fields by their kinds; `null` is an empty one. */
export type Values<Known extends Kinds> = {
  readonly [Name in keyof Known]?: ValueOf<Known[Name]> | null | undefined;
};

/** The fields of an object that can be written. */
export type WrittenFields<Table extends ParentTable> = Values<Table['fields']>;

/** All fields of an object, without its parents. */
type OwnFields<Table extends ParentTable> = WrittenFields<Table> &
  (Table extends ObjectTable ? Values<Table['readOnly']> & Values<typeof systemFields> : unknown);

/** A record as it's read: its id, its fields, and its parents if their fields were asked for. */
export type ReadRecord<Table extends ObjectTable> = { readonly Id: string } & OwnFields<Table> & {
    readonly [Name in keyof Table['parents']]?:
      | ({ readonly Id?: string | undefined } & OwnFields<Table['parents'][Name]>)
      | null
      | undefined;
  };

/** A record that was created. The API promises its id and nothing else. */
export interface CreatedRecord {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** The search of one object, besides `where`. */
export interface ObjectSearch<By> {
  /** The field of each argument, with its operator if it isn't `=`. */
  readonly by: { readonly [Name in keyof By]-?: string | readonly [field: string, operator: Comparison] };
  /** The arguments of which one, or `where`, must be there. */
  readonly needs: readonly (keyof By & string)[];
  /** One of the needed arguments is enough to match. @defaultValue false: all must match */
  readonly isAny?: boolean;
  /** The fields that are read. The time shows the newest among several. */
  readonly fields: readonly string[];
  /** The fields that a CRM with the default API's columns alone knows. */
  readonly documented?: readonly string[];
  /** The most rows. */
  readonly limit: number;
  readonly orderBy: readonly Order[];
}

/** The most recently changed row comes first, since only one row is asked for by default. */
export const newestFirst: Order = { field: 'LastModifiedDate', direction: 'desc' };
