import type { Json } from '../stores/ports/json.ts';

/**
 * The reasons to refuse a delivery, as its sender sees them. They reveal nothing of the delivery or of the receiver.
 */
export type RefusalCode =
  | 'malformed_request'
  | 'malformed_body'
  | 'unauthorized'
  | 'forbidden'
  | 'method_not_allowed'
  | 'in_progress'
  | 'conflict'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'invalid_event'
  | 'failed'
  | 'unavailable';

const statuses: Readonly<Record<RefusalCode, number>> = {
  malformed_request: 400,
  malformed_body: 400,
  unauthorized: 401,
  forbidden: 403,
  method_not_allowed: 405,
  in_progress: 409,
  conflict: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  invalid_event: 422,
  failed: 500,
  unavailable: 503,
};

/** A delivery is not taken. Ends its way through the receiver. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  /** The reason for listeners, more exact than the code. */
  readonly reason: string;
  /** The field that is wrong, shown to a known sender. */
  declare readonly field?: string;
  declare readonly retryAfterMs?: number;

  constructor(
    code: RefusalCode,
    reason: string,
    more: { field?: string | undefined; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(`${code}: ${reason}`, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'Refusal';
    this.code = code;
    this.reason = reason;
    if (more.field !== undefined) this.field = more.field;
    if (more.retryAfterMs !== undefined) this.retryAfterMs = more.retryAfterMs;
  }
}

export const refusalAnswer = ({ code, field, retryAfterMs }: Refusal): Response => {
  const headers: Record<string, string> = {};
  if (code === 'method_not_allowed') headers.allow = 'POST, PUT, PATCH, HEAD';
  if (code === 'unauthorized') headers['www-authenticate'] = 'Bearer';
  if (retryAfterMs !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterMs / 1000)));
  return json(statuses[code], { error: code, field }, headers);
};

/** An answer as it is stored, to be given again. */
export type StoredAnswer = { readonly status: number; readonly body?: Json };

/** Returns a handler's result as JSON has it, so that each answer is the same; `undefined` if JSON can't hold it. */
export const handledAnswer = (result: unknown): StoredAnswer | undefined => {
  if (result === undefined) return { status: 204 };
  try {
    const text: string | undefined = JSON.stringify(result);
    return text === undefined ? undefined : { status: 200, body: JSON.parse(text) as Json };
  } catch {
    return undefined;
  }
};

export const storedAnswer = ({ status, body }: StoredAnswer): Response =>
  body === undefined ? new Response(null, { status, headers: noStore }) : json(status, body);

const noStore = { 'cache-control': 'no-store' };

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...noStore, ...headers },
  });
