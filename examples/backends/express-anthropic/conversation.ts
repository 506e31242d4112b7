import { env } from 'node:process';
import type Anthropic from '@anthropic-ai/sdk';
import { anthropic } from 'voice-agent-integrations/tools/anthropic';
import { greeting, instructions } from '../instructions.ts';
import type { LiveCall } from '../live-calls.ts';

export interface Conversation {
  /**
   * What to say to these words; the same again for a known `token`. Never rejects: after an error it apologises.
   */
  readonly answer: (words: string, token: string | undefined) => Promise<string>;
}

export interface ConversationOptions {
  readonly call: LiveCall;
  readonly claude: Anthropic;
}

/** The model's side of a phone call: a loop of its answers and its tools until it says something. */
export const startConversation = ({ call, claude }: ConversationOptions): Conversation => {
  const messages: Anthropic.MessageParam[] = [];
  const transcript = [`Agent: ${greeting}`];
  const known = new Map<string, Promise<string>>();
  let before: Promise<unknown> = Promise.resolve();

  const hear = (speaker: 'Caller' | 'Agent', words: string) => {
    transcript.push(`${speaker}: ${words}`);
    call.tell({ transcript: transcript.join('\n') });
  };

  const think = async (): Promise<string> => {
    // All requests of one answer share one deadline, and Twilio waits for 15 seconds.
    const { tools } = call.phoneCall.turn({ signal: call.hungUp });
    const signal = AbortSignal.any([AbortSignal.timeout(13_000), call.hungUp]);
    for (;;) {
      const answer = await claude.messages.create(
        {
          model: env['ANTHROPIC_MODEL'] ?? 'claude-haiku-4-5',
          max_tokens: 500,
          system: `${instructions}\nYou have begun with: ${greeting}`,
          messages,
          tools: anthropic.tools(tools),
        },
        { signal },
      );
      messages.push({ role: 'assistant', content: answer.content });
      const results = await anthropic.runAll(tools, answer);
      if (!results) return answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      messages.push(results);
    }
  };

  const answer = async (words: string): Promise<string> => {
    hear('Caller', words);
    messages.push({ role: 'user', content: words });
    const said = await think().catch((error: unknown) => {
      console.error(error);
      const apology = 'I am sorry, something went wrong here. Could you say that again?';
      messages.push({ role: 'assistant', content: apology });
      return apology;
    });
    hear('Agent', said);
    return said;
  };

  return {
    answer: (words, token = '') => {
      const again = known.get(token);
      if (again) return again;
      // One answer after the other: each begins with what the last one said.
      const next = before.then(() => answer(words));
      before = next;
      if (token) known.set(token, next);
      return next;
    },
  };
};
