import Anthropic from '@anthropic-ai/sdk';
import { fromEnv } from 'voice-agent-integrations/auth';
import type { Toolbox } from 'voice-agent-integrations/tools';
import { anthropic } from 'voice-agent-integrations/tools/anthropic';
import { instructions } from './instructions.ts';

const model = process.env['ANTHROPIC_MODEL'] ?? 'claude-haiku-4-5';

/** The model's side of one phone call. */
export const startConversation = () => {
  // It reads ANTHROPIC_BASE_URL too. A caller is waiting.
  const client = new Anthropic({ apiKey: fromEnv('ANTHROPIC_API_KEY')(), timeout: 20_000, maxRetries: 1 });
  const messages: Anthropic.MessageParam[] = [];
  return {
    /** What the agent says to the caller's words. The tools belong to this turn. */
    answer: async (words: string, tools: Toolbox): Promise<string> => {
      messages.push({ role: 'user', content: words });
      for (let step = 0; step < 8; step += 1) {
        const answer = await client.messages.create({
          model,
          max_tokens: 500,
          system: instructions,
          messages,
          tools: anthropic.tools(tools),
        });
        messages.push({ role: 'assistant', content: answer.content });
        const results = await anthropic.runAll(tools, answer);
        if (!results) return answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
        messages.push(results);
      }
      throw new Error('the model came to no answer');
    },
  };
};
