import type { JsonObject } from '../ports/json.ts';
import { canonicalJson } from './canonical-json.ts';
import { cardNumberProblems } from './card-number-arguments.ts';
import type { Confirmations } from './confirmation.ts';
import type { ToolContext } from './context.ts';
import * as failures from './failures.ts';
import { isRefusal } from './refused.ts';
import type { FieldProblem } from './tool.ts';
import type { ToolRun } from './tool-run.ts';

export interface ToolCallCheckOptions {
  /** Asked where a tool wants the application to agree; `undefined` agrees to nothing. */
  readonly approve:
    | ((summary: string, context: ToolContext & { readonly tool: string }) => boolean | Promise<boolean>)
    | undefined;
  readonly confirmations: Confirmations;
}

/** The arguments as the tool gets them, or why it is not run. */
export type CheckedToolCall = { readonly args: JsonObject } | { readonly refusal: failures.Failure };

/** Everything that can refuse a tool call before anything is done: its arguments, its rules, and whoever has to agree. */
export const createToolCallCheck =
  ({ approve, confirmations }: ToolCallCheckOptions) =>
  async ({ tool, context }: ToolRun, args: JsonObject, token: string | undefined): Promise<CheckedToolCall> => {
    const invalid = (problems: readonly FieldProblem[]) => ({
      refusal: failures.invalidArguments(problems, tool.effect),
    });
    const cards = cardNumberProblems(args);
    if (cards.length > 0) return invalid(cards);
    const checked = await tool.work.check(args, context);
    if (!checked.ok) return invalid(checked.problems);
    const against = await tool.work.rules(checked.args, context);
    const refusal = against.find(isRefusal);
    if (refusal) return { refusal: failures.refusedByTool(refusal.refusal, tool.effect) };
    if (against.length > 0) return invalid(against.flatMap((one) => (isRefusal(one) ? [] : [one])));
    const { confirm, effect, work } = tool;
    if (confirm === 'approve' && !(await approve?.(work.summarize(checked.args), { ...context, tool: tool.name }))) {
      return { refusal: failures.notAllowed('not_approved', effect) };
    }
    if (confirm !== 'two-step') return checked;
    const exactly = canonicalJson([context.tenant ?? null, context.callId, tool.name, checked.args]);
    if (!confirmations.isValid(token, exactly)) {
      const summary = work.summarize(checked.args);
      return { refusal: failures.confirmationRequired({ summary, ...confirmations.issue(exactly) }, effect) };
    }
    return checked;
  };
