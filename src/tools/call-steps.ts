import type { CallerContext, IdentifiedCaller, LoggedCall, QualifiedLead, StepOptions } from '../calls/index.ts';
import type { LeadFields } from '../crm/index.ts';

/** What the tools of a phone call do their work with. A phone call, and a turn of one, are such steps. */
export interface CallSteps {
  /** Finds the contact, or makes it. */
  identifyCaller(
    input: {
      readonly phone?: string | undefined;
      readonly email?: string | undefined;
      readonly newContact?: { readonly name?: string | undefined } | undefined;
    },
    options: StepOptions,
  ): Promise<IdentifiedCaller>;
  /** What is known of the contact that was identified. */
  callerContext(input: undefined, options: StepOptions): Promise<CallerContext>;
  /** Finds the lead, or makes it, and writes down what was learnt. */
  qualifyLead(
    input: { readonly lead: LeadFields; readonly summary?: string | undefined },
    options: StepOptions,
  ): Promise<QualifiedLead>;
  /** Writes the call into the CRM as a task. */
  logCall(
    input: { readonly summary?: string | undefined; readonly outcome?: string | undefined },
    options: StepOptions,
  ): Promise<LoggedCall>;
  /** Gives the phone call's conversation, and starts it on first use. */
  ensureConversation(options: StepOptions): Promise<{ readonly conversationId: string }>;
  /** Hands the conversation to a team. */
  routeConversation(
    input: { readonly teamId: string; readonly conversationId: string },
    options: StepOptions,
  ): Promise<unknown>;
}
