/** What is stored of a tool call that a colleague approves, and what it says about the next one. */
import type { Json } from '../../stores/ports/json.ts';
import { type AgreementRequest, type ConfirmationToken, turnTag, unknownTurn } from './confirmation.ts';
import type { ToolResult, ToolStatus } from '../context.ts';
import { mayRunAgain } from '../tool-run.ts';

/** The right to do the work, and what is stored of it. */
export interface Held extends Stored {
  readonly key: string;
  readonly claim: string;
}

export interface Stored {
  /** `undefined` where the request is new. */
  readonly kept: Kept | undefined;
  readonly used: readonly UsedToken[];
}

/** A caller's yes that doesn't count any more. */
export interface UsedToken {
  readonly id: string;
  readonly expiresAt: number;
  /** The result, where something was done. */
  readonly left: Json;
}

export const withUsed = (held: Held, { id, expiresAt }: ConfirmationToken, left: Json): Held => ({
  ...held,
  used: [...held.used, { id, expiresAt, left }],
});

/** What the store keeps of an answer. */
export interface Kept {
  readonly approved: boolean;
  /** Not there where nothing was done. */
  readonly result?: { readonly status: ToolStatus; readonly value: Json };
  /** A model has read it. */
  readonly wasRead?: boolean;
  /** The phone call that it was approved for, or that read it last. */
  readonly callId?: string;
  /** The turn that read a refusal. */
  readonly turn?: string;
}

export const toKept = (
  { status, value }: Pick<ToolResult, 'status' | 'value'>,
  callId: string,
  wasRead = false,
): Kept => ({
  approved: true,
  result: { status, value },
  wasRead,
  callId,
});

/** All of it is JSON. */
export const toStored = (kept: Kept | undefined, used: readonly UsedToken[]): Json =>
  ({ ...kept, used }) as object as Json & object;

/** Only this file writes under these keys. */
export const readKept = (stored: Json): Stored => {
  const { used = [], ...kept } = stored as object as Partial<Kept> & { readonly used?: readonly UsedToken[] };
  return { kept: 'approved' in kept ? (kept as Kept) : undefined, used };
};

/**
 * Asked for again later. A refusal counts for the turn that read it. A write that a phone call has read the end of is
 * another one in the next phone call; payments say what counts twice.
 */
export const isAnotherWish = (
  { approved, wasRead = false, callId, turn, result }: Kept,
  { toolRun: { tool, context }, given }: AgreementRequest,
): boolean => {
  if (!wasRead) return false;
  const isNextCall = callId !== context.callId;
  if (!approved) return isNextCall || (turnTag(given) !== unknownTurn && turnTag(given) !== turn);
  return isNextCall && tool.effect === 'write' && result?.status !== 'unknown';
};

/** Nothing was done yet, although it was approved. */
export const leavesWork = ({ approved, result }: Kept, tool: AgreementRequest['toolRun']['tool']): boolean =>
  approved && (!result || mayRunAgain(tool, result));

/** What is kept answers the request, and nothing is done. */
export const isAnswered = (kept: Kept, request: AgreementRequest): boolean =>
  !isAnotherWish(kept, request) && !leavesWork(kept, request.toolRun.tool);
