import type { CallerContext, IdentifiedCaller, LoggedCall, QualifiedLead, StepOptions } from '../calls/index.ts';
import type { LeadFields } from '../crm/index.ts';

/** What the tools of a phone call do their work with. A phone call, and a turn of one, are such steps. */
export interface CallSteps {
  identifyCaller(
    input: {
      readonly phone?: string | undefined;
      readonly email?: string | undefined;
      readonly newContact?: { readonly name?: string | undefined } | undefined;
    },
    options: StepOptions,
  ): Promise<IdentifiedCaller>;
  callerContext(input: undefined, options: StepOptions): Promise<CallerContext>;
  qualifyLead(
    input: { readonly lead: LeadFields; readonly summary?: string | undefined },
    options: StepOptions,
  ): Promise<QualifiedLead>;
  logCall(
    input: { readonly summary?: string | undefined; readonly outcome?: string | undefined },
    options: StepOptions,
  ): Promise<LoggedCall>;
  routeConversation(
    input: { readonly teamId: string; readonly conversationId: string },
    options: StepOptions,
  ): Promise<unknown>;
}
