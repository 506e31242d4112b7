import { env } from 'node:process';
import Anthropic from '@anthropic-ai/sdk';
import type { LiveTurn } from 'voice-agent-integrations';
import { anthropic } from 'voice-agent-integrations/tools/anthropic';
import { greeting, instructions } from '../instructions.ts';

const claude = new Anthropic({ maxRetries: 1 });

export interface Conversation {
  /** What the model has of it. */
  readonly messages: Anthropic.MessageParam[];
  /** The answers so far, by the token of their requests. */
  readonly answers: Map<string, Promise<string>>;
}

/** The model's side of one turn: a loop of its answers and its tools until it says something. Never rejects. */
export const answer = async (words: string, { state, tools, signal: hungUp }: LiveTurn<Conversation>) => {
  const { messages } = state;
  messages.push({ role: 'user', content: words });
  try {
    return await think(messages, tools, AbortSignal.any([AbortSignal.timeout(13_000), hungUp]));
  } catch (error) {
    console.error(error);
    const apology = 'I am sorry, something went wrong here. Could you say that again?';
    messages.push({ role: 'assistant', content: apology });
    return apology;
  }
};

/** All requests of one answer share one deadline, and Twilio waits for 15 seconds. */
const think = async (messages: Anthropic.MessageParam[], tools: LiveTurn['tools'], signal: AbortSignal) => {
  for (;;) {
    const message = await claude.messages.create(
      {
        model: env['ANTHROPIC_MODEL'] ?? 'claude-haiku-4-5',
        max_tokens: 500,
        system: `${instructions}\nYou have begun with: ${greeting}`,
        messages,
        tools: anthropic.tools(tools),
      },
      { signal },
    );
    messages.push({ role: 'assistant', content: message.content });
    const results = await anthropic.runAll(tools, message);
    if (!results) return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    messages.push(results);
  }
};
