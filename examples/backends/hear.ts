import type { LiveCall } from 'voice-agent-integrations';

/** How much of a platform's transcript a phone call has heard. */
export interface Heard {
  lines?: number;
}

/**
 * Passes on what is new in a transcript that a platform sends again and again: a payment that asked is confirmed once the
 * caller has answered. Call it without a transcript when the phone call begins: in one that another process began, what
 * was said before answers nothing.
 */
export const hear = ({ phoneCall, state }: LiveCall<Heard>, transcript = ''): void => {
  const lines = transcript.split('\n').filter((line) => speaker.test(line));
  for (const line of lines.slice(state.lines ?? lines.length)) {
    const words = line.replace(speaker, '');
    if (line.startsWith('User:')) phoneCall.heard(words);
    else phoneCall.said(words);
  }
  state.lines = lines.length;
};

/** Vapi and Retell call the two so. */
const speaker = /^(?:User|AI|Agent): */;
