import { InvalidArgumentError } from '../../core/errors.ts';
import type { IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import { canonicalJson } from '../arguments.ts';
import type { QuestionAnswer, ToolResult } from '../context.ts';
import { notAllowed, notApproved } from '../failures.ts';
import type { Tool } from '../tool.ts';
import { mayRunAgain } from '../tool-run.ts';
import { type AgreedWork, type AgreementRequest, exactlyOf } from './confirmation.ts';
import { summaryOf } from './consent.ts';
import { keepEnd, runAgreed } from './run-agreed.ts';
import { type SignedTokens, validSeconds } from './signed-tokens.ts';

/** Gives a question, or does the work once for the answer to one. `replay` returns what is known without a question. */
export type Questions = (
  request: AgreementRequest,
  consent: 'ask' | QuestionAnswer,
  work: AgreedWork,
  replay: () => Promise<ToolResult | undefined>,
) => Promise<ToolResult>;

/**
 * A question travels through the target, and its answer may arrive in another process. The answer is used up in the
 * store: if it comes again, it gets the same end and nothing is done.
 */
export const createQuestions =
  (store: IdempotencyStore, tokens: SignedTokens): Questions =>
  async (request, consent, work, replay) => {
    const { toolRun, args } = request;
    const { tool } = toolRun;
    const exactly = canonicalJson(['question', tool.confirm, exactlyOf(request)]);
    if (consent === 'ask') {
      const known = await replay();
      if (known) return known;
      const summary = summaryOf(tool, args, 'caller');
      const state = await tokens.issue(exactly, noTurn);
      return { ...toolRun.fail(notApproved(summary, tool.effect)), question: { summary, state } };
    }

    const token = await tokens.read(consent.state, exactly);
    if (!token) {
      toolRun.report(notValid(tool.name));
      return toolRun.fail(notAllowed('answer_not_valid', tool.effect));
    }
    const leaseMs = validSeconds * 1000 + afterExpiryMs;
    return runAgreed(store, toolRun, { key: `question:${token.id}`, leaseMs, retainMs: leaseMs }, async () => {
      // Anything else isn't a yes.
      const { agreed }: { readonly agreed: unknown } = consent;
      const result = agreed === true ? await work() : toolRun.fail(notAllowed('declined', tool.effect));
      return { result, kept: isOpen(tool, result) ? undefined : keepEnd(result) };
    });
  };

/** The same answer may do the work again: nothing was done, or doing it twice does it once. The guard of payments knows more. */
const isOpen = (tool: Tool, { status }: ToolResult): boolean =>
  status === 'waiting' ||
  mayRunAgain(tool, { status }) ||
  (tool.effect === 'payment' && (status === 'unknown' || status === 'cancelled'));

const notValid = (tool: string) =>
  new InvalidArgumentError(
    'consent.state',
    `for ${tool} is too old, or of another call, caller, tenant or argument: all processes need one store, and both requests one call id`,
  );

/** The person answers the target, whatever was said on the phone. */
const noTurn = '-';

/** No call with the answer is under way any more. */
const afterExpiryMs = 60_000;
