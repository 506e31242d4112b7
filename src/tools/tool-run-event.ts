import { createEmitter, within } from '../observability/emitter.ts';
import type { ToolRunEvent, EventInput } from '../observability/events.ts';
import type { EventListeners } from '../observability/listeners.ts';
import type { Redact } from '../observability/redaction/redactor.ts';
import { isJsonObject, type Json, type JsonObject } from '../stores/ports/json.ts';
import type { ToolCallContext, ToolResult } from './context.ts';
import type { Tool } from './tool.ts';

/** A tool call that listeners get. */
interface ObservedCall {
  readonly tool: Tool | undefined;
  /** The model's arguments. */
  readonly args: unknown;
  readonly context: ToolCallContext;
}

/** Runs a tool call, and emits its end. `onFullResult` takes all that the tool gave. */
export type ToolObserver = (
  call: ObservedCall,
  work: (onFullResult?: (result: unknown) => void) => Promise<ToolResult>,
) => Promise<ToolResult>;

export const createToolObserver = (listeners: EventListeners | undefined, redact: Redact | undefined): ToolObserver => {
  const emitter = createEmitter(listeners, { api: 'tools', redact });
  return async ({ tool, args, context }, work) => {
    if (!emitter.hasListeners()) return work();
    const startedAt = performance.now();
    const span = emitter.startSpan({ type: 'tool-run', tool: tool?.name ?? 'unknown' });
    let fullResult: unknown;
    const onFullResult = (all: unknown) => {
      fullResult = all;
    };
    const result = await within(span, () => work(onFullResult));
    const durationMs = performance.now() - startedAt;
    const event = toolRunEvent({ tool, context, result, fullResult, durationMs });
    emitter
      .forTenant(context.tenant)
      .emit(event, span, { asked: tool?.shows ? tool.shows(args) : args, answered: result.text });
    return result;
  };
};

interface EndedToolRun {
  readonly tool: Tool | undefined;
  readonly context: ToolCallContext;
  readonly result: ToolResult;
  /** All that the tool gave; `undefined` when it did not come to that. */
  readonly fullResult: unknown;
  readonly durationMs: number;
}

/** Makes the event of one tool call: no argument and no result, only their names and sizes. */
const toolRunEvent = ({ tool, context, result, fullResult, durationMs }: EndedToolRun): EventInput<ToolRunEvent> => {
  const { callId, toolCallId } = context;
  const { status, text, replayed, value } = result;
  const name = tool?.name ?? 'unknown';
  const full = fullResult === undefined ? undefined : lengthOf(fullResult);
  return {
    type: 'tool-run',
    operation: `tools.${name}`,
    tool: name,
    effect: tool?.effect ?? 'read',
    status,
    replayed,
    durationMs,
    resultChars: text.length,
    fullChars: full,
    callId,
    toolCallId,
    ...(status !== 'done' && isJsonObject(value) && whyNot(value)),
  };
};

const whyNot = ({ error, fields }: JsonObject): Pick<ToolRunEvent, 'reason' | 'fields'> => ({
  // Words for the person on the phone are no reason; the codes of failures are one word.
  reason: typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? error : undefined,
  fields: Array.isArray(fields) ? fields.flatMap(nameOf) : undefined,
});

const nameOf = (problem: Json): readonly string[] =>
  isJsonObject(problem) && typeof problem['field'] === 'string' ? [problem['field']] : [];

const lengthOf = (fullResult: unknown): number | undefined => {
  try {
    return JSON.stringify(fullResult)?.length;
  } catch {
    return undefined;
  }
};
