import { count, date, email, id, text } from '../arguments.ts';
import type { CallerContext, IdentifiedCaller } from '../calls/index.ts';
import { isInvalidArgumentError } from '../errors.ts';
import { callAttributes } from '../messaging/attributes.ts';
import type { MessagingClient } from '../messaging/index.ts';
import { maskCardNumbers } from '../observability/card-numbers.ts';
import * as z from '../schema.ts';
import type { CallSteps } from './call-steps.ts';
import { pick } from './compact.ts';
import type { ToolContext } from './context.ts';
import { defineTool } from './define-tool.ts';
import { notAllowed } from './failures.ts';
import { optional, ownParameters, required } from './own-parameters.ts';
import { personParameters } from './person-parameters.ts';
import { refused } from './refused.ts';
import { isVerified, type LookUp, mayTellOf, otherPersonProblem } from './right-person.ts';
import type { Refusal, Tool, ToolRule } from './tool.ts';
import { loggedWords, qualifiedWords } from './words.ts';

/** Which tools of a phone call there are, and what they work with. */
export interface CallToolsOptions {
  /** The phone call that a tool call belongs to, or a turn of it. */
  readonly phoneCall: (context: ToolContext) => CallSteps;
  /** For notes and replies; without it there are no tools for them. */
  readonly messaging?: Pick<MessagingClient, 'conversations'> | undefined;
  /** By the names that the model is told, the ids of the teams; without it there is no `route_to_team`. */
  readonly teams?: Readonly<Record<string, string>> | undefined;
  /** Only these. @defaultValue all that can work */
  readonly only?: readonly CallToolName[] | undefined;
  /** Whom `identify_caller` may look for. @defaultValue 'caller', or anyone once the caller has proved who they are */
  readonly lookup?: LookUp | undefined;
  /** The custom attributes of the contact that a model may read. @defaultValue those of `callAttributes` */
  readonly attributes?: readonly string[] | undefined;
  /** What the agent may say while a tool is slow. */
  readonly slowMessages?: { readonly [name in CallToolName]?: string } | undefined;
}

/** The names of the tools that {@link callTools} gives. */
export type CallToolName =
  | 'identify_caller'
  | 'get_caller_context'
  | 'add_note'
  | 'reply_to_customer'
  | 'route_to_team'
  | 'qualify_lead'
  | 'log_call';

/**
 * The tools of a phone call: who is calling, what is known of them, notes, replies, teams, leads and the log.
 * A conversation must belong to the phone call; the model never sees an id that no later tool needs.
 *
 * @example
 * const tools = callTools({ phoneCall: () => phoneCall, messaging: integration.messaging, teams: { Billing: 'team_3' } });
 */
export const callTools = (options: CallToolsOptions): readonly Tool[] => {
  const all = [
    identifyCallerTool(options),
    callerContextTool(options),
    ...conversationTools(options),
    qualifyLeadTool(options),
    logCallTool(options),
  ];
  return all.filter(({ name }) => options.only?.some((wanted) => wanted === name) ?? true);
};

const stepOptions = ({ deadline, signal }: ToolContext) => ({ deadline, signal });

const identifyCallerTool = ({ phoneCall, lookup = 'caller', slowMessages }: CallToolsOptions): Tool =>
  defineTool({
    name: 'identify_caller',
    description: "Find the caller's contact, or create it. If several match, ask the caller for another detail.",
    parameters: personParameters,
    effect: 'write',
    idempotent: true,
    slowMessage: slowMessages?.identify_caller ?? 'One moment, please.',
    rules: [
      // An e-mail that the caller says may decide between several, and stand in for a withheld number.
      ({ phone }, { caller }) => otherPersonProblem({ phone }, caller, lookup),
      ({ phone, email: address }, { caller }) =>
        phone || address || caller.phone || caller.email
          ? undefined
          : { field: 'email', problem: 'must be given: the caller is not known, ask for it' },
    ],
    run: async ({ phone, email: address }, context) => {
      const identified = await phoneCall(context).identifyCaller(
        { phone: phone || undefined, email: address || undefined },
        stepOptions(context),
      );
      return { identified, mayTell: mayTellOf(identified, context.caller, lookup) };
    },
    compact: compactIdentity,
  });

/** Whose name it is can only be told when exactly one contact matches, and not because of what the caller said. */
const compactIdentity = ({ identified, mayTell }: { identified: IdentifiedCaller; mayTell: boolean }) => {
  const { contact, created, ambiguous, count } = identified;
  if (ambiguous) return { status: 'several match', matches: count };
  if (!mayTell) return { status: 'found by what the caller said', profile: 'private until the caller is verified' };
  return { status: created ? 'new contact' : 'known contact', ...pick(contact, ['name']) };
};

const callerContextTool = ({
  phoneCall,
  lookup = 'caller',
  attributes = Object.keys(callAttributes),
  slowMessages,
}: CallToolsOptions): Tool =>
  defineTool({
    name: 'get_caller_context',
    description: 'What is known of the identified caller: company, tier, revenue, account manager, health, last call.',
    parameters: ownParameters({}),
    effect: 'read',
    slowMessage: slowMessages?.get_caller_context ?? 'One moment, please.',
    rules: [
      (_args, { caller }) =>
        lookup === 'anyone' || isVerified(caller, 'caller-id')
          ? undefined
          : refused(notAllowed('verification_required', 'read').value),
    ],
    run: async (_args, context): Promise<CallerContext | Refusal> => {
      try {
        return await phoneCall(context).callerContext(undefined, stepOptions(context));
      } catch (error) {
        if (!isInvalidArgumentError(error) || error.field !== 'contactId') throw error;
        return refused(notAllowed('identify_caller_first', 'read').value);
      }
    },
    compact: ({ contact, company, tier, recurringRevenue, accountManager, healthSignals }) => ({
      ...pick(contact, ['name']),
      ...(company?.name && { company: company.name }),
      ...(tier && { tier }),
      ...(recurringRevenue !== undefined && { recurring_revenue: recurringRevenue }),
      ...(accountManager && 'name' in accountManager && { account_manager: accountManager.name }),
      ...(healthSignals && { health: scalars(healthSignals) }),
      ...scalars(pick(contact.custom_attributes, attributes)),
    }),
  });

/** What is nested in an attribute is not meant to be read out. */
const scalars = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
      .slice(0, 5),
  );

const conversationTools = (options: CallToolsOptions): readonly Tool[] => {
  const { messaging, teams = {}, phoneCall, lookup = 'caller', slowMessages } = options;
  const [firstTeam, ...otherTeams] = Object.keys(teams);
  const conversations = messaging?.conversations;

  /** Works in the conversation that is named, or in the phone call's own, which is started on first use. */
  const inCall = async (
    { conversation_id }: InConversation,
    context: ToolContext,
    work: (conversationId: string) => Promise<unknown>,
  ): Promise<unknown> => {
    const known = conversation_id || context.conversationIds[0];
    if (known) return work(known);
    try {
      const { conversationId } = await phoneCall(context).ensureConversation(stepOptions(context));
      return await work(conversationId);
    } catch (error) {
      if (!isInvalidArgumentError(error) || error.field !== 'contactId') throw error;
      const { phone, email: address } = context.caller;
      return refused(notAllowed(phone || address ? 'several_contacts_match' : 'identify_caller_first', 'write').value);
    }
  };

  return [
    ...(conversations
      ? [
          defineTool({
            name: 'add_note',
            description: 'Leave an internal note for colleagues. The customer never sees it.',
            parameters: ownParameters({ text: spoken, ...inConversation }),
            effect: 'write',
            idempotent: true,
            slowMessage: slowMessages?.add_note ?? 'I am making a note of that.',
            rules: [ownConversation],
            run: async (args, context) => {
              const body = maskCardNumbers(args.text);
              return inCall(args, context, (id) => conversations.addNote(id, { body }, context.request));
            },
            compact: () => ({ noted: true }),
          }),
          defineTool({
            name: 'reply_to_customer',
            description: 'Send a written message to the customer. They read it exactly as it is.',
            parameters: ownParameters({ text: spoken, ...inConversation }),
            effect: 'write',
            idempotent: true,
            slowMessage: slowMessages?.reply_to_customer ?? 'I am sending that now.',
            rules: [
              ownConversation,
              // Or it would reach whoever the caller names.
              (_args, { caller }) =>
                lookup !== 'anyone' && caller.verified === 'no' && caller.saidOnly?.length
                  ? refused(notAllowed('verification_required', 'write').value)
                  : undefined,
            ],
            run: async (args, context) => {
              const body = maskCardNumbers(args.text);
              return inCall(args, context, (id) => conversations.reply(id, { body }, context.request));
            },
            compact: () => ({ sent: true }),
          }),
        ]
      : []),
    ...(firstTeam !== undefined
      ? [
          defineTool({
            name: 'route_to_team',
            description: 'Hand the conversation to a team, when the caller needs a person.',
            parameters: ownParameters({ team: oneOf([firstTeam, ...otherTeams]), ...inConversation }),
            // The step itself routes once; what another team was given in between makes it worth doing again.
            effect: 'write',
            slowMessage: slowMessages?.route_to_team ?? 'I am handing you over.',
            rules: [ownConversation],
            run: (args, context) =>
              inCall(args, context, (conversationId) =>
                phoneCall(context).routeConversation(
                  // The schema lets only the names of teams pass.
                  { teamId: teams[args.team] ?? '', conversationId },
                  stepOptions(context),
                ),
              ),
            compact: (_conversation, { team }) => ({ routed_to: team }),
          }),
        ]
      : []),
  ];
};

const spoken = required(() => text().check(z.maxLength(1000)), {
  type: 'string',
  minLength: 1,
  maxLength: 1000,
});

const oneOf = (names: readonly [string, ...string[]]) => required(() => z.enum(names), { type: 'string', enum: names });

const inConversation = {
  conversation_id: optional(id, { type: 'string', description: "Leave out for this call's own." }),
};

interface InConversation {
  readonly conversation_id?: string | null | undefined;
}

const ownConversation: ToolRule<InConversation> = ({ conversation_id }, { conversationIds }) =>
  conversation_id && !conversationIds.includes(conversation_id)
    ? { field: 'conversation_id', problem: 'is not a conversation of this call: leave it out' }
    : undefined;

const someText = optional(text, { type: 'string' });

const qualifyLeadTool = ({ phoneCall, slowMessages }: CallToolsOptions): Tool =>
  defineTool({
    name: 'qualify_lead',
    description: 'Save what a prospect said, and only that.',
    parameters: ownParameters({
      first_name: someText,
      last_name: someText,
      company: someText,
      email: optional(email, { type: 'string' }),
      title: someText,
      employees: optional(count, { type: 'integer', minimum: 0 }),
      use_case: someText,
      expected_close: optional(date, { type: 'string', description: 'YYYY-MM-DD' }),
      score: optional(() => z.number().check(z.minimum(0), z.maximum(100)), {
        type: 'number',
        minimum: 0,
        maximum: 100,
      }),
      summary: someText,
    }),
    effect: 'write',
    idempotent: true,
    slowMessage: slowMessages?.qualify_lead ?? 'I am saving that.',
    rules: [
      (args, { caller }) =>
        args.email || caller.email || caller.phone
          ? undefined
          : { field: 'email', problem: 'must be given: the caller is not known' },
    ],
    run: ({ summary, ...said }, context) =>
      phoneCall(context).qualifyLead(
        {
          ...(summary && { summary }),
          lead: {
            ...(said.first_name && { FirstName: said.first_name }),
            ...(said.last_name && { LastName: said.last_name }),
            ...(said.company && { Company: said.company }),
            ...(said.email && { Email: said.email }),
            ...(said.title && { Title: said.title }),
            ...(typeof said.employees === 'number' && { NumberOfEmployees: said.employees }),
            ...(said.use_case && { Use_Case__c: said.use_case }),
            ...(said.expected_close && { Expected_Close__c: said.expected_close }),
            ...(typeof said.score === 'number' && { Lead_Score__c: said.score }),
          },
        },
        stepOptions(context),
      ),
    compact: ({ outcome, complete }) => ({ result: qualifiedWords[outcome], ...(!complete && { complete: false }) }),
  });

const logCallTool = ({ phoneCall, slowMessages }: CallToolsOptions): Tool =>
  defineTool({
    name: 'log_call',
    description: 'Log how the call went so far. Calling it again updates the same log.',
    parameters: ownParameters({
      outcome: required(text, { type: 'string', description: 'In a few words.' }),
      summary: someText,
    }),
    // The same words again are worth writing once others were written in between.
    effect: 'write',
    slowMessage: slowMessages?.log_call ?? 'I am making a note of that.',
    run: ({ outcome, summary }, context) =>
      phoneCall(context).logCall({ outcome, ...(summary && { summary }) }, stepOptions(context)),
    compact: ({ task }) => ({ result: loggedWords[task] }),
  });
