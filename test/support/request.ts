import { deadlineIn } from '../../src/http/deadline.ts';
import { startProgress, startSending } from '../../src/http/progress.ts';
import type { HttpRequest } from '../../src/http/request.ts';

/** A read as it reaches the lower layers, with whatever a test wants to be different. */
export const aRequest = (different: Partial<HttpRequest> = {}): HttpRequest => ({
  operation: 'messaging.contacts.get',
  effect: 'read',
  method: 'GET',
  url: 'http://127.0.0.1:9/contacts/1',
  headers: {},
  deadline: deadlineIn(8_000),
  signal: new AbortController().signal,
  attempt: 1,
  plan: { lane: 'live', wholeDeadline: false, minimumBudgetMs: 0 },
  progress: startProgress(0),
  sending: startSending(),
  ...different,
});
