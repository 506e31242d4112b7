import { hash } from 'node:crypto';
import { isSilence } from '../../core/arguments.ts';
import { type CallerAnswer, saysNo } from '../says-no.ts';
import { fieldsOf, type Json } from '../../stores/ports/json.ts';

const agents: ReadonlySet<unknown> = new Set(['agent', 'assistant', 'bot']);

/**
 * Returns the caller's turns in a platform's transcript. The last one's name is another one each time that the caller
 * speaks after the agent. `undefined` where there is no transcript: then a confirmation counts after 3 seconds.
 */
export const callerTurns = (transcript: Json | undefined): CallerTurns => {
  if (!Array.isArray(transcript)) return {};
  const turns: { readonly before: string; words: string }[] = [];
  let last: { readonly isCaller: boolean; readonly words: string } | undefined;
  for (const entry of transcript) {
    const { role, content, message } = fieldsOf(entry);
    const words = typeof content === 'string' ? content : message;
    if (typeof words !== 'string' || isSilence(words) || (role !== 'user' && !agents.has(role))) continue;
    const isCaller = role === 'user';
    const turn = turns.at(-1);
    if (isCaller && last?.isCaller && turn) turn.words += ` ${words}`;
    else if (isCaller) turns.push({ before: last?.words ?? '', words });
    last = { isCaller, words };
  }
  // The agent's words name it: a platform may send the last part of a long conversation alone. The caller's own may grow.
  const answers = turns.map(({ before, words }, index) => ({
    turn: hash('sha256', `${index + 1} ${before}`, 'hex').slice(0, 16),
    isNo: saysNo(words),
  }));
  return { turn: answers.at(-1)?.turn, answers };
};

interface CallerTurns {
  readonly turn?: string | undefined;
  readonly answers?: readonly CallerAnswer[] | undefined;
}
