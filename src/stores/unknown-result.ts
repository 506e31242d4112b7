import type { Json } from '../ports/json.ts';

/** Whether a settled result says that nobody can tell what came of the work. */
export const isUnknown = (result: Json | { readonly unknown: Json }): result is { readonly unknown: Json } =>
  typeof result === 'object' && result !== null && 'unknown' in result && Object.keys(result).length === 1;
