import type { Toolbox } from '../../../tools/index.ts';

/** The settings that some targets need in addition to the tools. */
export interface TargetOptions {
  /** The address of the application's handler. */
  readonly url: string;
}

/** Gives the definitions as a provider is sent them. Each loads its adapter when it is asked. */
export type Target = (toolbox: Toolbox, options: TargetOptions) => Promise<unknown>;

/** The targets by the name after `--target`. */
export const targets: Readonly<Record<string, Target>> = {
  'openai-chat': async (toolbox) => (await import('../../../tools/providers/openai.ts')).chat.tools(toolbox),
  'openai-responses': async (toolbox) => (await import('../../../tools/providers/openai.ts')).responses.tools(toolbox),
  'openai-realtime': async (toolbox) => (await import('../../../tools/providers/openai.ts')).realtime.tools(toolbox),
  'openai-agents': async (toolbox) =>
    (await import('../../../tools/providers/openai-agents.ts')).openaiAgents.tools(toolbox, {
      tool: ({ execute: _execute, ...definition }) => definition,
    }),
  anthropic: async (toolbox) => (await import('../../../tools/providers/anthropic.ts')).anthropic.tools(toolbox),
  gemini: async (toolbox) => (await import('../../../tools/providers/google.ts')).generateContent.tools(toolbox),
  'gemini-live': async (toolbox) => (await import('../../../tools/providers/google.ts')).live.tools(toolbox),
  'ai-sdk': async (toolbox) => (await import('../../../tools/providers/ai-sdk.ts')).aiSdk.tools(toolbox),
  mastra: async (toolbox) => {
    const createTool = ({ execute: _execute, ...definition }: object & { execute?: unknown }) => definition;
    return (await import('../../../tools/providers/mastra.ts')).mastra.tools(toolbox, { createTool });
  },
  langchain: async (toolbox) => {
    const tool = (_execute: unknown, definition: object) => definition;
    const { langchain } = await import('../../../tools/providers/langchain.ts');
    return langchain.tools(toolbox, { tool, ToolMessage: Object });
  },
  livekit: async (toolbox) => {
    const { livekit } = await import('../../../tools/providers/livekit.ts');
    return livekit.tools(toolbox, { llm: { tool: (definition: object) => definition, ToolError: Error } });
  },
  mcp: async (toolbox) => (await import('../../../tools/providers/mcp.ts')).mcp.tools(toolbox),
  bedrock: async (toolbox) => (await import('../../../tools/providers/bedrock.ts')).bedrock.tools(toolbox),
  'nova-sonic': async (toolbox) => (await import('../../../tools/providers/nova-sonic.ts')).novaSonic.tools(toolbox),
  vapi: async (toolbox, { url }) => (await import('../../../tools/providers/vapi.ts')).vapi.tools(toolbox, { url }),
  retell: async (toolbox, { url }) =>
    (await import('../../../tools/providers/retell.ts')).retell.tools(toolbox, { url }),
  elevenlabs: async (toolbox, { url }) =>
    (await import('../../../tools/providers/elevenlabs.ts')).webhook.tools(toolbox, { url, secretId: 'SECRET_ID' }),
  'elevenlabs-client': async (toolbox) =>
    (await import('../../../tools/providers/elevenlabs.ts')).client.tools(toolbox),
  deepgram: async (toolbox) => (await import('../../../tools/providers/deepgram.ts')).deepgram.tools(toolbox),
  ultravox: async (toolbox) => (await import('../../../tools/providers/ultravox.ts')).ultravox.tools(toolbox),
};
