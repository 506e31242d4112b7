import { fieldOf, type StandardSchema } from '../core/schema.ts';

/** The events that a receiver takes, by name: a schema, or one per version. Zod or any other Standard Schema. */
export type EventSchemas = Readonly<Record<string, EventSchema>>;

/** A schema of one event, or one for each of its versions. */
export type EventSchema = StandardSchema | { readonly [version: string | number]: StandardSchema };

/** The output of a schema. */
type Output<Schema> = Schema extends StandardSchema<infer Payload> ? Payload : never;

/** An event that was verified, validated and is handled for the first time. */
export interface ReceivedEvent<
  Type extends string = string,
  Version extends string | undefined = string | undefined,
  Payload = unknown,
> {
  /** Its name in `events`. */
  readonly type: Type;
  /** The version of its schema; `undefined` for an event without versions. */
  readonly version: Version;
  /** The same on each delivery of this event. */
  readonly id: string;
  /** The time of the event, in milliseconds since 1970, if it says so. */
  readonly occurredAt: number | undefined;
  /** The output of its schema. */
  readonly payload: Payload;
}

/** The event of one name: a union over its versions. */
export type EventOf<
  Events extends EventSchemas,
  Name extends keyof Events & string,
> = Events[Name] extends StandardSchema
  ? ReceivedEvent<Name, undefined, Output<Events[Name]>>
  : {
      [Version in keyof Events[Name] & (string | number)]: ReceivedEvent<
        Name,
        `${Version}`,
        Output<Events[Name][Version]>
      >;
    }[keyof Events[Name] & (string | number)];

const isSchema = (schema: EventSchema): schema is StandardSchema => '~standard' in schema;

/** The schema for a version, and the version it is; `undefined` when there is none. With one only, it may be left out. */
export const schemaFor = (
  schema: EventSchema,
  version: string | undefined,
): { readonly schema: StandardSchema; readonly version: string | undefined } | undefined => {
  if (isSchema(schema)) return { schema, version: undefined };
  const versions = Object.keys(schema);
  const chosen = version ?? (versions.length === 1 ? versions[0] : undefined);
  const found = chosen !== undefined && Object.hasOwn(schema, chosen) ? schema[chosen] : undefined;
  return found && { schema: found, version: chosen };
};

/** Returns the schema's output for the payload, or the first field that is wrong. */
export const validate = async (
  schema: StandardSchema,
  payload: unknown,
): Promise<{ readonly value: unknown } | { readonly field: string }> => {
  const result = await schema['~standard'].validate(payload);
  if (!result.issues) return { value: result.value };
  return { field: fieldOf(result.issues[0]?.path) };
};
