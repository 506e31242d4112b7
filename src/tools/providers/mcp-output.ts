import { fieldsOf, isJsonObject, type Json, type JsonObject } from '../../stores/ports/json.ts';
import { type DialectParameters, toPortable } from '../dialects.ts';
import type { PropertySchema, ToolInfo } from '../tool.ts';

/**
 * Returns the schema of a tool's `structuredContent` in MCP. Nothing is required, since a refusal and a payment whose end is
 * unknown have other fields than a result.
 */
export const outputSchemaOf = ({ output, effect }: ToolInfo): DialectParameters => {
  const properties = { ...(effect === 'payment' ? ofPayments : ofAll), ...output?.properties };
  return toPortable({ type: 'object', properties, required: [] });
};

const ofAll: Readonly<Record<string, PropertySchema>> = {
  error: { type: 'string', description: 'Why it was not done.' },
  reason: { type: 'string', description: 'The same in more detail.' },
  message: { type: 'string', description: 'What to do now, or what to say.' },
  waiting_for_approval: { type: 'boolean', description: 'A colleague has to approve it first; nothing was done yet.' },
};

const ofPayments: Readonly<Record<string, PropertySchema>> = {
  success: { type: 'boolean', description: 'Whether the money has moved. Says nothing if outcome is unknown.' },
  outcome: { type: 'string', description: 'unknown: the money may have moved, and calling again checks it.' },
  already_paid: { type: 'boolean', description: 'It was made before; nothing was charged now.' },
  ...ofAll,
};

/** The result as `outputSchemaOf` says it: clients refuse anything else, also what a payment has done. */
export const structuredContentOf = (tool: ToolInfo, value: Json): JsonObject => {
  const { properties } = outputSchemaOf(tool);
  const isFit = ([name, one]: [string, Json]) => !Object.hasOwn(properties, name) || fits(one, properties[name] ?? {});
  return Object.fromEntries(Object.entries(isJsonObject(value) ? value : { result: value }).filter(isFit));
};

/**
 * Returns whether a value has the kinds, fields and listed values of a JSON Schema. Runs no pattern of it, and follows
 * no reference.
 */
export const fits = (value: unknown, schema: unknown): boolean => {
  if (!isJsonObject(schema)) return schema !== false;
  const { type, enum: values, anyOf, oneOf, allOf, properties, required, items } = schema;
  const areScalars = Array.isArray(values) && values.every((one) => typeof one !== 'object' || one === null);
  if (areScalars && !values.includes(value as never)) return false;
  if (typeof type === 'string' && !isOfType(value, type)) return false;
  if (Array.isArray(type) && !type.some((one) => isOfType(value, String(one)))) return false;
  for (const choices of [anyOf, oneOf])
    if (Array.isArray(choices) && !choices.some((one: Json) => fits(value, one))) return false;
  if (Array.isArray(allOf) && !allOf.every((one: Json) => fits(value, one))) return false;
  if (Array.isArray(value)) return isJsonObject(items) ? value.every((item) => fits(item, items)) : true;
  if (!isJsonObject(value)) return true;
  if (Array.isArray(required) && required.some((name) => !Object.hasOwn(value, String(name)))) return false;
  return Object.entries(fieldsOf(properties)).every(
    ([name, one]) => !Object.hasOwn(value, name) || fits(value[name], one),
  );
};

const isOfType = (value: unknown, type: string): boolean => {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
};
