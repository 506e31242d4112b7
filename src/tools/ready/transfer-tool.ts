import { text } from '../../core/arguments.ts';
import { ClientError, type IntegrationError, InvalidArgumentError, RetriesExhaustedError } from '../../core/errors.ts';
import { type Deadline, deadlineIn } from '../../http/deadline.ts';
import type { RequestOptions } from '../../http/operation.ts';
import type { Admin } from '../../messaging/index.ts';
import { maskCardNumbers } from '../../observability/redaction/card-numbers.ts';
import * as z from '../../core/schema.ts';
import { type CallToolsOptions, stepOptions, type TransferOptions } from './call-tools-options.ts';
import type { ToolContext } from '../context.ts';
import { defineTool } from '../define-tool.ts';
import { notTransferred } from '../failures.ts';
import { madeOnce } from '../made-once.ts';
import { createCallMemory } from '../call-memory.ts';
import { refused, type Tool } from '../tool.ts';

const noTeams: NonNullable<CallToolsOptions['teams']> = {};

const transferParameters = madeOnce((teams: NonNullable<CallToolsOptions['teams']>) => {
  const [firstTeam, ...otherTeams] = Object.keys(teams);
  const summary = text().check(z.maxLength(1000), z.describe('For the colleague.'));
  return firstTeam === undefined || otherTeams.length === 0
    ? z.object({ summary })
    : z.object({ summary, team: z.enum([firstTeam, ...otherTeams]).check(z.describe('Who can help.')) });
});

/** Hands the phone call to a person, if one is there. */
export const transferTool = (
  transfer: TransferOptions,
  { messaging, teams = noTeams, phoneCall, lookup = 'caller' }: CallToolsOptions,
): Tool => {
  const [firstTeam] = Object.keys(teams);
  const doneOf = createCallMemory(() => new Set<string>());

  /**
   * Finds out who is there. If that takes too long, the call is moved all the same; if the platform refuses the office
   * hours, it isn't.
   */
  const availability = async (teamId: string | undefined, call: RequestOptions): Promise<Availability> => {
    const { officeHoursId } = transfer;
    const [isOpen, members] = await Promise.allSettled([
      officeHoursId === undefined ||
        messaging === undefined ||
        messaging.officeHours.isOpen(officeHoursId, undefined, call),
      teamId === undefined ? undefined : messaging?.teams.listMembers(teamId, call),
    ]);
    if (isOpen.status === 'rejected' && isFinal(isOpen.reason))
      return { problem: undefined, colleagues: [], refusal: isOpen.reason };
    if (isOpen.status === 'fulfilled' && !isOpen.value) return { problem: 'outside_office_hours', colleagues: [] };
    if (members.status === 'rejected' || members.value === undefined) return { problem: undefined, colleagues: [] };
    const colleagues = members.value.data.filter(isThere);
    return { problem: colleagues.length === 0 ? 'no_one_available' : undefined, colleagues };
  };

  /** Leaves a note for the team, and gives it the conversation. What fails here doesn't keep the caller from a person. */
  const handOver = async (
    { words, teamId }: { readonly words: string; readonly teamId: string | undefined },
    context: ToolContext,
    deadline: Deadline,
  ): Promise<HandedOver> => {
    const { caller, conversationIds, request } = context;
    const steps = { ...stepOptions(context), deadline };
    const [known] = conversationIds;
    // One that is started now would be of the person whom the caller only names.
    const isStranger = lookup !== 'anyone' && caller.verified === 'no' && caller.claimed?.length;
    const body = maskCardNumbers(words);
    const done = doneOf(context);
    if (messaging === undefined || (known === undefined && isStranger))
      return { conversationId: undefined, noted: false };
    try {
      const conversationId = known ?? (await phoneCall(context).ensureConversation(steps)).conversationId;
      const ends = await Promise.allSettled([
        doneOnce(done, ['note', conversationId, body], () =>
          messaging.conversations.addNote(conversationId, { body }, { ...request, deadline }),
        ),
        teamId === undefined
          ? undefined
          : doneOnce(done, ['team', conversationId, teamId], () =>
              phoneCall(context).routeConversation({ teamId, conversationId }, steps),
            ),
      ]);
      return { conversationId, noted: ends.every(({ status }) => status === 'fulfilled') };
    } catch {
      return { conversationId: undefined, noted: false };
    }
  };

  return defineTool({
    name: 'transfer_to_human',
    description: "Hand the call to a person, if asked or you can't help.",
    parameters: transferParameters(teams),
    effect: 'write',
    idempotent: true,
    slowMessage: 'I am looking for a colleague.',
    run: async (args, context) => {
      const { callId, deadline, request, signal } = context;
      const team = 'team' in args && typeof args.team === 'string' ? args.team : firstTeam;
      const teamId = team === undefined ? undefined : teams[team];
      // The larger part of the time belongs to the phone call itself.
      const aThird = () => deadlineIn(deadline.remainingMs() / 3);
      const { problem, colleagues, refusal } = await availability(teamId, { ...request, deadline: aThird() });
      const { conversationId, noted } = await handOver({ words: args.summary, teamId }, context, aThird());
      if (refusal) throw refusal;
      const next = noted ? transfer.whenUnavailable : undefined;
      if (problem) return refused(notTransferred(problem, next));
      signal.throwIfAborted();
      const { summary } = args;
      const isMoved = await transfer.moveCall({ callId, team, teamId, colleagues, summary, conversationId }, context);
      return isMoved ? { team } : refused(notTransferred('no_one_answered', next));
    },
    compact: ({ team }) => ({ transferred: true, to: team }),
  });
};

/** Runs it. Where the client doesn't send it a second time, that's fine if the first one was done. */
const doneOnce = async (done: Set<string>, what: readonly string[], run: () => Promise<unknown>): Promise<void> => {
  const key = JSON.stringify(what);
  try {
    await run();
  } catch (error) {
    const isRepeated = error instanceof RetriesExhaustedError && error.reason === 'may_be_done';
    if (!isRepeated || !done.has(key)) throw error;
  }
  done.add(key);
};

interface Availability {
  readonly problem: 'outside_office_hours' | 'no_one_available' | undefined;
  readonly colleagues: readonly Admin[];
  /** Returns the reason why the office hours can't be read at all. */
  readonly refusal?: IntegrationError;
}

/** It's the same next time: the schedule isn't there, or the credential may not read it. */
const isFinal = (error: unknown): error is IntegrationError =>
  error instanceof ClientError || error instanceof InvalidArgumentError;

interface HandedOver {
  readonly conversationId: string | undefined;
  /** The note was written, and the team has the conversation. */
  readonly noted: boolean;
}

/** Counts people as there unless the platform says otherwise. */
const isThere = ({ away_mode_enabled, has_inbox_seat }: Admin): boolean =>
  away_mode_enabled !== true && has_inbox_seat !== false;
