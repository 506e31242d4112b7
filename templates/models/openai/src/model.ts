import OpenAI from 'openai';
import { fromEnv } from 'voice-agent-integrations/auth';
import type { Toolbox } from 'voice-agent-integrations/tools';
import { chat } from 'voice-agent-integrations/tools/openai';
import { instructions } from './instructions.ts';

const model = process.env['OPENAI_MODEL'] ?? 'gpt-4.1';

/** The model's side of one phone call. */
export const startConversation = () => {
  // It reads OPENAI_BASE_URL too. A caller is waiting.
  const openai = new OpenAI({ apiKey: fromEnv('OPENAI_API_KEY')(), timeout: 20_000, maxRetries: 1 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: instructions }];
  return {
    /** What the agent says to the caller's words. The tools belong to this turn. */
    answer: async (words: string, tools: Toolbox): Promise<string> => {
      messages.push({ role: 'user', content: words });
      for (let step = 0; step < 8; step += 1) {
        const { choices } = await openai.chat.completions.create({ model, messages, tools: chat.tools(tools) });
        const [choice] = choices;
        if (!choice) break;
        const results = await chat.runAll(tools, choice);
        messages.push(choice.message, ...results);
        if (results.length === 0) return choice.message.content ?? '';
      }
      throw new Error('the model came to no answer');
    },
  };
};
