/**
 * Amazon Nova Sonic, speech to speech over Bedrock's bidirectional stream. It has no package of its own: events are
 * JSON. There is no flag for errors.
 * Events: https://docs.aws.amazon.com/nova/latest/nova2-userguide/sonic-tool-configuration.html
 *
 * @module
 */
import { toPortable } from '../dialects.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { createCallRunner } from './target.ts';

/** The inner part of an event `toolUse`. `content` is JSON text. */
interface ToolUse {
  readonly promptName: string;
  readonly toolUseId: string;
  readonly toolName: string;
  readonly content: string;
}

/**
 * `run` takes the inner part of an event `toolUse` and gives the three events to send, in this order.
 *
 * @example
 * send({ event: { promptStart: { promptName, toolConfiguration: novaSonic.tools(phoneCall.tools) } } });
 * for (const event of await novaSonic.run(phoneCall.tools, toolUse)) send(event);
 */
export const novaSonic = {
  /** For `toolConfiguration` of the event `promptStart`. Schemas are JSON text. */
  tools: (from: WithTools) => ({
    tools: toolboxOf(from, 'novaSonic.tools')
      .tools()
      .map(({ name, description, parameters }) => ({
        toolSpec: { name, description, inputSchema: { json: JSON.stringify(toPortable(parameters)) } },
      })),
  }),

  ...createCallRunner({
    readCall: ({ toolName, content, toolUseId }: ToolUse) => ({
      name: toolName,
      args: content,
      toolCallId: toolUseId,
    }),
    toResult: ({ promptName, toolUseId }, { text }) => {
      // Names of contents are ours to choose, and are used once in a session.
      const place = { promptName, contentName: `result-${toolUseId}` };
      return [
        {
          event: {
            contentStart: {
              ...place,
              interactive: false,
              type: 'TOOL',
              role: 'TOOL',
              toolResultInputConfiguration: {
                toolUseId,
                type: 'TEXT',
                textInputConfiguration: { mediaType: 'text/plain' },
              },
            },
          },
        },
        { event: { toolResult: { ...place, content: text } } },
        { event: { contentEnd: place } },
      ] as const;
    },
  }),
};
