import { type AttemptLog, callLog, type CallPlan, createCallLog, withLog } from '../../src/http/call-log.ts';
import { deadlineIn } from '../../src/http/deadline.ts';
import type { HttpRequest } from '../../src/http/request.ts';

/** A read as it reaches the lower layers, with whatever a test wants to be different. */
export const aRequest = ({
  plan,
  ...different
}: Partial<HttpRequest> & { readonly plan?: Partial<CallPlan> } = {}): HttpRequest =>
  withLog(
    {
      operation: 'messaging.contacts.get',
      effect: 'read',
      method: 'GET',
      url: 'http://127.0.0.1:9/contacts/1',
      headers: {},
      deadline: deadlineIn(8_000),
      signal: new AbortController().signal,
      attempt: 1,
      ...different,
    },
    createCallLog(plan).attemptStarted(),
  );

/** Records an attempt in the log of a call, as the layers below do. Without an end it is still on its way. */
export const attempted = (request: HttpRequest, end?: 'ok' | Error): AttemptLog => {
  const log = callLog(request).attemptStarted();
  log.handedOver();
  if (end === 'ok') log.succeeded();
  else if (end) log.failed(end);
  return log;
};
