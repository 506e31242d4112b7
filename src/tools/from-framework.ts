import { InvalidArgumentError } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../stores/ports/json.ts';
import { isApproved } from './agreement/agreement.ts';
import type { ToolContext } from './context.ts';
import { type ExistingToolOptions, fromForeignTool } from './existing-tool.ts';
import { isClear } from './failure-words.ts';
import { type FrameworkAnswer, readAnswer, readModelOutput, wholeAnswer } from './framework-answer.ts';
import { checkOnly, readFrameworkSchema } from './framework-schema.ts';
import { failed, type FrameworkTool, readFrameworkTool, wrong } from './framework-tool.ts';
import { otherNameOf } from './other-names.ts';
import { type Confirm, refused, type Tool, type ToolEffect, type ToolRule } from './tool.ts';

/** Makes a tool of one that a framework made. */
export const fromFramework = (given: unknown, options: ExistingToolOptions): Tool => {
  const found = readFrameworkTool(given);
  const name = options.name ?? found.name;
  if (!name) throw wrong('must be given, since the tool has none', 'name');
  if (!(options.description ?? found.description))
    throw wrong('must tell the model when to call the tool', 'description');
  const { jsonSchema, check } = readFrameworkSchema(found.schema);
  const confirm = confirmFor(found, options);
  const toModelOutput = options.compact ? undefined : found.toModelOutput;
  const shown = createShown();
  const { outcome } = options;

  /** The arguments as the tool itself wants them. */
  const inputOf = async (args: JsonObject): Promise<unknown> => {
    if (!found.takesParsed || !check) return args;
    const result = await check(args);
    if (!result.issues) return result.value;
    throw new InvalidArgumentError('arguments', `were refused by the own schema of ${name}`, { operation: 'toolFrom' });
  };

  const run = async (args: JsonObject, context: ToolContext, effect: ToolEffect): Promise<unknown> => {
    const input = await inputOf(args);
    const isTakenBack = () => effect === 'read' && context.signal.aborted;
    const output = await wholeAnswer(await found.run(input, context, effect), isTakenBack);
    const { value, isFailure } = readAnswer(output);
    if (isFailure) throw failed(name, value);
    if (effect !== 'read' && !outcome && !isClear(effect, value)) throw unclear(name, value);
    if (!toModelOutput) return value;
    const toShow = await tryToShow(async () => toModelOutput(output, input, context));
    if ('value' in toShow && toShow.isFailure) throw failed(name, toShow.value);
    return shown.keep(value, toShow);
  };

  return fromForeignTool(
    {
      name: otherNameOf(name, 'tool'),
      description: found.description,
      jsonSchema,
      schema: check && checkOnly(check),
      run,
    },
    {
      ...options,
      confirm,
      compact: toModelOutput ? shown.shownOf : options.compact,
      outcome: outcome && toModelOutput ? (own) => outcome(shown.valueOf(own)) : outcome,
      rules: [...rulesOf(name, found, { confirm, inputOf }), ...(options.rules ?? [])],
    },
  );
};

/** A tool that needs a person's approval keeps that: more people may have to agree, never fewer. */
const confirmFor = (
  { needsApproval }: FrameworkTool,
  { confirm, effect }: ExistingToolOptions,
): Confirm | undefined => {
  if (needsApproval !== true) return confirm;
  if (confirm === undefined) return effect === 'read' || effect === 'write' ? 'approve' : 'both';
  if (isApproved({ confirm })) return confirm;
  throw wrong("must be 'approve' or 'both', since the tool itself needs an approval", 'confirm');
};

interface RuleParts {
  readonly confirm: Confirm | undefined;
  readonly inputOf: (args: JsonObject) => Promise<unknown>;
}

const rulesOf = (
  name: string,
  { needsApproval, isEnabled }: FrameworkTool,
  { confirm = false, inputOf }: RuleParts,
): readonly ToolRule<Readonly<Record<string, unknown>>>[] => {
  const rules: ToolRule<Readonly<Record<string, unknown>>>[] = [];
  if (isEnabled) rules.push(async () => ((await isEnabled()) ? undefined : refused({ error: 'not_available' })));
  if (typeof needsApproval === 'function' && !isApproved({ confirm }))
    rules.push(async (args, context) => {
      // They passed their schema, which makes JSON of JSON.
      if ((await needsApproval(await inputOf(args as JsonObject), context)) === false) return undefined;
      throw wrong(
        `of ${name} must be 'approve' or 'both', since the tool asks for an approval of this call`,
        'confirm',
      );
    });
  return rules;
};

const unclear = (name: string, answer: unknown) =>
  failed(name, answer, ', or nothing clear: give outcome, which says if an answer means done, refused or unknown');

type ToShow = FrameworkAnswer | { readonly error: unknown };

/** The work is done, even if it can't be shown. */
const tryToShow = async (show: () => unknown): Promise<ToShow> => {
  try {
    return readModelOutput(await show());
  } catch (error) {
    return { error };
  }
};

/** The part of each answer that a model is to see, where that isn't the answer. */
const createShown = () => {
  const kept = new WeakMap<object, { readonly value: unknown; readonly toShow: ToShow }>();
  return {
    /** Returns an object with the fields of the answer, from which the other two find it and what is shown. */
    keep: (value: unknown, toShow: ToShow): object => {
      const own = isJsonObject(value) ? { ...value } : { value };
      kept.set(own, { value, toShow });
      return own;
    },
    shownOf: (own: unknown): unknown => {
      const { toShow = { error: undefined } } = kept.get(Object(own)) ?? {};
      if ('error' in toShow) throw toShow.error;
      return toShow.value;
    },
    valueOf: (own: unknown): unknown => kept.get(Object(own))?.value,
  };
};
