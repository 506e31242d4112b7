import { randomUUID } from 'node:crypto';
import { InvalidArgumentError } from '../core/errors.ts';
import { isSilence } from '../core/arguments.ts';
import { type CallerAnswer, saysNo } from '../tools/says-no.ts';

/** The words of one phone call, as the application reports them. */
export interface SpokenWords {
  heard(words: string): void;
  said(words: string): void;
  /** Takes words of the caller that answer nothing that was asked before. */
  overheard(words: string): void;
  /** Returns the words so far, a line for each; `undefined` before anyone spoke. */
  transcript(): string | undefined;
  /** The id of what the caller said last; `undefined` while the application reports nothing. */
  lastHeard(): string | undefined;
  /** Returns the last answers of the caller, oldest first; `undefined` while the application reports nothing. */
  answers(): readonly CallerAnswer[] | undefined;
}

/**
 * Keeps what was spoken. Blank words are silence. Each words of the caller get a random id: two processes that counted
 * could agree by accident.
 */
export const createSpokenWords = (): SpokenWords => {
  const lines: string[] = [];
  const answers: CallerAnswer[] = [];
  let lastHeard: string | undefined;
  const answer = (turn: string, words: string) => {
    answers.push({ turn, isNo: saysNo(words) });
    if (answers.length > mostAnswers) answers.shift();
  };
  const add = (who: 'Caller' | 'Agent', words: string): boolean => {
    if (typeof words !== 'string')
      throw new InvalidArgumentError(who === 'Caller' ? 'heard' : 'said', 'must be the words that were spoken, a text');
    const spoken = words.trim();
    if (isSilence(spoken)) return false;
    lines.push(`${who}: ${spoken}`);
    return true;
  };

  return {
    heard: (words) => {
      if (!add('Caller', words)) return;
      lastHeard = randomUUID();
      answer(lastHeard, words);
    },
    said: (words) => void add('Agent', words),
    overheard: (words) => {
      // A no counts at any time.
      if (add('Caller', words) && saysNo(words)) answer(randomUUID(), words);
    },
    transcript: () => (lines.length === 0 ? undefined : lines.join('\n')),
    lastHeard: () => lastHeard,
    answers: () => (lastHeard === undefined ? undefined : answers),
  };
};

/** A question of five minutes has fewer. */
const mostAnswers = 200;
