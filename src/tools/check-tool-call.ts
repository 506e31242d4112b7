import type { JsonObject } from '../ports/json.ts';
import { canonicalJson, fieldProblems } from './arguments.ts';
import type { Confirmations } from './confirmation.ts';
import type { ToolContext } from './context.ts';
import * as failures from './failures.ts';
import type { CheckedArguments, FieldProblem, Tool } from './tool.ts';
import { isRefusal, type ToolRun } from './tool-run.ts';
import { InvalidArgumentError } from '../errors.ts';

export interface ToolCallCheckOptions {
  /** Called where a tool wants the application to agree; `undefined` agrees to nothing. */
  readonly approve:
    | ((summary: string, context: ToolContext & { readonly tool: string }) => boolean | Promise<boolean>)
    | undefined;
  readonly confirmations: Confirmations;
}

/** The arguments as the tool gets them, or why it is not run. */
export type CheckedToolCall = { readonly args: JsonObject } | { readonly refusal: failures.Failure };

/** Everything that can refuse a tool call before anything is done: its schema, its rules, and the person who has to agree. */
export const createToolCallCheck =
  ({ approve, confirmations }: ToolCallCheckOptions) =>
  async ({ tool, context }: ToolRun, sent: JsonObject, token: unknown): Promise<CheckedToolCall> => {
    const { confirm, effect, name } = tool;
    const invalid = (problems: readonly FieldProblem[]) => ({ refusal: failures.invalidArguments(problems, effect) });
    // What finds bound arguments never sees arguments of a wrong shape.
    const own = tool.bound.length > 0 ? await checkWithoutBound(tool, sent) : undefined;
    if (own && !own.ok) return invalid(own.problems);
    const bound = await bindArguments(tool, sent, context);
    if (!bound.ok) return invalid(bound.problems);
    const checked = await checkWhole(tool, bound.args);
    if (!checked.ok) return invalid(checked.problems);
    const { args } = checked;
    const against = await objectionsTo(tool, args, context);
    const refusal = against.find(isRefusal);
    if (refusal) return { refusal: failures.refusedByTool(refusal.refusal, effect) };
    if (against.length > 0) return invalid(against.flatMap((one) => (isRefusal(one) ? [] : [one])));
    if (confirm === 'approve' && !(await approve?.(summaryOf(tool, args), { ...context, tool: name })))
      return { refusal: failures.notAllowed('not_approved', effect) };
    if (confirm !== 'two-step') return checked;
    const exactly = canonicalJson([context.tenant ?? null, context.callId, name, args]);
    if (confirmations.isValid(token, exactly)) return checked;
    const summary = summaryOf(tool, args);
    return { refusal: failures.confirmationRequired({ summary, ...confirmations.issue(exactly) }, effect) };
  };

/** What the schema says of the arguments of a model alone, where others are bound. */
export const checkWithoutBound = async (tool: Tool, sent: JsonObject): Promise<CheckedArguments> => {
  const result = await tool.options.parameters['~standard'].validate(sent);
  const problems = fieldProblems(result.issues ?? [], sent).filter((problem) => !isAbout(problem, tool.bound));
  return problems.length > 0 ? { ok: false, problems } : { ok: true, args: sent };
};

/** Adds what the application supplies. */
const bindArguments = async (tool: Tool, sent: JsonObject, context: ToolContext): Promise<CheckedArguments> => {
  const args: Record<string, JsonObject[string]> = { ...sent };
  const problems: FieldProblem[] = [];
  for (const [field, value] of Object.entries(tool.options.bind ?? {})) {
    if (value === undefined) continue;
    const supplied = typeof value === 'function' ? await value(context, sent) : value;
    if (supplied === undefined) problems.push({ field, problem: 'is not known yet: look it up first' });
    else args[field] = supplied;
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, args };
};

/** Throws only for what the application supplied: that is no fault of the model. */
const checkWhole = async ({ name, bound, options }: Tool, args: JsonObject): Promise<CheckedArguments> => {
  const result = await options.parameters['~standard'].validate(args);
  // What a schema makes of JSON is JSON, or what this tool itself wants.
  if (!result.issues) return { ok: true, args: result.value as JsonObject };
  const problems = fieldProblems(result.issues, args);
  const own = problems.find((problem) => isAbout(problem, bound));
  if (own) throw new InvalidArgumentError(`bind.${own.field}`, own.problem, { operation: `defineTool ${name}` });
  return { ok: false, problems };
};

const isAbout = ({ field }: FieldProblem, names: readonly string[]) => names.includes(field.split('.')[0] ?? '');

/** What the rules beyond the shape say against the call. */
const objectionsTo = async ({ options: { rules = [] } }: Tool, args: JsonObject, context: ToolContext) => {
  const objections = await Promise.all(rules.map(async (rule) => rule(args, context)));
  return objections.filter((objection) => objection !== undefined);
};

/** A model reads the summary of two steps, and must not learn what the application supplies. */
const summaryOf = ({ name, bound, confirm, options }: Tool, args: JsonObject): string => {
  const isHidden = (field: string) => confirm === 'two-step' && bound.includes(field);
  const shown = Object.fromEntries(Object.entries(args).filter(([field]) => !isHidden(field)));
  return options.summarize?.(args) ?? `${name} ${JSON.stringify(shown)}`;
};
