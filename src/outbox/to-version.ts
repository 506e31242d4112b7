import { InvalidArgumentError } from '../errors.ts';
import type { Json } from '../ports/json.ts';
import type { StandardSchema } from '../schema.ts';
import { type EventDefinition, versionOf, versionsOf } from './define-event.ts';
import { jsonText } from './json-text.ts';

/**
 * The forms of one payload in the versions that are wanted: checked as it was given, then converted downwards step by
 * step, and checked again at each.
 * Throws `InvalidArgumentError` for a payload that its schema refuses, and for a version that it has no form for.
 */
export const toVersions = async (
  event: EventDefinition,
  payload: unknown,
  { given, wanted }: { readonly given: number; readonly wanted: readonly number[] },
): Promise<ReadonlyMap<number, Json>> => {
  const forms = new Map<number, Json>();
  const lowest = Math.min(given, ...wanted);
  let current = payload;
  for (const version of versionsOf(event).filter((each) => each <= given && each >= lowest)) {
    const { schema, down } = versionOf(event, version) ?? {};
    if (!schema) break;
    if (version !== given) {
      // Without a way down to this version there is none to those below it either.
      if (!down) break;
      current = down(current as never);
    }
    current = await check(event, version, schema, current);
    forms.set(version, toJson(current));
  }
  const missing = wanted.find((version) => !forms.has(version));
  if (missing !== undefined) throw noForm(event, missing, given);
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
  const path = (result.issues[0]?.path ?? []).map((step) =>
    String(typeof step === 'object' && step !== null && 'key' in step ? step.key : step),
  );
  throw new InvalidArgumentError(
    ['payload', ...path].join('.'),
    `is not what version ${version} of ${name} says it is`,
    { operation: 'outbox.publish' },
  );
};

/** As it will be sent: dates as texts, fields that are `undefined` left out. */
const toJson = (payload: unknown): Json => JSON.parse(jsonText('payload', payload)) as Json;

const noForm = ({ name }: EventDefinition, version: number, given: number): InvalidArgumentError =>
  new InvalidArgumentError(
    'event',
    `${name} was given as version ${given} and has no form for version ${version}, which a destination wants: define it, with a way down from the version above`,
    { operation: 'outbox.publish' },
  );
