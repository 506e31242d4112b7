import { type Content, GoogleGenAI } from '@google/genai';
import type { LiveTurn } from 'voice-agent-integrations';
import { fromEnv } from 'voice-agent-integrations/auth';
import { generateContent } from 'voice-agent-integrations/tools/google';
import { instructions } from './instructions.ts';

// It reads GOOGLE_GEMINI_BASE_URL too. A caller is waiting.
const client = new GoogleGenAI({ apiKey: fromEnv('GEMINI_API_KEY')(), httpOptions: { timeout: 20_000 } });
const model = process.env['GEMINI_MODEL'] ?? 'gemini-2.5-flash';

interface Conversation {
  contents: Content[];
}

/** What the model keeps of one phone call. */
export const startConversation = (): Conversation => ({ contents: [] });

/** What the agent says to the caller's words. */
export const answer = async (words: string, { state, tools, signal }: LiveTurn<Conversation>): Promise<string> => {
  const contents: Content[] = [...state.contents, { role: 'user', parts: [{ text: words }] }];
  const config = { systemInstruction: instructions, tools: generateContent.tools(tools), abortSignal: signal };
  for (let step = 0; step < 8; step += 1) {
    const said = await client.models.generateContent({ model, contents, config });
    const content = said.candidates?.[0]?.content;
    if (!content) break;
    contents.push(content);
    const results = await generateContent.runAll(tools, said);
    if (results) contents.push(results);
    else {
      state.contents = contents;
      return said.text ?? '';
    }
  }
  throw new Error('the model came to no answer');
};
