import { hash } from 'node:crypto';
import { once } from '../../stores/once.ts';
import type { IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import type { Json } from '../../stores/ports/json.ts';
import { canonicalJson } from '../arguments.ts';
import { personOf, type ToolResult } from '../context.ts';
import { alreadyDone, notAllowed, unavailable } from '../failures.ts';
import { mayRunAgain } from '../tool-run.ts';
import type { AgreedWork, AgreementRequest } from './confirmation.ts';

/**
 * Does the work of an approved tool call once. A framework may keep a run that waits for an approval, and run it twice,
 * in any process. Without an id, each run is another call.
 */
export const createUsedApprovals =
  (store: IdempotencyStore) =>
  async (request: AgreementRequest, work: AgreedWork): Promise<ToolResult> => {
    const { toolRun, args } = request;
    const { tool, context } = toolRun;
    const { toolCallId, tenant, callId } = context;
    if (!toolCallId || tool.effect === 'read') return work();
    const call = canonicalJson([tenant ?? null, callId, personOf(context), toolCallId, tool.name, args]);
    const end = await once(
      store,
      `approved:${hash('sha256', call, 'hex')}`,
      // A process that dies may have done it. A payment has a guard that knows more.
      { leaseMs: tool.effect === 'payment' ? 60_000 : retainMs, retainMs, onStoreError: toolRun.reportStore },
      async () => {
        const result = await work();
        return { result, kept: keptOf(result, request) };
      },
    );
    switch (end.state) {
      case 'worked':
        return end.result;
      case 'finished':
        return repeated(end.result, request);
      case 'unavailable':
        toolRun.reportStore(end.error);
        return toolRun.fail(unavailable('idempotency_store', tool.effect));
      default:
        return toolRun.fail(notAllowed('another_call_in_progress', tool.effect));
    }
  };

/** Returns what answers the next run. `undefined`: nothing was done, or doing it again does it once. */
const keptOf = (
  { status, value }: ToolResult,
  { toolRun: { tool } }: AgreementRequest,
): { readonly result: Json } | undefined => {
  if (status === 'done') return { result: { status, value } };
  const isOpen = tool.effect === 'write' && (status === 'unknown' || status === 'cancelled');
  return isOpen && !mayRunAgain(tool, { status }) ? { result: { status: 'unknown', value } } : undefined;
};

/** Only this file writes under these keys. */
const repeated = (kept: Json, { toolRun }: AgreementRequest): ToolResult => {
  const { status, value } = kept as { readonly status: 'done' | 'unknown'; readonly value: Json };
  const told = status === 'done' ? alreadyDone(value, toolRun.tool.effect) : value;
  return toolRun.answer({ status, value: told, outcome: status }, true);
};

/** A run may be kept for long before a person decides. */
const retainMs = 30 * 24 * 60 * 60 * 1000;
