import { DeadlineExceededError } from '../../errors.ts';
import type { Middleware } from '../request.ts';

/** Innermost: from here on a byte may have left. The last place where time and the caller's wish are checked. */
export const markSent: Middleware = async (request, next) => {
  const { operation, plan, deadline, signal, progress, sending } = request;
  signal.throwIfAborted();
  const remainingMs = deadline.remainingMs();
  if (remainingMs <= 0 || remainingMs < plan.minimumBudgetMs)
    throw new DeadlineExceededError(`${operation} was not sent: too little time was left for it`, { operation });
  sending.place = progress.attempts.push('sent') - 1;
  return await next(request);
};
