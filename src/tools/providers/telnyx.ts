import type { Secret } from '../../core/secret.ts';
import { sharedSecret } from '../../webhooks/authentication/shared-secret.ts';
import { toPortable } from '../dialects.ts';
import { toolboxOf, type WithTools } from '../toolbox.ts';
import { createPlatformHandler, type PlatformHandlerOptions } from './platform-handler.ts';

/**
 * Where Telnyx sends the calls of these tools. Shapes: `InferenceEmbeddingWebhookToolParams` of the package telnyx 7.24.0;
 * variables: developers.telnyx.com/docs/inference/ai-assistants/dynamic-variables. Read on 2026-11-27.
 */
interface TelnyxToolOptions {
  /** Where Telnyx reaches `handler`. */
  readonly url: string;
  /** The integration secret at Telnyx that holds the token. */
  readonly secretName: string;
  /** The variable with an id of the phone call. Chats have none: set one of your own. @defaultValue 'call_control_id' */
  readonly callIdVariable?: string | undefined;
  /** How long Telnyx waits; more than the toolbox's deadline. @defaultValue 10 */
  readonly timeoutSeconds?: number | undefined;
}

/** The tools that the server runs, and the secret that Telnyx sends. */
interface TelnyxHandlerOptions extends PlatformHandlerOptions {
  /** Reads the bearer token that Telnyx sends. Called for each request, so that it can be rotated. */
  readonly secret: Secret;
}

/**
 * Telnyx AI Assistants: `tools` goes into an assistant's `tools`, `handler` is the whole server. A request without an id of
 * the phone call gets 400, and nothing runs.
 *
 * @example
 * const tools = telnyx.tools(toolbox, { url: 'https://agent.example/tools', secretName: 'tools-token' });
 * await client.ai.assistants.create({ name, model, instructions, tools });
 * const handle = telnyx.handler({ toolbox, secret: () => secrets.read('telnyx') });
 * const response = await handle(request);
 */
export const telnyx = {
  /** Webhook tools, for whose answer the assistant waits. It says the slow message if the answer takes longer than usual. */
  tools: (
    from: WithTools,
    { url, secretName, callIdVariable = 'call_control_id', timeoutSeconds = 10 }: TelnyxToolOptions,
  ) =>
    toolboxOf(from)
      .tools()
      .map(({ name, description, parameters, expectedMs, slowMessage }) => ({
        type: 'webhook' as const,
        timeout_ms: timeoutSeconds * 1000,
        webhook: {
          name,
          description,
          url: addressOf(url, name),
          method: 'POST' as const,
          async: false,
          headers: [
            { name: 'authorization', value: `Bearer {{#integration_secret}}${secretName}{{/integration_secret}}` },
            { name: headers.callId, value: `{{${callIdVariable}}}` },
            { name: headers.caller, value: '{{telnyx_end_user_target}}' },
          ],
          body_parameters: toPortable(parameters),
          messages:
            slowMessage === undefined
              ? []
              : [{ type: 'request_response_delayed' as const, timing_ms: expectedMs, content: slowMessage }],
        },
      })),

  /**
   * The server for these tools. A request without the token gets 401, and nothing runs.
   * Throws `InvalidArgumentError` for a secret that is a literal.
   */
  handler: ({ secret, ...options }: TelnyxHandlerOptions) =>
    createPlatformHandler(
      {
        authentication: [sharedSecret({ header: 'authorization', secrets: secret })],
        read: ({ body, headers: sent, url }) => ({
          callId: sent.get(headers.callId),
          phone: sent.get(headers.caller),
          calls: [{ name: url.searchParams.get('tool'), args: body }],
        }),
        reply: ([answer]) => answer?.result.value,
      },
      options,
    ),
};

/** Where every request says which phone call it belongs to, and who is calling. */
const headers = { callId: 'x-call-id', caller: 'x-caller' } as const;

/** The address of one tool. */
const addressOf = (url: string, tool: string): string => {
  const address = new URL(url);
  address.searchParams.set('tool', tool);
  return address.href;
};
