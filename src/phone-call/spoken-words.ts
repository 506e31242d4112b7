import { randomUUID } from 'node:crypto';
import { InvalidArgumentError } from '../core/errors.ts';
import { isSilence } from '../core/arguments.ts';

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
}

/**
 * Keeps what was spoken. Blank words are silence. Each words of the caller get a random id: two processes that counted
 * could agree by accident.
 */
export const createSpokenWords = (): SpokenWords => {
  const lines: string[] = [];
  let lastHeard: string | undefined;
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
      if (add('Caller', words)) lastHeard = randomUUID();
    },
    said: (words) => void add('Agent', words),
    overheard: (words) => void add('Caller', words),
    transcript: () => (lines.length === 0 ? undefined : lines.join('\n')),
    lastHeard: () => lastHeard,
  };
};
