import { hash } from 'node:crypto';
import { isZodSchema, type StandardSchema, toJSONSchema } from '../../core/schema.ts';
import { type EventDefinition, versionOf, versionsOf } from '../../outbox/define-event.ts';

/** The fingerprints of all versions of all events, by `name@version`. Kept in a file of the application. */
export type SchemaFingerprints = Readonly<Record<string, string>>;

/** The changes of the versions since their fingerprints were recorded. */
export interface FingerprintChanges {
  /** Their schema is another: what receivers rely on has changed without a new version. */
  readonly changed: readonly string[];
  /** Recorded, and not defined any more. */
  readonly removed: readonly string[];
  /** Not recorded yet. */
  readonly added: readonly string[];
}

/** Says which JSON Schema belongs to a schema. */
export type ToJsonSchema = (schema: StandardSchema) => unknown;

/**
 * The fingerprint of each version of each event. It is taken of the JSON Schema, so that the same schema written
 * otherwise is the same. Zod 4 schemas know theirs; for others pass `toJsonSchema`, or the fingerprint cannot be made
 * and this throws.
 *
 * @example
 * await writeFile('event-fingerprints.json', JSON.stringify(fingerprintSchemas([callCompleted]), null, 2));
 */
export const fingerprintSchemas = (
  events: readonly EventDefinition[],
  { toJsonSchema = ownJsonSchema }: { readonly toJsonSchema?: ToJsonSchema } = {},
): SchemaFingerprints =>
  Object.fromEntries(
    events.flatMap((event) =>
      versionsOf(event)
        .toReversed()
        .map((version): [string, string] => {
          const { schema } = versionOf(event, version) ?? {};
          return [`${event.name}@${version}`, schema ? fingerprintOf(toJsonSchema(schema)) : ''];
        }),
    ),
  );

/**
 * Compares events with what was recorded of them, for a test of the application: nothing may have `changed`.
 *
 * @example
 * test('no event changes without a new version', () => {
 *   expect(compareFingerprints(events, recorded)).toEqual({ changed: [], removed: [], added: [] });
 * });
 */
export const compareFingerprints = (
  events: readonly EventDefinition[],
  recorded: SchemaFingerprints,
  options: { readonly toJsonSchema?: ToJsonSchema } = {},
): FingerprintChanges => {
  const current = fingerprintSchemas(events, options);
  return {
    changed: Object.keys(current).filter((key) => key in recorded && recorded[key] !== current[key]),
    removed: Object.keys(recorded).filter((key) => !(key in current)),
    added: Object.keys(current).filter((key) => !(key in recorded)),
  };
};

const fingerprintOf = (jsonSchema: unknown): string => hash('sha256', canonical(jsonSchema), 'hex').slice(0, 32);

/** Standard JSON Schema (https://standardschema.dev/json-schema): what goes over the wire is the output. */
const ownJsonSchema: ToJsonSchema = (schema) => {
  const { '~standard': standard } = schema;
  if ('jsonSchema' in standard) {
    // The part of Standard JSON Schema that says it; checked by calling it.
    const { output } = standard.jsonSchema as { readonly output: (options: { target: string }) => unknown };
    return output({ target: 'draft-2020-12' });
  }
  if (isZodSchema(schema)) return toJSONSchema(schema, { target: 'draft-2020-12' });
  throw new TypeError(`a schema of ${standard.vendor} does not know its JSON Schema: pass toJsonSchema`);
};

/** Words for people do not change what is valid. */
const forPeople = new Set(['$schema', 'title', 'description', 'examples', '$comment']);

/** Under these are schemas by the application's own names, which may be any word. */
const namesOfOwn = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** The order of fields says nothing, nor does the order of what is required. */
const canonical = (value: unknown, isNamedByApplication = false): string => {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([name]) => isNamedByApplication || !forPeople.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => {
      const sorted: unknown =
        name === 'required' && Array.isArray(field) ? field.map(String).toSorted((a, b) => (a < b ? -1 : 1)) : field;
      return `${JSON.stringify(name)}:${canonical(sorted, !isNamedByApplication && namesOfOwn.has(name))}`;
    });
  return `{${fields.join(',')}}`;
};
