import type { ToolCallContext } from './context.ts';

/** Where the context that every run of a toolbox has comes from. */
export type ContextSource = ToolCallContext | (() => ToolCallContext) | undefined;

/**
 * The context of one run. What says who is on which phone call is taken from the outer one, since the inner one may
 * come from a provider; everything else from the inner one. Conversations add up.
 */
export const mergeContexts = (outer: ToolCallContext, inner: ToolCallContext): ToolCallContext => {
  const { callId = inner.callId, tenant = inner.tenant, caller = inner.caller } = outer;
  const { toolCallId = outer.toolCallId, signal = outer.signal, deadline = outer.deadline } = inner;
  const { intent = outer.intent, onSlow = outer.onSlow, onSettled = outer.onSettled } = inner;
  return {
    callId,
    tenant,
    caller,
    toolCallId,
    signal: outer.signal && inner.signal ? AbortSignal.any([outer.signal, inner.signal]) : signal,
    deadline,
    intent,
    onSlow,
    onSettled,
    conversationIds: both(outer.conversationIds, inner.conversationIds),
  } satisfies { readonly [Name in keyof Required<ToolCallContext>]: unknown };
};

export const contextOf = (source: ContextSource): ToolCallContext =>
  (typeof source === 'function' ? source() : source) ?? {};

const both = (first: readonly string[] = [], second: readonly string[] = []): readonly string[] =>
  second.length === 0 ? first : [...new Set([...first, ...second])];
