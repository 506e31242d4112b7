import type { JsonObject } from '../ports/json.ts';
import { type Refusal, refusalBrand } from './tool.ts';

/**
 * For the `run` of a tool: nothing was done, and the model is told this. The result has the status `refused`.
 *
 * @example
 * run: async ({ day }) => (await calendar.isFree(day)) ? book(day) : refused({ error: 'day_is_taken' })
 */
export const refused = (value: JsonObject): Refusal => ({ refusal: value, [refusalBrand]: true });

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && refusalBrand in value;
