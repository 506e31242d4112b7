import { given } from '../given.ts';
import type { ToolCallContext } from './context.ts';

/** Where the context that every run of a toolbox has comes from. */
export type ContextSource = ToolCallContext | (() => ToolCallContext) | undefined;

/**
 * The context of one run. What says who is on which phone call is taken from the outer one, since the inner one may
 * come from a provider; everything else from the inner one. Conversations add up.
 */
export const mergeContexts = (outer: ToolCallContext, inner: ToolCallContext): ToolCallContext => {
  const { callId = inner.callId, tenant = inner.tenant, caller = inner.caller } = outer;
  return {
    ...outer,
    ...given(inner),
    callId,
    tenant,
    caller,
    ...(outer.signal && inner.signal && { signal: AbortSignal.any([outer.signal, inner.signal]) }),
    conversationIds: both(outer.conversationIds, inner.conversationIds),
  };
};

export const contextOf = (source: ContextSource): ToolCallContext =>
  (typeof source === 'function' ? source() : source) ?? {};

const both = (first: readonly string[] = [], second: readonly string[] = []): readonly string[] =>
  second.length === 0 ? first : [...new Set([...first, ...second])];
