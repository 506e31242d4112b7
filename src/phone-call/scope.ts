import type { OpenCaseOptions } from './steps/open-case.ts';
import {
  type ContextOptions,
  type LeadOptions,
  type OngoingCall,
  openLeadWays,
  type Scope,
} from './steps/ongoing-call.ts';
import type { RecordCallOptions } from './steps/record-call.ts';
import type { StepOptions } from './steps/step.ts';
import type { TakePaymentOptions } from './steps/take-payment.ts';
import type { TaskOptions } from './steps/task-fields.ts';
import { lanes } from '../stores/ports/rate-limiter.ts';
import { assertSpelled, checkOptions, must, oneOf, type OptionNames } from '../core/option-checks.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import { type Deadline, deadlineIn } from '../http/deadline.ts';
import { assertDuration } from '../core/timers.ts';
import type { HttpClientStatus } from '../http/operation.ts';

/**
 * Puts the options of a step under a turn: its signal ends the step whatever else does, and no step outlives it.
 * Options that are `undefined` are taken for left out.
 */
export const createScope =
  (turn: Scope): OngoingCall['within'] =>
  (options = {}) => {
    assertSpelled(options, stepOptionNames);
    const { deadline, signal, lane, onOpenLead }: Partial<StepOptions & LeadOptions> = options;
    checkOptions(undefined, [oneOf(lane, 'lane', lanes), oneOf(onOpenLead, 'onOpenLead', openLeadWays)]);
    const own = typeof deadline === 'number' ? deadlineIn(deadline) : deadline;
    return {
      ...withoutUndefined(options),
      ...withoutUndefined({ deadline: earlier(own, turn.deadline), signal: either(signal, turn.signal) }),
    };
  };

const earlier = (one: Deadline | undefined, other: Deadline | undefined): Deadline | undefined => {
  if (!one || !other) return one ?? other;
  return {
    budgetMs: Math.min(one.budgetMs, other.budgetMs),
    remainingMs: () => Math.min(one.remainingMs(), other.remainingMs()),
  };
};

const either = (one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined =>
  one && other ? AbortSignal.any([one, other]) : (one ?? other);

/** The options of all steps together: one that another step takes changes nothing. */
const stepOptionNames: OptionNames<
  ContextOptions & LeadOptions & OpenCaseOptions & RecordCallOptions & TakePaymentOptions & TaskOptions
> = {
  deadline: true,
  signal: true,
  attemptTimeoutMs: true,
  lane: true,
  adminId: true,
  maximumTextLength: true,
  origin: true,
  onSettled: true,
  timeZone: true,
  taskStatus: true,
  taskFields: true,
  onOpenLead: true,
  closedStatuses: true,
  qualifiedStatus: true,
  leadSource: true,
  accountManagerAttribute: true,
  healthAttributes: true,
};

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
