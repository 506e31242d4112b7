/**
 * Ultravox: client tools, which it asks for over a call's data messages.
 *
 * `tools` goes into a call's `selectedTools`; `run` takes a `client_tool_invocation` and gives the message to send.
 *
 * @module
 */
import type { ToolCallContext } from '../context.ts';
import type { PropertySchema } from '../json-schema.ts';
import type { ToolResult } from '../result.ts';
import type { Toolbox } from '../toolbox.ts';
import { isErrorResult } from './error-flag.ts';

/** How long Ultravox waits for these tools. */
export interface UltravoxOptions {
  /** How long Ultravox waits; the conversation stands still meanwhile. @defaultValue 20 */
  readonly timeoutSeconds?: number;
}

/**
 * Only tools that read may be run before the person has finished speaking.
 *
 * @example
 * const call = await api.post('/api/calls', { systemPrompt, selectedTools: ultravox.tools(toolbox) });
 */
export const tools = (toolbox: Toolbox, { timeoutSeconds = 20 }: UltravoxOptions = {}): UltravoxTool[] =>
  toolbox.tools().map(({ name, description, parameters, effect }) => ({
    temporaryTool: {
      modelToolName: name,
      description,
      dynamicParameters: Object.entries(parameters.properties).map(([property, schema]) => ({
        name: property,
        location: 'PARAMETER_LOCATION_BODY',
        schema,
        required: parameters.required.includes(property),
      })),
      timeout: `${timeoutSeconds}s`,
      precomputable: effect === 'read',
      client: {},
    },
  }));

/**
 * Answers one `client_tool_invocation`: gives the message to send.
 *
 * @example
 * if (message.type === 'client_tool_invocation')
 *   socket.send(JSON.stringify(await ultravox.run(phoneCall.tools, message)));
 */
export const run = async (
  toolbox: Toolbox,
  invocation: UltravoxInvocation,
  context: ToolCallContext = {},
): Promise<UltravoxResult> => {
  const { toolName, invocationId, parameters } = invocation;
  return toResult(invocation, await toolbox.run(toolName, parameters, { ...context, toolCallId: invocationId }));
};

/**
 * A result as the message to send, for a loop of your own. What is no success is an `implementation-error`.
 *
 * @example
 * const result = await toolbox.run(message.toolName, message.parameters, { toolCallId: message.invocationId });
 * socket.send(JSON.stringify(ultravox.toResult(message, result)));
 */
export const toResult = (
  { invocationId }: Pick<UltravoxInvocation, 'invocationId'>,
  result: ToolResult,
): UltravoxResult => ({
  type: 'client_tool_result',
  invocationId,
  ...(isErrorResult(result)
    ? { errorType: 'implementation-error', errorMessage: result.text }
    : { result: result.text }),
});

/** One of the `selectedTools` of a call: made for it alone, and stored nowhere. */
export interface UltravoxTool {
  temporaryTool: {
    modelToolName: string;
    description: string;
    dynamicParameters: UltravoxParameter[];
    timeout: string;
    precomputable: boolean;
    client: Record<string, never>;
  };
}

/** A parameter that the model supplies. */
export interface UltravoxParameter {
  name: string;
  location: 'PARAMETER_LOCATION_BODY';
  schema: PropertySchema;
  required: boolean;
}

/** The data message `client_tool_invocation`; what of it is read. */
export interface UltravoxInvocation {
  readonly toolName: string;
  readonly invocationId: string;
  readonly parameters?: unknown;
}

/** The data message `client_tool_result`. */
export interface UltravoxResult {
  type: 'client_tool_result';
  invocationId: string;
  result?: string;
  errorType?: 'implementation-error';
  errorMessage?: string;
}
