import type { HttpResponse } from '../../src/http/request.ts';

/** An answer with a JSON body. */
export const answer = (
  status = 200,
  json: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): HttpResponse => ({ status, headers: new Map(Object.entries(headers)), text: JSON.stringify(json) });
