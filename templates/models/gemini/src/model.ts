import { type Content, GoogleGenAI } from '@google/genai';
import { fromEnv } from 'voice-agent-integrations/auth';
import type { Toolbox } from 'voice-agent-integrations/tools';
import { generateContent } from 'voice-agent-integrations/tools/google';
import { instructions } from './instructions.ts';

const model = process.env['GEMINI_MODEL'] ?? 'gemini-2.5-flash';

/** The model's side of one phone call. */
export const startConversation = () => {
  // It reads GOOGLE_GEMINI_BASE_URL too. A caller is waiting.
  const client = new GoogleGenAI({ apiKey: fromEnv('GEMINI_API_KEY')(), httpOptions: { timeout: 20_000 } });
  const contents: Content[] = [];
  return {
    /** What the agent says to the caller's words. The tools belong to this turn. */
    answer: async (words: string, tools: Toolbox): Promise<string> => {
      contents.push({ role: 'user', parts: [{ text: words }] });
      for (let step = 0; step < 8; step += 1) {
        const config = { systemInstruction: instructions, tools: generateContent.tools(tools) };
        const answer = await client.models.generateContent({ model, contents, config });
        const content = answer.candidates?.[0]?.content;
        if (!content) break;
        contents.push(content);
        const results = await generateContent.runAll(tools, answer);
        if (!results) return answer.text ?? '';
        contents.push(results);
      }
      throw new Error('the model came to no answer');
    },
  };
};
