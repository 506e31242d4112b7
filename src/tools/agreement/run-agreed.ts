import { sleep } from '../../core/timers.ts';
import { once, type OnceOptions, type WorkEnd } from '../../stores/once.ts';
import type { IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import type { Json } from '../../stores/ports/json.ts';
import type { ToolResult, ToolStatus } from '../context.ts';
import { alreadyDone, notAllowed, unavailable } from '../failures.ts';
import type { ToolRun } from '../tool-run.ts';

interface RunOnceOptions extends Pick<OnceOptions, 'leaseMs' | 'retainMs'> {
  /** Names the agreement. */
  readonly key: string;
  /** Answers one that was used. @defaultValue {@link repeated} */
  readonly repeat?: ((kept: Json) => ToolResult | Promise<ToolResult>) | undefined;
  /** Waits for the end of the same call that is under way. @defaultValue false: the model reads that it is */
  readonly waits?: boolean | undefined;
}

/** Does the work of an agreement once, in all processes that share the store. */
export const runAgreed = async (
  store: IdempotencyStore,
  toolRun: ToolRun,
  { key, repeat = (kept) => repeated(kept, toolRun), waits = false, ...times }: RunOnceOptions,
  work: (note: Json | undefined) => Promise<WorkEnd<ToolResult>>,
): Promise<ToolResult> => {
  const { effect } = toolRun.tool;
  const { deadline, signal } = toolRun.context;
  const tryOnce = () => once(store, key, { ...times, onStoreError: toolRun.reportStore }, work);
  let end = await tryOnce();
  while (waits && end.state === 'in-progress' && deadline.remainingMs() > 2 * pollMs && !signal.aborted) {
    await sleep(pollMs, signal).catch(() => {});
    end = await tryOnce();
  }
  switch (end.state) {
    case 'worked':
      return end.result;
    case 'finished':
      return repeat(end.result);
    case 'unavailable':
      toolRun.reportStore(end.error);
      return toolRun.fail(unavailable('store', effect));
    default:
      return toolRun.fail(notAllowed('another_call_in_progress', effect));
  }
};

const pollMs = 200;

/** Keeps an end for {@link repeated}. */
export const keepEnd = ({ status, value }: Pick<ToolResult, 'status' | 'value'>): { readonly result: Json } => ({
  result: { status, value },
});

/** Says what was done under the agreement. Nothing is done now. */
const repeated = (kept: Json, { answer, tool }: ToolRun): ToolResult => {
  // `keepEnd` made it.
  const { status, value } = kept as { readonly status: ToolStatus; readonly value: Json };
  const said = status === 'done' ? alreadyDone(value, tool) : value;
  return answer({ status, value: said, outcome: 'not_sent' }, true);
};
