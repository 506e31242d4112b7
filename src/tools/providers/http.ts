/**
 * Any platform that calls tools over HTTP: say where things are in its request, how it proves that it's the one, and
 * what it wants back.
 *
 * @module
 */
import { toPortable } from '../dialects.ts';
import type { Toolbox } from '../toolbox.ts';
import {
  createPlatformHandler,
  type PlatformDialect,
  type PlatformHandlerOptions,
  type PlatformToolCall,
} from './platform-handler.ts';

export { agora } from './agora.ts';
export { bland } from './bland.ts';
export { cartesia } from './cartesia.ts';
export { telnyx } from './telnyx.ts';

/** What the server runs, and how the platform asks and is answered. */
export interface HttpToolsOptions<Call extends PlatformToolCall = PlatformToolCall>
  extends PlatformDialect<Call>,
    PlatformHandlerOptions {}

/**
 * `tools` are definitions to register, `handler` is the whole server. Where `toolbox` starts the phone call for each request,
 * give the integration `phoneCalls.tools.phoneCallStore`: a payment needs the look-up of an earlier request.
 *
 * @example
 * const handle = httpTools.handler({
 *   toolbox: ({ callId, phone }) => integration.startPhoneCall({ callId, phone, direction: 'inbound' }).tools,
 *   authentication: [sharedSecret({ header: 'x-tools-secret', secrets: fromEnv('TOOLS_SECRET') })],
 *   read: ({ body }) => ({ callId: body.call_id, phone: body.from, calls: [{ name: body.tool, args: body.input }] }),
 *   reply: ([answer]) => ({ output: answer?.result.value }),
 * });
 * const response = await handle(request);
 */
export const httpTools = {
  /** Name, description and JSON Schema of each tool, as most platforms take them. */
  tools: (toolbox: Toolbox) =>
    toolbox.tools().map(({ name, description, parameters }) => ({
      name,
      description,
      parameters: toPortable(parameters),
    })),

  /**
   * A web-standard server. Hand it the request unread. What isn't genuine gets 401, and nothing runs; what `read` can't
   * make sense of gets 400. A tool that fails has status 200, and says so in its result.
   * Throws `InvalidArgumentError` without a method of authentication.
   */
  handler: <Call extends PlatformToolCall>(
    options: HttpToolsOptions<Call>,
  ): ((request: Request) => Promise<Response>) => createPlatformHandler(options, options),
};
