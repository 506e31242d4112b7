import { LRUCache } from 'lru-cache';
import { ClientError } from '../core/errors.ts';
import { checkArgument } from '../core/schema.ts';
import type { Operation } from '../http/operation.ts';
import type { FieldRules } from './declared.ts';
import type { CrmDialect } from './dialect.ts';
import { fieldsSchema } from './fields.ts';
import type { AnyFields } from './object-table.ts';
import { tableOf } from './objects.ts';

/** The field that takes the words of fields that the CRM has no place for. */
const textField = 'Description';

const hasText = (object: string): boolean => textField in tableOf(object).fields;

/** The fields of a record that are sent, and those that are in its text instead. */
export interface Fitted {
  readonly fields: AnyFields;
  readonly leftOut: readonly string[];
}

/** The fields that are in the texts of records, by object and id: a description that's written again keeps them. */
export type FieldsInText = LRUCache<string, AnyFields>;

export const createFieldsInText = (): FieldsInText => new LRUCache({ max: 1_000 });

interface Writing {
  readonly operation: string;
  readonly object: string;
  readonly dialect: Pick<CrmDialect, 'leavesOut'>;
  readonly rules: FieldRules | undefined;
  readonly inText: FieldsInText;
  /** The record, where it's there already. */
  readonly id?: string | undefined;
}

/**
 * Writes a record so that no single field loses it. Fields without a counterpart go into its description at once, and
 * those that a refusal names when it's sent again. `textBefore` reads the description of a record that's there already.
 * Throws the refusal that names no such field.
 */
export const writeFitted = async <Result extends { readonly id: string }>(
  { operation, object, dialect, rules, inText, id = '' }: Writing,
  fields: AnyFields,
  send: (fitted: Fitted) => Promise<Result>,
  textBefore: () => Promise<unknown> = () => Promise.resolve(undefined),
): Promise<Result> => {
  const leftOut = hasText(object) ? [...dialect.leavesOut(object, Object(fields))] : [];
  if (leftOut.length > 0) checkArgument(operation, fieldsSchema(object, rules), fields);
  const kept = keptInText(inText, object, id, fields);
  let before: Promise<unknown> | undefined;
  for (;;) {
    const rest = without(fields, leftOut);
    const lines = linesOf({ ...kept, ...pick(fields, leftOut) });
    if (lines.length > 0 && !Object.hasOwn(rest, textField)) before ??= textBefore();
    const text = rest[textField] ?? (await before);
    try {
      const all = lines.length === 0 ? rest : { ...rest, [textField]: append(text, lines) };
      const done = await send({ fields: all, leftOut });
      const key = `${object}/${done.id}`;
      if (leftOut.length > 0) inText.set(key, { ...inText.get(key), ...pick(fields, leftOut) });
      return done;
    } catch (error) {
      const more =
        error instanceof ClientError && hasText(object) ? dialect.leavesOut(object, rest, error.problems) : [];
      if (more.length === 0) throw error;
      leftOut.push(...more);
    }
  }
};

/** The fields in a record's text that aren't written themselves, where the text is written again. */
export const keptInText = (inText: FieldsInText, object: string, id: string, fields: AnyFields): AnyFields =>
  Object(fields)[textField] === undefined ? {} : without(inText.get(`${object}/${id}`) ?? {}, Object.keys(fields));

/** A new record of several, with the fields in its text that have no counterpart. */
export const fitNew = (dialect: Pick<CrmDialect, 'leavesOut'>, object: string, fields: AnyFields): Fitted => {
  const leftOut = hasText(object) ? dialect.leavesOut(object, fields) : [];
  const rest = without(fields, leftOut);
  const lines = linesOf(pick(fields, leftOut));
  return { fields: lines.length === 0 ? rest : { ...rest, [textField]: append(rest[textField], lines) }, leftOut };
};

/** The same operation; what was left out is reported once it's done. */
export const reporting = <Result>(operation: Operation<Result>, leftOut: readonly string[]): Operation<Result> =>
  leftOut.length === 0
    ? operation
    : {
        ...operation,
        returns: (json, context) => {
          context.drift(leftOut);
          return operation.returns(json, context);
        },
      };

/** Fields as lines that people read: `Number of employees: 50`. Empty ones have none. */
export const linesOf = (fields: object): readonly string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [`${wordsOf(name)}: ${String(value)}`],
  );

/** `Expected_Close__c` is `Expected close`. */
const wordsOf = (name: string): string => {
  const words = name
    .replace(/__c$/, '')
    .replaceAll('_', ' ')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Lines that the text has already aren't added again. */
const append = (text: unknown, lines: readonly string[]): string => {
  const before = typeof text === 'string' ? text : '';
  const known = new Set(before.split(/\r?\n/));
  const added = lines.filter((line) => !known.has(line)).join('\n');
  return [before, added].filter((part) => part !== '').join('\n\n');
};

const without = (fields: AnyFields, names: readonly string[]): AnyFields =>
  Object.fromEntries(Object.entries(Object(fields)).filter(([name]) => !names.includes(name)));

const pick = (fields: AnyFields, names: readonly string[]): AnyFields =>
  Object.fromEntries(names.map((name) => [name, fields[name]]));
