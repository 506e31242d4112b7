import type { Middleware } from '../request.ts';

/** Lets the other side go on with the trace of this attempt. A header that the application set itself is left alone. */
export const propagateTrace: Middleware = (request, next) => {
  const { span } = request.sending;
  if (!span) return next(request);
  return span.send((trace) => next({ ...request, headers: { ...trace, ...request.headers } }));
};
