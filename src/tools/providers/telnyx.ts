import { toPortable } from '../dialects.ts';
import type { Toolbox } from '../toolbox.ts';
import { addressOf, createTemplatedHandler, headers, type TemplatedHandlerOptions } from './templated-request.ts';

/** Where Telnyx sends the calls of these tools. */
interface TelnyxToolOptions {
  /** Where Telnyx reaches `handler`. */
  readonly url: string;
  /** The integration secret at Telnyx that holds the token. */
  readonly secretName: string;
  /** The dynamic variable that you set to an id of the phone call. @defaultValue 'call_id' */
  readonly callIdVariable?: string | undefined;
  /** How long Telnyx waits; more than the toolbox's deadline. @defaultValue 10 */
  readonly timeoutSeconds?: number | undefined;
}

/**
 * Telnyx AI Assistants: `tools` goes into an assistant's `tools`, `handler` is the whole server. You set a dynamic
 * variable to the id of the phone call when it starts; a request without it gets 400, and nothing runs.
 *
 * @example
 * const tools = telnyx.tools(toolbox, { url: 'https://agent.example/tools', secretName: 'tools-token' });
 * await client.ai.assistants.create({ name, model, instructions, tools });
 * const handle = telnyx.handler({ toolbox, secret: () => secrets.read('telnyx') });
 * const response = await handle(request);
 */
export const telnyx = {
  /** Webhook tools, for whose answer the assistant waits. */
  tools: (toolbox: Toolbox, { url, secretName, callIdVariable = 'call_id', timeoutSeconds = 10 }: TelnyxToolOptions) =>
    toolbox.tools().map(({ name, description, parameters }) => ({
      type: 'webhook' as const,
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
        timeout_ms: timeoutSeconds * 1000,
      },
    })),

  /**
   * The server for these tools. A request without the token gets 401, and nothing runs.
   * Throws `InvalidArgumentError` for a secret that is a literal.
   */
  handler: (options: TemplatedHandlerOptions) => createTemplatedHandler(options),
};
