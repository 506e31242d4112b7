import type { Secret } from '../../core/secret.ts';
import { sharedSecret } from '../../webhooks/authentication/shared-secret.ts';
import { toFields } from '../dialects.ts';
import type { Toolbox } from '../toolbox.ts';
import { createPlatformHandler, otherParty, type PlatformHandlerOptions } from './platform-handler.ts';
import { assertSeconds } from './tool-limits.ts';
import { addressOf } from './templated-request.ts';

/** Where Cartesia sends the calls of these tools. */
interface CartesiaToolOptions {
  /** Where Cartesia reaches `handler`. */
  readonly url: string;
  /** What Cartesia sends as a bearer token, and stores for that. */
  readonly token: string;
  /** The dynamic variable that holds an id of the phone call. @defaultValue 'call_id' */
  readonly callIdVariable?: string | undefined;
  /** How long Cartesia waits; more than the toolbox's deadline. @defaultValue 15 */
  readonly timeoutSeconds?: number | undefined;
}

/** What the server runs, and how it knows Cartesia. */
interface CartesiaHandlerOptions extends PlatformHandlerOptions {
  /** Reads the bearer token that Cartesia sends. Called for each request, so that it can be rotated. */
  readonly secret: Secret;
}

/**
 * Cartesia's managed agents: each of `tools` is the body of one `POST /v1/agents/tools`, `handler` is the whole server. You
 * set a dynamic variable to an id of the phone call when it starts; without it, Cartesia calls no tool.
 *
 * @example
 * for (const tool of cartesia.tools(toolbox, { url: 'https://agent.example/tools', token })) await api.post('/v1/agents/tools', tool);
 * const handle = cartesia.handler({ toolbox, secret: () => secrets.read('cartesia') });
 * const response = await handle(request);
 */
export const cartesia = {
  /** Webhook tools. The phone call and the caller are in the body, where the model neither sees nor sets them. */
  tools: (toolbox: Toolbox, { url, token, callIdVariable = 'call_id', timeoutSeconds = 15 }: CartesiaToolOptions) => {
    assertSeconds(timeoutSeconds, [1, 120], 'Cartesia');
    return toolbox.tools().map(({ name, description, parameters, slowMessage }) => {
      const { type, properties, required } = toFields(parameters);
      return {
        type: 'webhook' as const,
        name,
        description,
        // There is no field for the words: with 'force' the agent finds its own.
        pre_tool_speech: slowMessage === undefined ? ('auto' as const) : ('force' as const),
        execution_mode: 'immediate' as const,
        response_timeout_secs: timeoutSeconds,
        api_schema: {
          url: addressOf(url, name),
          method: 'POST' as const,
          authentication: { mode: 'bearer' as const, token: { type: 'secret' as const, secret_value: token } },
          request_body_schema: {
            type,
            properties: {
              ...properties,
              [callIdField]: { type: 'string' as const, dynamic_variable: callIdVariable },
              [callerField]: { type: 'string' as const, dynamic_variable: 'system__caller_id' },
              [calledField]: { type: 'string' as const, dynamic_variable: 'system__called_number' },
              [directionField]: { type: 'string' as const, dynamic_variable: 'system__call_direction' },
            },
            required,
          },
        },
      };
    });
  },

  /**
   * The server for these tools. A request without the token gets 401, and nothing runs.
   * Throws `InvalidArgumentError` for a secret that is a literal.
   */
  handler: ({ secret, ...options }: CartesiaHandlerOptions) =>
    createPlatformHandler(
      {
        authentication: [sharedSecret({ header: 'authorization', secrets: secret })],
        read: ({ body, url }) => {
          const {
            [callIdField]: callId,
            [callerField]: caller,
            [calledField]: called,
            [directionField]: direction,
            ...args
          } = body;
          const phone = otherParty({ direction, caller, called });
          return { callId, phone, calls: [{ name: url.searchParams.get('tool'), args }] };
        },
        reply: ([answer]) => answer?.result.value,
      },
      options,
    ),
};

/** No parameter of a tool has these names. */
const callIdField = 'x_call_id';
const callerField = 'x_caller';
const calledField = 'x_called';
const directionField = 'x_direction';
