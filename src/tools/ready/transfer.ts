import type { Admin } from '../../messaging/index.ts';
import type { ToolContext } from '../context.ts';

/** A phone call that is to go on with a person. */
export interface CallTransfer {
  readonly callId: string;
  /** By its name in `teams`; `undefined` where there are none. */
  readonly team: string | undefined;
  readonly teamId: string | undefined;
  /** Who of the team is there. Empty where the platform doesn't say. */
  readonly colleagues: readonly Admin[];
  /** What the caller needs, in the words of the model. It's in a note, unless that failed. */
  readonly summary: string;
  /** `undefined` where the caller isn't identified, or the platform is down. */
  readonly conversationId: string | undefined;
}

/** How a phone call gets to a person, and what happens when no one is there. */
export interface TransferOptions {
  /**
   * Moves the phone call, as only your telephony can. `false`: it couldn't be moved, such as when no one picks up; the
   * caller is still on the line.
   */
  readonly moveCall: (transfer: CallTransfer, context: ToolContext) => boolean | Promise<boolean>;
  /** The schedule by which people answer, as the messaging platform has it. @defaultValue always open */
  readonly officeHoursId?: string | undefined;
  /** What happens next if no one is there, for the model to say: `A colleague calls back the next working day.` */
  readonly whenUnavailable: string;
}
