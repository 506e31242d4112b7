/** An agent on OpenAI's Chat Completions, for `playCalls`. Put yours in its place. */
import { env } from 'node:process';
import OpenAI from 'openai';
import type { EvalAgent } from 'voice-agent-integrations/testing';
import { chat } from 'voice-agent-integrations/tools/openai';

const instructions = `You answer the phone for Acme. Be brief: your words are spoken.
Take a payment only after the caller has agreed to its amount. Say only what a tool has answered.
When a payment's outcome is unknown, never say that it failed or that it worked: say that we will check.`;

export const openaiAgent: EvalAgent = ({ scripted }) => {
  const { OPENAI_API_KEY: key, OPENAI_MODEL: model = 'gpt-4.1' } = env;
  const connecting = key
    ? Promise.resolve(new OpenAI())
    : scripted.listen().then((url) => new OpenAI({ apiKey: 'none', baseURL: `${url}/v1` }));
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: instructions }];

  return async ({ heard, tools, signal }) => {
    messages.push({ role: 'user', content: heard });
    const openai = await connecting;
    for (let step = 0; step < 8 && !signal.aborted; step += 1) {
      const { choices } = await openai.chat.completions.create({ model, messages, tools: chat.tools(tools) });
      const [choice] = choices;
      if (!choice) break;
      const results = await chat.runAll(tools, choice);
      messages.push(choice.message, ...results);
      if (results.length === 0) return choice.message.content ?? '';
    }
    return '';
  };
};
