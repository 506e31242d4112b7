import { AbortedError, type Finding, InvalidArgumentError, NotReadyError } from '../../core/errors.ts';
import { assertKnown } from '../../core/option-checks.ts';
import { assertDuration, settleWithin } from '../../core/timers.ts';
import { thrownAt } from '../../observability/thrown-at.ts';
import { storesOf } from '../stores.ts';
import { checkApi } from './check-apis.ts';
import type { CheckRun } from './check-client.ts';
import { checkLimits } from './check-limits.ts';
import { checkKept } from './check-stores.ts';
import { clockFindings, type ClockSkew } from './clock.ts';
import { type Checked, findingsAbout, findingsOf } from './findings.ts';
import type { PartsToCheck } from './parts.ts';

/** Options of `check`. */
export interface CheckOptions {
  /** The time for everything. What hasn't answered by then is a note. @defaultValue 10000 */
  readonly deadlineMs?: number | undefined;
  /** Ends the check: it rejects with `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of a check that found no problem. */
export interface CheckReport {
  /** Findings about parts that work and could be better, or don't answer right now. */
  readonly notes: readonly Finding[];
}

/**
 * Checks every part at the same time. Throws one `NotReadyError` with all problems. Whatever else goes wrong is a finding,
 * except wrong options of the check itself and its signal.
 */
export const checkIntegration = async (parts: PartsToCheck, checking: CheckOptions = {}): Promise<CheckReport> => {
  assertKnown<CheckOptions>(checking, { deadlineMs: true, signal: true });
  const { deadlineMs = 10_000, signal } = checking;
  assertDuration('deadlineMs', deadlineMs);
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function')
    throw new InvalidArgumentError('signal', 'must be an AbortSignal');
  const configured = apis.filter((api) => parts[api] !== undefined);
  const within = (about: string, check: (run: CheckRun) => Promise<unknown>) =>
    checkWithin(about, check, { deadlineMs, signal });
  const skews = new Map<string, ClockSkew>();
  const checked = await Promise.all([
    ...configured.map((api) => within(api, async (run) => skews.set(api, await checkApi(api, parts, run)))),
    within('limits', async ({ add }) => add(...checkLimits(parts))),
    ...storesOf(parts.stores).map((kept) => within(kept.name, async ({ add }) => add(...(await checkKept(kept))))),
  ]);
  const findings = [...checked.flat(), ...clockFindings(configured.flatMap((api) => skews.get(api) ?? []))];
  const [problems, notes] = [findingsOf(findings, 'problem'), findingsOf(findings, 'warning')];
  if (problems.length > 0) throw new NotReadyError(problems, notes);
  return { notes };
};

const apis = ['messaging', 'crm', 'billing'] as const;

/** Runs one check. Its findings until the deadline count, and a note says that it wasn't over. */
const checkWithin = async (
  about: string,
  check: (run: CheckRun) => Promise<unknown>,
  { deadlineMs, signal }: CheckOptions & { readonly deadlineMs: number },
): Promise<readonly Checked[]> => {
  const found: Checked[] = [];
  const { warning, problem } = findingsAbout(about);
  let isOver = false;
  const add = (...findings: readonly Checked[]) => {
    if (!isOver) found.push(...findings);
  };
  try {
    await settleWithin((own) => check({ signal: own, add }), { signal, deadline: deadlineMs });
  } catch (error) {
    if (signal?.aborted) throw new AbortedError('the check was ended by its signal');
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    add(
      isLate
        ? warning('reachable', `no answer within ${deadlineMs} ms`, 'try again; if it stays, check address and network')
        : problem('check', `the check failed: ${thrownAt(error)}`, `look at what the options of ${about} throw`),
    );
  }
  isOver = true;
  return found;
};
