/**
 * A description as its tests need it: with stricter requests, and without two rules that cannot be met.
 *
 * - What a request carries beyond what is written down is refused. OpenAPI lets every object carry more, so that a
 *   misspelt field would pass.
 * - A text of 24 characters need not be a UUID, which has 36: ids of contacts are described as both.
 * - A record that was asked for, and an item of a list, is not null. Some are described as if they could be.
 */
export const adjustDescription = <T extends { readonly request?: unknown; readonly responses: readonly unknown[] }>(
  operation: T,
): T => ({
  ...operation,
  ...(operation.request !== undefined && {
    request: mapSchemas(operation.request, (schema) => closed(possible(schema))),
  }),
  responses: operation.responses.map((response) => mapSchemas(response, there)),
});

type Schema = Readonly<Record<string, unknown>>;

/** Changes every object in a tree, the innermost first. */
const mapSchemas = (node: unknown, change: (schema: Schema) => Schema): unknown => {
  if (Array.isArray(node)) return node.map((item) => mapSchemas(item, change));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([name, value]) => [
    name,
    leftAlone.has(name) ? value : mapSchemas(value, change),
  ]);
  return change(Object.fromEntries(entries));
};

/** The parts of an `allOf` share their fields; the others hold values and no schemas. */
const leftAlone = new Set(['allOf', 'examples', 'enum', 'default']);

const closed = (schema: Schema): Schema =>
  'properties' in schema && 'type' in schema && !('allOf' in schema) && !('additionalProperties' in schema)
    ? { ...schema, additionalProperties: false }
    : schema;

const possible = (schema: Schema): Schema => {
  if (schema.format !== 'uuid' || typeof schema.maxLength !== 'number' || schema.maxLength >= 36) return schema;
  const { format: _, ...rest } = schema;
  return rest;
};

const there = (node: Schema): Schema => ({
  ...node,
  ...('schema' in node && { schema: notNull(node.schema) }),
  ...('items' in node && { items: notNull(node.items) }),
});

const notNull = (schema: unknown): unknown => {
  const { type } = (schema ?? {}) as Schema;
  return Array.isArray(type) ? { ...(schema as Schema), type: type.filter((name) => name !== 'null') } : schema;
};
