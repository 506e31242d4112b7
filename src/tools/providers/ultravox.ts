/**
 * Ultravox: client tools, which it asks for over a call's data messages.
 *
 * @module
 */
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { createCallRunner, isErrorResult } from './target.ts';

/** Options of tools for Ultravox. */
export interface UltravoxOptions {
  /** The time that Ultravox waits; the conversation stops meanwhile. @defaultValue 20 */
  readonly timeoutSeconds?: number | undefined;
}

/** The data message `client_tool_invocation`; what of it is read. */
interface Invocation {
  readonly toolName: string;
  readonly invocationId: string;
  readonly parameters?: unknown;
}

/**
 * `run` takes a `client_tool_invocation` and gives the message to send. What is no success is an `implementation-error`.
 *
 * @example
 * const call = await api.post('/api/calls', { systemPrompt, selectedTools: ultravox.tools(toolbox) });
 * if (message.type === 'client_tool_invocation')
 *   socket.send(JSON.stringify(await ultravox.run(phoneCall.tools, message)));
 */
export const ultravox = {
  /** For a call's `selectedTools`. Only tools that read may be run before the person has finished speaking. */
  tools: (from: WithTools, { timeoutSeconds = 20 }: UltravoxOptions = {}) =>
    toolboxOf(from, 'ultravox.tools')
      .tools()
      .map(({ name, description, parameters, effect }) => ({
        temporaryTool: {
          modelToolName: name,
          description,
          dynamicParameters: Object.entries(parameters.properties).map(([property, schema]) => ({
            name: property,
            location: 'PARAMETER_LOCATION_BODY' as const,
            schema,
            required: parameters.required.includes(property),
          })),
          timeout: `${timeoutSeconds}s`,
          precomputable: effect === 'read',
          client: {},
        },
      })),

  ...createCallRunner({
    readCall: ({ toolName, invocationId, parameters }: Invocation) => ({
      name: toolName,
      args: parameters,
      toolCallId: invocationId,
    }),
    toResult: ({ invocationId }, result) => {
      const answer = { type: 'client_tool_result' as const, invocationId };
      return isErrorResult(result)
        ? { ...answer, errorType: 'implementation-error' as const, errorMessage: result.text }
        : { ...answer, result: result.text };
    },
  }),
};
