import OpenAI from 'openai';
import type { LiveTurn } from 'voice-agent-integrations';
import { fromEnv } from 'voice-agent-integrations/auth';
import { chat } from 'voice-agent-integrations/tools/openai';
import { instructions } from './instructions.ts';

// It reads OPENAI_BASE_URL too. A caller is waiting.
const openai = new OpenAI({ apiKey: fromEnv('OPENAI_API_KEY')(), timeout: 20_000, maxRetries: 1 });
const model = process.env['OPENAI_MODEL'] ?? 'gpt-4.1';

interface Conversation {
  messages: OpenAI.ChatCompletionMessageParam[];
}

/** What the model keeps of one phone call. */
export const startConversation = (): Conversation => ({ messages: [{ role: 'system', content: instructions }] });

/** What the agent says to the caller's words. */
export const answer = async (words: string, { state, tools, signal }: LiveTurn<Conversation>): Promise<string> => {
  const messages = [...state.messages, { role: 'user' as const, content: words }];
  const run = openai.chat.completions.runTools({ model, messages, tools: chat.runnable(tools) }, { signal });
  const text = await run.finalContent();
  state.messages = run.messages;
  return text ?? '';
};
