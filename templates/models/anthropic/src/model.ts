import Anthropic from '@anthropic-ai/sdk';
import type { LiveTurn } from 'voice-agent-integrations';
import { fromEnv } from 'voice-agent-integrations/auth';
import { anthropic } from 'voice-agent-integrations/tools/anthropic';
import { instructions } from './instructions.ts';

// It reads ANTHROPIC_BASE_URL too. A caller is waiting.
const client = new Anthropic({ apiKey: fromEnv('ANTHROPIC_API_KEY')(), timeout: 20_000, maxRetries: 1 });
const model = process.env['ANTHROPIC_MODEL'] ?? 'claude-haiku-4-5';

interface Conversation {
  messages: Anthropic.MessageParam[];
}

/** What the model keeps of one phone call. */
export const startConversation = (): Conversation => ({ messages: [] });

/** What the agent says to the caller's words. */
export const answer = async (words: string, { state, tools, signal }: LiveTurn<Conversation>): Promise<string> => {
  const messages: Anthropic.MessageParam[] = [...state.messages, { role: 'user', content: words }];
  for (let step = 0; step < 8; step += 1) {
    const request = { model, max_tokens: 500, system: instructions, messages, tools: anthropic.tools(tools) };
    const said = await client.messages.create(request, { signal });
    messages.push({ role: 'assistant', content: said.content });
    const results = await anthropic.runAll(tools, said);
    if (results) messages.push(results);
    else {
      state.messages = messages;
      return said.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    }
  }
  throw new Error('the model came to no answer');
};
