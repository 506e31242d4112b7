/** What JSON can say. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** An object of JSON, by the names of its fields. */
export interface JsonObject {
  readonly [name: string]: Json;
}
