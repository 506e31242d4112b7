/** What JSON can say. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** An object of JSON, by the names of its fields. */
export interface JsonObject {
  readonly [name: string]: Json;
}

/** Parsed JSON that is no scalar and no list. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of parsed JSON: none, unless it's an object. */
export const fieldsOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** The objects in a list of parsed JSON: none, unless it's a list. */
export const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
