/** The fields of an answer and the types that each was seen with, by path: `data[].email` is `text` or `null`. */
export type Shape = ReadonlyMap<string, ReadonlySet<FieldType>>;

export type FieldType = 'null' | 'text' | 'number' | 'boolean' | 'list' | 'object';

/** A difference between two shapes of one answer. */
export interface ShapeDifference {
  readonly kind: 'missing-field' | 'changed-field' | 'added-field';
  readonly field: string;
  readonly before?: string;
  readonly after?: string;
}

/** Reads the shape of parsed JSON; no value of it is kept. */
export const shapeOf = (json: unknown): Shape => {
  const shape = new Map<string, Set<FieldType>>();
  const visit = (value: unknown, path: string, depth: number): void => {
    shape.set(path, (shape.get(path) ?? new Set()).add(typeOf(value)));
    if (depth === deepest || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) for (const item of value) visit(item, `${path}[]`, depth + 1);
    else for (const [name, part] of Object.entries(value)) visit(part, path ? `${path}.${name}` : name, depth + 1);
  };
  visit(json, '', 0);
  return shape;
};

/** Answers with more levels are compared as far as this. */
const deepest = 8;

/**
 * Returns the changes from one to the other. A field is missing only if its record is there. A type next to `null` may be
 * `null`. An empty list, or a record without a value, doesn't show what its fields would be.
 */
export const compareShapes = (before: Shape, after: Shape): readonly ShapeDifference[] => {
  const differences: ShapeDifference[] = [];
  for (const [field, types] of before) {
    const now = after.get(field);
    if (now && !isCompatible(types, now))
      differences.push({ kind: 'changed-field', field, before: name(types), after: name(now) });
    if (!now && isAskedFor(field, after)) differences.push({ kind: 'missing-field', field, before: name(types) });
  }
  for (const [field, types] of after)
    if (!before.has(field) && isAskedFor(field, before))
      differences.push({ kind: 'added-field', field, after: name(types) });
  return differences;
};

const typeOf = (value: unknown): FieldType => {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'object';
};

/** The record that the field would belong to is there. Items of a list are no fields of it. */
const isAskedFor = (field: string, shape: Shape): boolean =>
  !field.endsWith('[]') && shape.get(field.slice(0, Math.max(0, field.lastIndexOf('.'))))?.has('object') === true;

const isCompatible = (before: ReadonlySet<FieldType>, after: ReadonlySet<FieldType>): boolean => {
  const isOpen = [before, after].some((types) => [...types].every((type) => type === 'null'));
  return isOpen || [...after].every((type) => type === 'null' || before.has(type));
};

const name = (types: ReadonlySet<FieldType>): string => [...types].toSorted().join(' or ');
