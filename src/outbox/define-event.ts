import { InvalidArgumentError } from '../errors.ts';
import type { StandardSchema } from '../schema.ts';

/** One version of an event: its schema, and how it is made from the next higher version. */
export interface EventVersion<Payload = unknown> {
  /** What a payload of this version looks like. */
  readonly schema: StandardSchema<Payload>;
  /** Makes this version of a payload out of the next higher one that is defined. */
  // Each converter knows the versions it stands between; the list of them cannot.
  readonly down?: (payload: never) => unknown;
}

/** By their numbers: a schema, or a schema and the way down to it. */
export type EventVersions = Readonly<Record<number, StandardSchema | EventVersion>>;

/** An event that the application publishes, in all the versions that destinations may ask for. */
export interface EventDefinition<Versions extends EventVersions = EventVersions> {
  /** Stays the same over all versions, such as `call.completed`. */
  readonly name: string;
  /** By their numbers. */
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
