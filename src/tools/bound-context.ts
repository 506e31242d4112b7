import type { ToolCallContext } from './context.ts';

/** Where the context that every run of a toolbox has comes from. */
export type ContextSource = ToolCallContext | (() => ToolCallContext) | undefined;

/**
 * The context of one run. What says who is on which phone call is taken from the outer one, since the inner one may
 * come from a provider; everything else from the inner one. Conversations add up.
 */
export const mergeContexts = (outer: ToolCallContext, inner: ToolCallContext): ToolCallContext => ({
  ...outer,
  ...withoutUndefined(inner),
  ...withoutUndefined({ callId: outer.callId, tenant: outer.tenant, caller: outer.caller }),
  ...(outer.signal && inner.signal && { signal: AbortSignal.any([outer.signal, inner.signal]) }),
  conversationIds: [...new Set([...(outer.conversationIds ?? []), ...(inner.conversationIds ?? [])])],
});

export const contextOf = (source: ContextSource): ToolCallContext =>
  (typeof source === 'function' ? source() : source) ?? {};

const withoutUndefined = <Fields extends object>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
