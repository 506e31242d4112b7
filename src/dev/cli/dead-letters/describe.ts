import { sanitizeBody } from '../../../observability/redaction/sanitize-body.ts';
import { bodyForPeople } from '../../../outbox/message.ts';
import type { Json } from '../../../stores/ports/json.ts';

/** What a message holds, as it may be shown: texts that are no ids or states are left out. */
export const describePayload = (payload: Json): unknown => {
  if (typeof payload !== 'object' || payload === null || !('body' in payload)) return sanitizeBody(payload);
  const { body, ...rest } = payload;
  const shown = sanitizeBody(rest);
  // The outbox keeps exactly what is sent, as text.
  return typeof body === 'string' ? { ...(shown as object), body: bodyForPeople(body) } : sanitizeBody(payload);
};

/** Such as `2026-01-31T12:00:00Z`. */
export const describeMoment = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
