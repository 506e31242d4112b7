/**
 * Amazon Nova Sonic, speech to speech over Bedrock's bidirectional stream. It has no package of its own: events are
 * JSON. Neither function throws for what a model sends or a tool does. There is no flag for errors.
 * Events: https://docs.aws.amazon.com/nova/latest/nova2-userguide/sonic-tool-configuration.html
 *
 * @module
 */
import type { ToolCallContext } from '../context.ts';
import { toPortable } from '../dialects.ts';
import type { ToolResult } from '../result.ts';
import type { Toolbox } from '../toolbox.ts';

/**
 * For `toolConfiguration` of the event `promptStart`. Schemas are JSON as text.
 *
 * @example
 * import * as novaSonic from 'voice-agent-integrations/tools/nova-sonic';
 * send({ event: { promptStart: { promptName, toolConfiguration: novaSonic.tools(phoneCall.tools) } } });
 */
export const tools = (toolbox: Toolbox): NovaSonicToolConfiguration => ({
  tools: toolbox.tools().map(({ name, description, parameters }) => ({
    toolSpec: { name, description, inputSchema: { json: JSON.stringify(toPortable(parameters)) } },
  })),
});

/**
 * Takes the inner part of an event `toolUse` and gives the three events to send, in this order.
 *
 * @example
 * import * as novaSonic from 'voice-agent-integrations/tools/nova-sonic';
 * for (const event of await novaSonic.run(phoneCall.tools, toolUse)) send(event);
 */
export const run = async (
  toolbox: Toolbox,
  call: NovaSonicToolUse,
  context: ToolCallContext = {},
): Promise<NovaSonicToolResultEvents> =>
  toResult(call, await toolbox.run(call.toolName, call.content, { ...context, toolCallId: call.toolUseId }));

/**
 * A result as the three events to send, in this order, for a loop of your own.
 *
 * @example
 * import * as novaSonic from 'voice-agent-integrations/tools/nova-sonic';
 * const result = await toolbox.run(toolUse.toolName, toolUse.content, { toolCallId: toolUse.toolUseId });
 * for (const event of novaSonic.toResult(toolUse, result)) send(event);
 */
export const toResult = (
  { promptName, toolUseId }: Pick<NovaSonicToolUse, 'promptName' | 'toolUseId'>,
  { text }: ToolResult,
): NovaSonicToolResultEvents => {
  // Names of contents are ours to choose, and are used once in a session.
  const contentName = `result-${toolUseId}`;
  const toolResultInputConfiguration = {
    toolUseId,
    type: 'TEXT',
    textInputConfiguration: { mediaType: 'text/plain' },
  } as const;
  return [
    {
      event: {
        contentStart: {
          promptName,
          contentName,
          interactive: false,
          type: 'TOOL',
          role: 'TOOL',
          toolResultInputConfiguration,
        },
      },
    },
    { event: { toolResult: { promptName, contentName, content: text } } },
    { event: { contentEnd: { promptName, contentName } } },
  ];
};

/** The `toolConfiguration` of the event `promptStart`. */
export interface NovaSonicToolConfiguration {
  tools: { toolSpec: { name: string; description: string; inputSchema: { json: string } } }[];
}

/** The inner part of an event `toolUse`. */
export interface NovaSonicToolUse {
  readonly promptName: string;
  readonly toolUseId: string;
  readonly toolName: string;
  /** JSON as text. */
  readonly content: string;
}

/** The three events that hand a result to the session: its start, its text, its end. */
export type NovaSonicToolResultEvents = [
  {
    event: {
      contentStart: {
        promptName: string;
        contentName: string;
        interactive: false;
        type: 'TOOL';
        role: 'TOOL';
        toolResultInputConfiguration: {
          toolUseId: string;
          type: 'TEXT';
          textInputConfiguration: { mediaType: 'text/plain' };
        };
      };
    };
  },
  { event: { toolResult: { promptName: string; contentName: string; content: string } } },
  { event: { contentEnd: { promptName: string; contentName: string } } },
];
