import type { HttpRequest } from '../http/request.ts';
import { requestIdOf } from '../http/request-id.ts';
import type { HttpResponse } from '../http/response.ts';

/** A complete answer. */
export interface Answer {
  readonly status: number;
  /** Names in lower case; the values of a doubled one are joined with a comma. */
  readonly headers: ReadonlyMap<string, string>;
  /** Decompressed. */
  readonly body: Uint8Array;
}

/** The answer as the layers read it. */
export const toResponse = ({ status, headers, body }: Answer, request: HttpRequest): HttpResponse => ({
  status,
  headers,
  text: decoder.decode(body),
  ...requestIdOf((name) => headers.get(name), request),
});

const decoder = /* @__PURE__ */ new TextDecoder();
