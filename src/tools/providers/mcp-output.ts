import { isJsonObject, type Json, type JsonObject } from '../../stores/ports/json.ts';
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

const fits = (
  value: Json,
  { type, enum: values, properties = {}, required = [], items, anyOf }: PropertySchema,
): boolean => {
  if (values && !values.includes(value)) return false;
  if (anyOf && !anyOf.some((one) => fits(value, one))) return false;
  if (type !== undefined && !isOfType(value, type)) return false;
  if (Array.isArray(value)) return items === undefined || value.every((item) => fits(item, items));
  if (!isJsonObject(value)) return true;
  if (required.some((name) => !Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, one]) => fits(one, properties[name] ?? {}));
};

const isOfType = (value: Json, type: NonNullable<PropertySchema['type']>): boolean => {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  return type === 'object' ? isJsonObject(value) : typeof value === type;
};
