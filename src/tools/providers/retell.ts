/**
 * Retell: custom functions, and the server that it posts them to.
 *
 * `tools` goes into a Retell LLM's `general_tools`, `handler` is the whole server, `run` and `toResult` are its parts.
 *
 * @module
 */
import { type Clock, systemClock } from '../../clock.ts';
import type { Json, JsonObject } from '../../ports/json.ts';
import { retell } from '../../signature/scheme.ts';
import { createVerifier } from '../../signature/verify.ts';
import type { ToolCallContext } from '../context.ts';
import { type DialectParameters, toPortable } from '../dialects.ts';
import type { ToolResult } from '../result.ts';
import type { Toolbox } from '../toolbox.ts';
import { derivedToolCallId } from './derived-id.ts';
import {
  asPhone,
  createPlatformHandler,
  objectIn,
  type PlatformCall,
  type PlatformHandler,
  type PlatformHandlerOptions,
  textIn,
  toolboxOf,
} from './platform-handler.ts';
import { assertReadsSecrets, readSecrets, type ReadSecrets } from './shared-secret.ts';

export type { PlatformCall, PlatformHandler, PlatformHandlerOptions } from './platform-handler.ts';
export type { ReadSecrets } from './shared-secret.ts';

/** Where Retell sends the calls of these functions. */
export interface RetellToolOptions {
  /** Where Retell reaches `handler`. */
  readonly url: string;
  /** How long Retell waits; more than the toolbox's budget. @defaultValue 15000 */
  readonly timeoutMs?: number;
}

/**
 * A request is never repeated by Retell itself; a tool with a slow message has it said while it runs.
 *
 * @example
 * const general_tools = retell.tools(toolbox, { url: 'https://agent.example/tools/retell' });
 * await client.llm.update(llmId, { general_tools });
 */
export const tools = (toolbox: Toolbox, { url, timeoutMs = 15_000 }: RetellToolOptions): RetellTool[] =>
  toolbox.tools().map(({ name, description, parameters, slowMessage }) => ({
    type: 'custom',
    name,
    description,
    url,
    method: 'POST',
    args_at_root: false,
    parameters: toPortable(parameters),
    timeout_ms: timeoutMs,
    max_retry: 0,
    speak_after_execution: true,
    speak_during_execution: slowMessage !== undefined,
    ...(slowMessage !== undefined && {
      execution_message_type: 'static_text',
      execution_message_description: slowMessage,
    }),
  }));

/**
 * Runs one custom function. Retell sends no id for a tool call: for a tool that is not idempotent the same arguments
 * within a phone call are the same call.
 *
 * @example
 * response.json(await retell.run(phoneCall.tools, request.body));
 */
export const run = async (
  toolbox: Toolbox,
  { name, args }: RetellToolCall,
  context: ToolCallContext = {},
): Promise<Json> => {
  const toolCallId = derivedToolCallId(toolbox, name, args);
  return toResult(await toolbox.run(name, args, { toolCallId, ...context }));
};

/**
 * The answer's body. Retell has no flag for errors, and takes any status but 2xx as a reason to ask again.
 *
 * @example
 * response.json(retell.toResult(await toolbox.run(name, args)));
 */
export const toResult = ({ value }: ToolResult): Json => value;

/** What the server for Retell runs, and how it knows Retell. */
export interface RetellHandlerOptions extends PlatformHandlerOptions {
  /** The API key with the webhook badge, with which Retell signs. Asked for each request, so that it can be rotated. */
  readonly apiKey: ReadSecrets;
  /** @defaultValue the machine's own */
  readonly clock?: Clock;
}

/**
 * The server for Retell's custom functions. A request whose signature is not Retell's, or is older or newer than five
 * minutes, gets 401, and nothing runs. The signature is over the raw body: hand it the request unread.
 * Throws `InvalidArgumentError` for an API key that is a literal.
 *
 * @example
 * const handle = retell.handler({ toolbox, apiKey: () => secrets.read('retell') });
 * const response = await handle(request);
 */
export const handler = ({ apiKey, clock = systemClock, ...options }: RetellHandlerOptions): PlatformHandler => {
  assertReadsSecrets('apiKey', apiKey);
  const verify = createVerifier({ scheme: retell, toleranceMs: 5 * 60_000, clock });
  return createPlatformHandler(
    {
      isGenuine: async ({ headers }, readBytes) => {
        const secrets = await readSecrets('apiKey', apiKey);
        return headers.has(retell.header) && verify(await readBytes(), headers, secrets).valid;
      },
      answer: async (body, { signal }) => {
        const name = textIn(body, 'name');
        const call = callOf(body);
        if (name === undefined || !call) return undefined;
        return run(await toolboxOf(options, call), { name, args: body['args'] }, { signal });
      },
    },
    options,
  );
};

const callOf = (body: JsonObject): PlatformCall | undefined => {
  const call = objectIn(body, 'call');
  const callId = textIn(call, 'call_id') ?? textIn(objectIn(body, 'chat'), 'chat_id');
  if (callId === undefined) return undefined;
  // The person is at the other end of the line: who rang, or who was rung up.
  const number = call['direction'] === 'outbound' ? call['to_number'] : call['from_number'];
  return { callId, phone: call['call_type'] === 'phone_call' ? asPhone(number) : undefined, body };
};

/** One of the `general_tools` of a Retell LLM. */
export interface RetellTool {
  type: 'custom';
  name: string;
  description: string;
  url: string;
  method: 'POST';
  args_at_root: boolean;
  parameters: DialectParameters;
  timeout_ms: number;
  max_retry: number;
  speak_after_execution: boolean;
  speak_during_execution: boolean;
  execution_message_type?: 'static_text';
  execution_message_description?: string;
}

/** What of the request's body is read. */
export interface RetellToolCall {
  readonly name: string;
  readonly args?: unknown;
}
