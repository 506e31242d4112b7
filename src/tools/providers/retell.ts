/**
 * Retell: custom functions, and the server that it posts them to.
 *
 * @module
 */
import type { JsonObject } from '../../stores/ports/json.ts';
import type { Secret } from '../../core/secret.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import { retell as scheme } from '../../signature/scheme.ts';
import { hmac } from '../../webhooks/authentication/hmac.ts';
import { toPortable } from '../dialects.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { callerTurns } from './caller-turns.ts';
import {
  assertSeconds,
  createPlatformHandler,
  namedCallRunner,
  objectIn,
  otherParty,
  type PlatformHandlerOptions,
  textIn,
} from './platform-handler.ts';

/** Options of functions that Retell calls. */
export interface RetellToolOptions {
  /** The address at which Retell reaches `handler`. */
  readonly url: string;
  /** The time that Retell waits; more than the toolbox's deadline. @defaultValue 15 */
  readonly timeoutSeconds?: number | undefined;
}

/** The tools that the server for Retell runs, and the secret that Retell sends. */
export interface RetellHandlerOptions extends PlatformHandlerOptions {
  /** Read the API key with the webhook badge, with which Retell signs. Called for each request, so that it can be rotated. */
  readonly apiKey: Secret;
}

/**
 * `tools` goes into a Retell LLM's `general_tools`, `handler` is the whole server. Retell sends no id for a tool call. If a
 * tool isn't idempotent, the same arguments within a phone call are the same call. Retell has no flag for errors
 * either, and takes any status but 2xx as a reason to ask again.
 *
 * @example
 * const general_tools = retell.tools(toolbox, { url: 'https://agent.example/tools/retell' });
 * await client.llm.update(llmId, { general_tools });
 * const handle = retell.handler({ toolbox, apiKey: () => secrets.read('retell') });
 * const response = await handle(request);
 */
export const retell = {
  /** Retell itself never repeats a request; a tool with a slow message has it said while it runs. */
  tools: (from: WithTools, { url, timeoutSeconds = 15 }: RetellToolOptions) => {
    const toolbox = toolboxOf(from, 'retell.tools');
    assertSeconds(timeoutSeconds, [1, 600], 'Retell');
    return toolbox.tools().map(({ name, description, parameters, slowMessage }) =>
      withoutUndefined({
        type: 'custom' as const,
        name,
        description,
        url,
        method: 'POST' as const,
        args_at_root: false,
        parameters: toPortable(parameters),
        timeout_ms: timeoutSeconds * 1000,
        max_retry: 0,
        speak_after_execution: true,
        speak_during_execution: slowMessage !== undefined,
        execution_message_type: slowMessage === undefined ? undefined : ('static_text' as const),
        execution_message_description: slowMessage,
      }),
    );
  },

  ...namedCallRunner,

  /**
   * The server for Retell's custom functions. A request whose signature is not Retell's, or is older or newer than five
   * minutes, gets 401, and nothing runs. The signature is over the raw body: hand it the request unread.
   * Throws `InvalidArgumentError` for an API key that is a literal.
   */
  handler: ({ apiKey, ...options }: RetellHandlerOptions) =>
    createPlatformHandler(
      {
        authentication: [hmac({ scheme, secrets: apiKey })],
        read: ({ body }) => ({
          ...callerOf(body),
          ...callerTurns(objectIn(body, 'call')['transcript_object']),
          calls: [{ name: body['name'], args: body['args'] }],
        }),
        reply: ([answer]) => answer?.result.value,
      },
      options,
    ),
};

const callerOf = (body: JsonObject) => {
  const call = objectIn(body, 'call');
  return {
    callId: textIn(call, 'call_id') ?? textIn(objectIn(body, 'chat'), 'chat_id'),
    phone:
      call['call_type'] === 'phone_call' &&
      otherParty({ direction: call['direction'], caller: call['from_number'], called: call['to_number'] }),
  };
};
