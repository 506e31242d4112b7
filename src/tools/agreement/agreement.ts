import { InvalidArgumentError } from '../../core/errors.ts';
import type { IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import { type Approve, type ApprovalsOptions, createApprovals } from './approval.ts';
import { type AgreedWork, type AgreementRequest, createCallerConfirmation } from './confirmation.ts';
import { hasAgreed, summaryOf } from './consent.ts';
import { createQuestions } from './questions.ts';
import { createSignedTokens } from './signed-tokens.ts';
import { signingSecretOf } from './signing-secret.ts';
import type { ToolResult } from '../context.ts';
import { notApproved } from '../failures.ts';
import type { Tool } from '../tool.ts';
import { createUsedApprovals } from './used-approvals.ts';

export interface AgreementOptions {
  readonly store: IdempotencyStore;
  readonly approve: Approve | 'framework' | undefined;
  readonly runLate: ApprovalsOptions['runLate'];
}

/** Does the work of a tool call once everyone has agreed whom its tool wants to be asked. */
export type Agreements = (request: AgreementRequest, work: AgreedWork) => Promise<ToolResult>;

/** The caller agrees first, then the application or a colleague. A call that does nothing needs no yes of the caller. */
export const createAgreements = ({ store, approve, runLate }: AgreementOptions): Agreements => {
  const tokens = createSignedTokens(signingSecretOf(store));
  const withCaller = createCallerConfirmation(store, tokens);
  const withQuestion = createQuestions(store, tokens);
  const approvals = typeof approve === 'function' ? createApprovals({ store, approve, runLate }) : undefined;
  const runOnce = createUsedApprovals(store);

  return async (request, work) => {
    const { toolRun, callContext } = request;
    const { tool } = toolRun;
    const isAgreed = (field: 'approved' | 'confirmed') =>
      callContext[field] !== undefined &&
      hasAgreed(callContext[field], { field, tool: tool.name, report: toolRun.report });
    const needsApproval = isApproved(tool) && !isAgreed('approved');
    const approvedWork = (): Promise<ToolResult> => {
      if (!needsApproval) return isApproved(tool) ? runOnce(request, work) : work();
      if (approvals) return approvals.run(request, work);
      // `false`: the target is going to ask.
      if (callContext.approved === undefined) toolRun.report(notAsked(tool.name));
      return Promise.resolve(toolRun.fail(notApproved(summaryOf(tool, request.args, 'caller'), tool.effect)));
    };
    // A stored answer is read without another yes of the caller.
    const replay = async () => (needsApproval ? approvals?.replay(request) : undefined);
    const needsCaller = isConfirmed(tool) && !isAgreed('confirmed');
    // Where the target asks, one question is for both.
    if (callContext.consent && (needsCaller || (needsApproval && !approvals)))
      return withQuestion(request, callContext.consent, approvals ? approvedWork : work, replay);
    return needsCaller ? withCaller(request, approvedWork, replay) : approvedWork();
  };
};

const isConfirmed = ({ confirm }: Pick<Tool, 'confirm'>): boolean => confirm === 'two-step' || confirm === 'both';

export const isApproved = ({ confirm }: Pick<Tool, 'confirm'>): boolean => confirm === 'approve' || confirm === 'both';

const notAsked = (tool: string) =>
  new InvalidArgumentError('approve', `is 'framework', but the target that ran ${tool} asks no one: give a function`);
