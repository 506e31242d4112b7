/** The caller's words in a realtime session, and the confirmation tokens that they can agree to. */
import { isJsonObject, type JsonObject } from '../../stores/ports/json.ts';
import { confirmationToken } from '../arguments.ts';

/** Counts what the caller says, and places each tool call in one of these turns. */
export interface RealtimeTurns {
  /** The number of the caller's utterances. */
  readonly current: () => number;
  /** The caller spoke. Events about one item come in threes: it counts once. */
  readonly count: (itemId: string | undefined) => void;
  /** Remembers the token in a result that the model gets. */
  readonly remember: (result: string) => void;
  /** The arguments to run, and their turn. `answerTurn` is that of the answer which asked for the tool. */
  readonly place: (args: string, answerTurn: number) => { readonly sent: string | object; readonly turn: number };
}

export const createTurns = (): RealtimeTurns => {
  let turn = 0;
  const callerItems = new Set<string>();
  /** The tokens that the model was given in this session. */
  const issued = new Set<unknown>();
  return {
    current: () => turn,
    count: (itemId) => {
      if (itemId !== undefined && callerItems.has(itemId)) return;
      if (itemId !== undefined) callerItems.add(itemId);
      turn += 1;
    },
    remember: (result) => {
      issued.add(withToken(result)?.[confirmationToken]);
    },
    place: (args, answerTurn) => {
      const confirming = withToken(args);
      // A new token asks for what the caller says from now on.
      if (!confirming) return { sent: args, turn };
      // One that comes back was thought of when the answer began. The caller has said nothing in this session that
      // could agree to a token of an earlier one.
      const isOld = answerTurn === 0 && !issued.has(confirming[confirmationToken]);
      return { sent: isOld ? { ...confirming, [confirmationToken]: undefined } : args, turn: answerTurn };
    },
  };
};

/** The arguments or the result, if they hold a token. */
const withToken = (line: string): JsonObject | undefined => {
  try {
    const parsed: unknown = JSON.parse(line);
    return isJsonObject(parsed) && typeof parsed[confirmationToken] === 'string' ? parsed : undefined;
  } catch {
    // The toolbox says what is wrong with arguments.
    return undefined;
  }
};
