import { maskSecrets } from '../observability/redact.ts';
import type { HttpRequest } from './request.ts';

/**
 * The id that the API gave its answer, from whichever header it uses. The id goes into errors and events: one that
 * repeats a secret, encoded or not, is left out.
 */
export const requestIdOf = (
  header: (name: string) => string | null | undefined,
  { progress }: HttpRequest,
): { requestId?: string } => {
  const name = requestIdHeaders.find((candidate) => header(candidate));
  const requestId = name && header(name);
  const isSafe = requestId && maskSecrets(requestId, progress.credential?.secrets ?? []) === requestId;
  return isSafe ? { requestId: requestId.slice(0, longestRequestId) } : {};
};

const requestIdHeaders = ['x-request-id', 'request-id', 'x-correlation-id'];

const longestRequestId = 200;
