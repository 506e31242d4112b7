import { must } from '../core/option-checks.ts';
import { assertDuration } from '../core/timers.ts';
import type { HttpClientStatus } from '../http/operation.ts';

/** The clients of a phone call, as far as their deadlines are concerned. One of an application's own may have no status. */
type Clients = Readonly<
  Partial<Record<'messaging' | 'crm' | 'billing', { readonly status?: () => HttpClientStatus } | undefined>>
>;

/** The longest deadline that all clients of a phone call allow. */
export const longestDeadlineMs = ({ messaging, crm, billing }: Clients): number =>
  Math.min(
    ...[messaging, crm, billing].flatMap((client) => (client ? (client.status?.().maximumDeadlineMs ?? 10_000) : [])),
  );

/** Throws `InvalidArgumentError` for a budget that some client would refuse as a deadline. */
export const assertBudget = (field: string, budgetMs: number | undefined, clients: Clients): void => {
  assertDuration(field, budgetMs);
  const mostMs = longestDeadlineMs(clients);
  const problem = `must be at most ${mostMs} ms, the lowest maximumDeadlineMs of the clients`;
  must(!((budgetMs ?? 0) > mostMs), field, problem)();
};
