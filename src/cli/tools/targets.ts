import type { Toolbox } from '../../tools/index.ts';

/** What some targets are told beside the tools. */
export interface TargetOptions {
  /** Where the platform reaches the application's handler. */
  readonly url: string;
}

/** Gives the definitions as a provider is sent them. Each loads its adapter when it is asked. */
export type Target = (toolbox: Toolbox, options: TargetOptions) => Promise<unknown>;

/** By the name behind `--target`. */
export const targets: Readonly<Record<string, Target>> = {
  'openai-chat': async (toolbox) => (await import('../../tools/providers/openai.ts')).chat.tools(toolbox),
  'openai-responses': async (toolbox) => (await import('../../tools/providers/openai.ts')).responses.tools(toolbox),
  'openai-realtime': async (toolbox) => (await import('../../tools/providers/openai.ts')).realtime.tools(toolbox),
  'openai-agents': async (toolbox) =>
    (await import('../../tools/providers/openai-agents.ts')).tools(
      toolbox,
      ({ execute: _execute, ...definition }) => definition,
    ),
  anthropic: async (toolbox) => (await import('../../tools/providers/anthropic.ts')).tools(toolbox),
  gemini: async (toolbox) => (await import('../../tools/providers/google.ts')).generateContent.tools(toolbox),
  'gemini-live': async (toolbox) => (await import('../../tools/providers/google.ts')).live.tools(toolbox),
  'ai-sdk': async (toolbox) => (await import('../../tools/providers/ai-sdk.ts')).tools(toolbox),
  langchain: async (toolbox) => {
    const tool = (_execute: unknown, definition: object) => definition;
    const { tools } = await import('../../tools/providers/langchain.ts');
    return tools(toolbox, { tool, ToolMessage: Object });
  },
  livekit: async (toolbox) => {
    const { tools } = await import('../../tools/providers/livekit.ts');
    return tools(toolbox, { llm: { tool: (definition: object) => definition, ToolError: Error } });
  },
  mcp: async (toolbox) => (await import('../../tools/providers/mcp.ts')).tools(toolbox),
  bedrock: async (toolbox) => (await import('../../tools/providers/bedrock.ts')).tools(toolbox),
  'nova-sonic': async (toolbox) => (await import('../../tools/providers/nova-sonic.ts')).tools(toolbox),
  mistral: async (toolbox) => (await import('../../tools/providers/mistral.ts')).tools(toolbox),
  vapi: async (toolbox, { url }) => (await import('../../tools/providers/vapi.ts')).tools(toolbox, { url }),
  retell: async (toolbox, { url }) => (await import('../../tools/providers/retell.ts')).tools(toolbox, { url }),
  elevenlabs: async (toolbox, { url }) =>
    (await import('../../tools/providers/elevenlabs.ts')).webhook.tools(toolbox, { url, secretId: 'SECRET_ID' }),
  'elevenlabs-client': async (toolbox) => (await import('../../tools/providers/elevenlabs.ts')).client.tools(toolbox),
  deepgram: async (toolbox) => (await import('../../tools/providers/deepgram.ts')).tools(toolbox),
  ultravox: async (toolbox) => (await import('../../tools/providers/ultravox.ts')).tools(toolbox),
};
