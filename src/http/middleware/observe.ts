import type { Clock } from '../../clock.ts';
import { isIntegrationError } from '../../errors.ts';
import type { AttemptEvent, Untold } from '../../observability/events.ts';
import type { Telling } from '../../observability/teller.ts';
import { within } from '../../observability/tracer.ts';
import { eventError } from '../event-error.ts';
import { startSending } from '../progress.ts';
import type { HttpRequest, Middleware } from '../request.ts';
import type { HttpResponse } from '../response.ts';

/** Keeps the call's progress and tells of each attempt how it ended and what it waited for. */
export const observeAttempts =
  ({ clock, tell }: { clock: Clock; tell: Telling }): Middleware =>
  async (request, next) => {
    const { progress } = request;
    const startedAt = clock.now();
    const { operation, attempt, method, url } = request;
    const span = tell.begin({ type: 'attempt', operation, attempt, method, url });
    const sending = startSending(progress.waits, span);
    if (sending.waits.length > 0) progress.waits = [];
    const end = (response: HttpResponse | undefined, error?: unknown) => {
      if (sending.place !== undefined) {
        const told = progress.attempts[sending.place];
        const outcome = isIntegrationError(error) ? error.outcome : told === 'not_sent' ? told : 'unknown';
        progress.attempts[sending.place] = response ? 'ok' : outcome;
        if (isIntegrationError(error)) progress.lastFailure = error;
      }
      if (span || tell.isHeard('attempt'))
        tell(attemptEvent(request, clock.now() - startedAt, sending.waits, response, error), span);
    };
    try {
      const response = await within(span, () => next({ ...request, sending }));
      end(response);
      return response;
    } catch (error) {
      end(undefined, error);
      throw error;
    }
  };

const attemptEvent = (
  request: HttpRequest,
  durationMs: number,
  waits: AttemptEvent['waits'],
  response: HttpResponse | undefined,
  error: unknown,
): Untold<AttemptEvent> => {
  const status = response?.status ?? (isIntegrationError(error) && 'status' in error ? error.status : undefined);
  const requestId = response?.requestId ?? (isIntegrationError(error) ? error.requestId : undefined);
  return {
    type: 'attempt',
    operation: request.operation,
    attempt: request.attempt,
    durationMs,
    waits: waits.slice(),
    ...(request.plan.callId === undefined ? {} : { callId: request.plan.callId }),
    ...(typeof status === 'number' ? { status } : {}),
    ...(requestId === undefined ? {} : { requestId }),
    ...(error === undefined ? {} : { error: eventError(error) }),
  };
};
