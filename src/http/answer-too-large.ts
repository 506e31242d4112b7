import { UnexpectedResponseError } from '../errors.ts';
import type { HttpRequest } from './request.ts';
import { requestIdOf } from './request-id.ts';

/** What a transport throws for a body over the cap, whatever the status says; what the request did is then unknown. */
export const answerTooLarge = (
  request: HttpRequest,
  {
    status,
    header,
    maximumBodyBytes,
  }: { status: number; header: (name: string) => string | null | undefined; maximumBodyBytes: number },
): UnexpectedResponseError =>
  new UnexpectedResponseError(`${request.operation}: the answer is larger than ${maximumBodyBytes} bytes`, {
    operation: request.operation,
    status,
    ...requestIdOf(header, request),
    outcome: 'unknown',
  });
