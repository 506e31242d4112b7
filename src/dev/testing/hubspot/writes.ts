import { Refused } from '../refused.ts';
import { associationTypes, isValid, properties, readOnly, required } from './objects.ts';
import { wrongStage } from './pipelines.ts';
import { assertRules } from './rules.ts';
import type { HubSpotRecord, HubSpotStore } from './store.ts';

/** One association of a new record. */
interface NewAssociation {
  readonly to: { readonly id: string };
  readonly typeIds: readonly number[];
}

/** The associations in a body. Throws `Refused` for what isn't one. */
export const asAssociations = (given: unknown): readonly NewAssociation[] =>
  (Array.isArray(given) ? given : []).map((one: { to?: { id?: unknown }; types?: unknown }) => {
    const types = Array.isArray(one.types)
      ? (one.types as { associationCategory?: unknown; associationTypeId?: unknown }[])
      : [];
    const isWhole = types.length > 0 && types.every(({ associationCategory: of }) => of === 'HUBSPOT_DEFINED');
    const id = one.to?.id;
    if (!isWhole || (typeof id !== 'string' && typeof id !== 'number'))
      throw invalid('An association needs to and types');
    return { to: { id: String(id) }, typeIds: types.map(({ associationTypeId }) => Number(associationTypeId)) };
  });

/** The properties of a write. Throws `Refused` that lists those that don't exist or can't hold their value. */
export const written = (type: string, given: unknown): Record<string, string | null> => {
  const entries = Object.entries(Object(given) as Record<string, unknown>).map(
    ([name, value]) => [name, value === null || typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  const problems = entries.flatMap(([name, text]) => problemOf(type, name, text) ?? []);
  if (problems.length > 0) throw notValid(problems);
  return Object.fromEntries(
    entries.map(([name, text]) => [name, text === '' ? null : name === 'email' ? (text?.toLowerCase() ?? null) : text]),
  );
};

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly name: string;
}

const problemOf = (type: string, name: string, text: string | null): Problem | undefined => {
  const is = (code: string, message: string): Problem => ({ code, message, name });
  if (!Object.hasOwn(properties[type] ?? {}, name))
    return is('PROPERTY_DOESNT_EXIST', `Property "${name}" does not exist`);
  if (readOnly.includes(name)) return is('READ_ONLY_VALUE', `"${name}" is a read only property`);
  if (!isValid(type, name, text)) return is('INVALID_OPTION', `${String(text)} was not one of the allowed options`);
  if (name === 'email' && text && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text))
    return is('INVALID_EMAIL', `Email address ${text} is invalid`);
  return undefined;
};

export const create = (...values: Parameters<typeof prepare>): HubSpotRecord => prepare(...values)();

/** Checks a new record, and gives what makes it. Throws `Refused`. */
export const prepare = (
  store: HubSpotStore,
  type: string,
  given: unknown,
  associations: readonly NewAssociation[],
): (() => HubSpotRecord) => {
  const values = written(type, given);
  for (const name of required[type] ?? [])
    if (!values[name])
      throw notValid([{ code: 'REQUIRED_PROPERTY_MISSING', message: `Property "${name}" is required`, name }]);
  assertRules(store.rules, type, values, {});
  assertStage(store, type, values);
  assertUnique(store, type, values);
  const links = associations.map((association) => targetOf(store, type, association));
  return () => {
    const record = store.add(type, type === 'contacts' ? { lifecyclestage: 'lead', ...values } : values);
    for (const to of links) store.associate({ type, id: record.id }, to);
    return record;
  };
};

export const update = (store: HubSpotStore, type: string, record: HubSpotRecord, given: unknown): void => {
  const values = written(type, given);
  assertRules(store.rules, type, { ...record.properties, ...values }, values);
  assertStage(store, type, { ...record.properties, ...values });
  assertUnique(store, type, values, record.id);
  Object.assign(record.properties, values);
  record.updatedAt = Date.now();
};

const assertStage = (
  { pipelines }: HubSpotStore,
  type: string,
  values: Readonly<Record<string, string | null>>,
): void => {
  const wrong = wrongStage(pipelines, type, values);
  if (!wrong) return;
  const message = `${wrong.value} was not one of the allowed options`;
  throw notValid([{ code: 'INVALID_OPTION', message, name: wrong.property }]);
};

const targetOf = (store: HubSpotStore, type: string, { to, typeIds }: NewAssociation) => {
  const found = Object.entries(associationTypes[type] ?? {}).find(([, ids]) => typeIds.every((id) => ids.includes(id)));
  if (!found) throw invalid(`Invalid association type ${typeIds.join(', ')} from ${type}`);
  const [toType] = found;
  if (!store.recordsOf(toType).has(to.id)) throw invalid(`Object not found: ${toType} ${to.id}`);
  return { type: toType, id: to.id };
};

const assertUnique = (
  store: HubSpotStore,
  type: string,
  { email }: Readonly<Record<string, string | null>>,
  own?: string,
): void => {
  if (type !== 'contacts' || !email) return;
  const known = [...store.recordsOf(type).values()].find((record) => record.properties['email'] === email);
  if (known && known.id !== own) throw new Refused(409, 'CONFLICT', `Contact already exists. Existing ID: ${known.id}`);
};

const invalid = (message: string) => new Refused(400, 'VALIDATION_ERROR', message);

const notValid = (problems: readonly Problem[]) => {
  const detail = JSON.stringify(
    problems.map(({ code, message, name }) => ({ isValid: false, message, error: code, name })),
  );
  return new Refused(400, 'VALIDATION_ERROR', `Property values were not valid: ${detail}`, {
    more: { errors: problems.map(({ code, message, name }) => ({ message, code, context: { propertyName: [name] } })) },
  });
};
