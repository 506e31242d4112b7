import { InvalidArgumentError } from '../core/errors.ts';
import type { Json } from '../stores/ports/json.ts';
import { fieldOf, type StandardSchema } from '../core/schema.ts';
import { jsonText } from './message.ts';

/** One version of an event: its schema, and how it is made from the next higher version. */
export interface EventVersion<Payload = unknown> {
  /** The schema of this version's payload. */
  readonly schema: StandardSchema<Payload>;
  /** Makes this version of a payload out of the next higher one that is defined. */
  // Each converter knows its two versions; the list of them can't.
  readonly down?: (payload: never) => unknown;
}

/** The versions by number: a schema, or a schema and the way down to it. */
export type EventVersions = Readonly<Record<number, StandardSchema | EventVersion>>;

/** An event that the application publishes, in all the versions that destinations may ask for. */
export interface EventDefinition<Versions extends EventVersions = EventVersions> {
  /** Stays the same over all versions, such as `call.completed`. */
  readonly name: string;
  /** The versions by number. */
  readonly versions: Versions;
}

/** A payload of one of the versions. */
export type PayloadOf<Versions extends EventVersions> = PayloadOfVersion<Versions[keyof Versions]>;

/** The payload of one version. */
type PayloadOfVersion<Version> =
  Version extends StandardSchema<infer Payload>
    ? Payload
    : Version extends EventVersion<infer Payload>
      ? Payload
      : never;

/**
 * Names an event and the schemas of its versions: zod, valibot or any other Standard Schema.
 * Throws `InvalidArgumentError` for an empty name and for versions that are no whole numbers above 0.
 *
 * @example
 * const callCompleted = defineEvent('call.completed', {
 *   1: { schema: callCompletedV1, down: ({ durationSeconds, ...rest }: CallCompletedV2) => ({ ...rest, duration: durationSeconds }) },
 *   2: callCompletedV2,
 * });
 */
export const defineEvent = <const Versions extends EventVersions>(
  name: string,
  versions: Versions,
): EventDefinition<Versions> => {
  if (!/^[\w.:-]{1,100}$/.test(name))
    throw new InvalidArgumentError('event', 'must be a name of letters, digits, dots, dashes and colons');
  const numbers = Object.keys(versions);
  if (numbers.length === 0) throw new InvalidArgumentError(`event ${name}`, 'must have at least one version');
  if (!numbers.every((version) => /^[1-9]\d{0,5}$/.test(version)))
    throw new InvalidArgumentError(`event ${name}`, 'must have whole numbers above 0 as versions');
  return { name, versions };
};

/** The numbers of an event's versions, the newest first. */
export const versionsOf = ({ versions }: EventDefinition): readonly number[] =>
  Object.keys(versions)
    .map(Number)
    .toSorted((a, b) => b - a);

/** One version, whichever way it was written. */
export const versionOf = ({ versions }: EventDefinition, version: number): EventVersion | undefined => {
  const found = Object.hasOwn(versions, version) ? versions[version] : undefined;
  return found && '~standard' in found ? { schema: found } : found;
};

/**
 * Returns one payload in all the versions that are wanted. Checks it, then converts it downwards step by step and
 * checks each form. Throws `InvalidArgumentError` for a payload that its schema refuses, and for a version that it has
 * no form for.
 */
export const downgradePayload = async (
  event: EventDefinition,
  payload: unknown,
  { publishedVersion, wanted }: { readonly publishedVersion: number; readonly wanted: readonly number[] },
): Promise<ReadonlyMap<number, Json>> => {
  const forms = new Map<number, Json>();
  const lowest = Math.min(publishedVersion, ...wanted);
  let current = payload;
  for (const version of versionsOf(event).filter((each) => each <= publishedVersion && each >= lowest)) {
    const { schema, down } = versionOf(event, version) ?? {};
    if (!schema) break;
    if (version !== publishedVersion) {
      // Without a way down to this version there is none to those below it either.
      if (!down) break;
      current = down(current as never);
    }
    current = await check(event, version, schema, current);
    forms.set(version, toJson(current));
  }
  const missing = wanted.find((version) => !forms.has(version));
  if (missing !== undefined) throw noForm(event, missing, publishedVersion);
  return forms;
};

const check = async (
  { name }: EventDefinition,
  version: number,
  schema: StandardSchema,
  payload: unknown,
): Promise<unknown> => {
  const result = await schema['~standard'].validate(payload);
  if (!result.issues) return result.value;
  const field = fieldOf(['payload', ...(result.issues[0]?.path ?? [])]);
  throw new InvalidArgumentError(field, `is not what version ${version} of ${name} says it is`, {
    operation: 'outbox.publish',
  });
};

/** Returns the payload that will be sent: dates are texts, fields that are `undefined` are left out. */
const toJson = (payload: unknown): Json => JSON.parse(jsonText('payload', payload)) as Json;

const noForm = ({ name }: EventDefinition, version: number, publishedVersion: number): InvalidArgumentError =>
  new InvalidArgumentError(
    'event',
    `${name} was given as version ${publishedVersion} and has no form for version ${version}, which a destination wants: define it, with a way down from the version above`,
    { operation: 'outbox.publish' },
  );
