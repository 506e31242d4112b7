import type { StandardSchema } from '../schema.ts';
import type { CustomAttributes } from './records.ts';

/**
 * What one custom attribute holds: `text`, `number`, `integer`, `boolean`, a `date` (YYYY-MM-DD), or one of a list of
 * texts.
 */
export type AttributeKind = 'text' | 'number' | 'integer' | 'boolean' | 'date' | readonly string[];

/** The custom attributes that exist, by name. */
export type DeclaredAttributes = Readonly<Record<string, AttributeKind>>;

/** Declares custom attributes: by kind, or with a Standard Schema of the object that holds them all. */
export type AttributeSchema = DeclaredAttributes | StandardSchema<object>;

type AttributeValue<Kind> = Kind extends 'text' | 'date'
  ? string
  : Kind extends 'number' | 'integer'
    ? number
    : Kind extends 'boolean'
      ? boolean
      : Kind extends readonly (infer Choice)[]
        ? Choice
        : never;

/** The attributes that a schema describes. Each declared one may be absent, or `null` when it is empty. */
export type AttributesOf<Schema> =
  Schema extends StandardSchema<infer Output>
    ? Output & object
    : string extends keyof Schema
      ? CustomAttributes
      : { readonly [Name in keyof Schema]?: AttributeValue<Schema[Name]> | null | undefined };

/** The attributes that calls are usually marked with. Spread it into your own. */
export const callAttributes: {
  /** The day of the last phone call. */
  readonly last_call_date: 'date';
  /** What kind of end it had, in words of the application. */
  readonly call_outcome_category: 'text';
  /** A person has to look at it. */
  readonly escalation_flag: 'boolean';
  /** How content the caller seemed, in words of the application. */
  readonly satisfaction_signal: 'text';
} = {
  last_call_date: 'date',
  call_outcome_category: 'text',
  escalation_flag: 'boolean',
  satisfaction_signal: 'text',
};
