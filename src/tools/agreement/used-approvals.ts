import { hash } from 'node:crypto';
import type { IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import { canonicalJson } from '../arguments.ts';
import { personOf, type ToolResult } from '../context.ts';
import { mayRunAgain } from '../tool-run.ts';
import type { AgreedWork, AgreementRequest } from './confirmation.ts';
import { keepEnd, runAgreed } from './run-agreed.ts';

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
    const key = `approved:${hash('sha256', call, 'hex')}`;
    // A process that dies may have done it. A payment has a guard that knows more.
    const leaseMs = tool.effect === 'payment' ? 60_000 : retainMs;
    return runAgreed(store, toolRun, { key, leaseMs, retainMs }, async () => {
      const result = await work();
      return { result, kept: keptOf(result, request) };
    });
  };

/** Returns what answers the next run. `undefined`: nothing was done, or doing it again does it once. */
const keptOf = ({ status, value }: ToolResult, { toolRun: { tool } }: AgreementRequest) => {
  if (status === 'done') return keepEnd({ status, value });
  const isOpen = tool.effect === 'write' && (status === 'unknown' || status === 'cancelled');
  return isOpen && !mayRunAgain(tool, { status }) ? keepEnd({ status: 'unknown', value }) : undefined;
};

/** A run may be kept for long before a person decides. */
const retainMs = 30 * 24 * 60 * 60 * 1000;
