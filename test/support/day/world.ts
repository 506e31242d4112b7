import type { PhoneCall } from '../../../src/index.ts';
import type { ToolResult } from '../../../src/tools/index.ts';
import type { PersonOnFile, Systems } from './systems.ts';
import type { Random } from './random.ts';

/** The end of a piece of work, as the tool's answer says. */
export type Told = 'done' | 'not' | 'unknown';

export type Kind =
  | 'note'
  | 'case'
  | 'addition'
  | 'ticket'
  | 'payment'
  | 'refund'
  | 'message'
  | 'lead'
  | 'task'
  | 'proof'
  | 'stranger';

/** A record that a call may have made: what holds it, and the one whose it must be. */
export interface Wanted {
  readonly kind: Kind;
  /** Words, or an id, that no other record has. */
  readonly mark: string;
  readonly told: readonly Told[];
  /** The one whose it must be, if that's certain. */
  readonly person?: Person | undefined;
}

/** A person of the day: a customer, or a prospect, of whom no system knows yet. */
export interface Person extends PersonOnFile {
  /** `p7p`: all that is this person's has it, and nothing else. */
  readonly token: string;
  readonly isCustomer: boolean;
  readonly contactId?: string;
  readonly crmId?: string;
  readonly caseNumber?: string;
  readonly customerId?: string;
  /** The starts of the appointments that the agent has said. */
  readonly appointments: Set<number>;
  /** The end of a change isn't known. */
  isUncertain: boolean;
}

/** A message or a code that has left. */
export interface Sent {
  readonly callId: string;
  readonly to: string;
  readonly what: string;
  readonly text: string;
}

/** All that the calls of one day share. */
export interface World {
  readonly systems: Systems;
  readonly people: readonly Person[];
  readonly messages: Sent[];
  readonly codes: Sent[];
  /** The destinations that said they want no messages, with the number of messages before that. */
  readonly optOuts: { readonly callId: string; readonly to: string; readonly after: number }[];
  /** Refunds by their mark, and what the agent said of them. */
  readonly refundsTold: { readonly mark: string; readonly as: 'completed' | 'pending' }[];
  readonly wrong: string[];
  /** What each call did, a line each, to look for a cause. */
  readonly log: string[];
}

/** One phone call: who is on the line, and the tools that the agent has. */
export interface Line {
  readonly world: World;
  readonly dice: Random;
  readonly callId: string;
  readonly person: Person;
  readonly phoneCall: PhoneCall;
  /** Runs a tool; its answer may hold nothing of anyone but this person. */
  readonly run: (name: string, args?: object, options?: { readonly toolCallId: string }) => Promise<ToolResult>;
  /** The caller speaks. */
  readonly hear: (words: string) => void;
  readonly hasHungUp: () => boolean;
}

export type Job = (line: Line, mark: string) => Promise<readonly Wanted[]>;

export const toldOf = ({ status, value }: ToolResult): Told => {
  if (status === 'done') return 'done';
  const { outcome } = Object(value) as { readonly outcome?: unknown };
  return status === 'unknown' || outcome === 'unknown' ? 'unknown' : 'not';
};

/** Says what an answer holds of others. `own` is empty where no one is known. */
export const checkWords = (
  { wrong, people }: World,
  own: string,
  { callId, text }: { callId: string; text: string },
) => {
  for (const [found] of text.matchAll(/p\d+p/g)) if (found !== own) wrong.push(`${callId} of ${own} got ${found}`);
  for (const [phone] of text.matchAll(/\+1415\d{7}/g)) {
    const owner = people.find((one) => one.phone === phone);
    if (owner && owner.token !== own) wrong.push(`${callId} of ${own} got the number ${phone}`);
  }
};
