import type { HttpResponse } from '../../http/response.ts';
import * as z from '../../core/schema.ts';
import { jsonOf } from './json-of.ts';

/** A composite answers 200 also when it did nothing: what it answers then is what its failed part did. */
export const unwrapComposite = (response: HttpResponse): HttpResponse => {
  if (response.status !== 200 || !isComposite.test(response.text)) return response;
  const parts = compositeSchema().safeParse(jsonOf(response.text)).data?.compositeResponse ?? [];
  const failed = parts.filter(({ httpStatusCode }) => httpStatusCode >= 300);
  // The others say only that they were halted because of it.
  const cause = failed.find(({ body }) => !JSON.stringify(body ?? '').includes('PROCESSING_HALTED')) ?? failed[0];
  return cause ? { ...response, status: cause.httpStatusCode, text: JSON.stringify(cause.body ?? null) } : response;
};

/** Checked before every 200 is parsed. */
const isComposite = /^\s*\{\s*"compositeResponse"/;

const compositeSchema = z.lazily(() =>
  z.object({
    compositeResponse: z.array(
      z.object({ referenceId: z.string(), httpStatusCode: z.int(), body: z.optional(z.unknown()) }),
    ),
  }),
);
