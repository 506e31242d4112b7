import { hash } from 'node:crypto';
import { isSilence } from '../../core/arguments.ts';
import { fieldsOf, type Json } from '../../stores/ports/json.ts';

const agents: ReadonlySet<unknown> = new Set(['agent', 'assistant', 'bot']);

/**
 * Returns a name of the caller's last words in a platform's transcript, another one each time that the caller speaks
 * after the agent. `undefined` where there is no transcript: then a confirmation counts after 3 seconds.
 */
export const lastCallerTurn = (transcript: Json | undefined): string | undefined => {
  if (!Array.isArray(transcript)) return undefined;
  const spoken = transcript.flatMap((entry) => {
    const { role, content, message } = fieldsOf(entry);
    const words = typeof content === 'string' ? content : message;
    const isSpoken = typeof words === 'string' && !isSilence(words);
    return isSpoken && (role === 'user' || agents.has(role)) ? [{ role, words }] : [];
  });
  const before = spoken.map((_, index) => spoken[index - 1]);
  const turns = before.filter((said, index) => spoken[index]?.role === 'user' && said?.role !== 'user');
  // The agent's words too: a platform may send the last part of a long conversation alone. The caller's own may grow.
  return turns.length === 0
    ? undefined
    : hash('sha256', `${turns.length} ${turns.at(-1)?.words ?? ''}`, 'hex').slice(0, 16);
};
