/** The tools of one toolbox, as a list. */
import { InvalidArgumentError } from '../core/errors.ts';
import { inWords } from '../observability/field-names.ts';
import { isApproved } from './agreement/agreement.ts';
import type { Approve } from './agreement/approval.ts';
import { readableResult } from './readable-result.ts';
import type { Tool, ToolInfo } from './tool.ts';

interface ToolList {
  readonly tools: readonly Tool[];
  readonly approve?: Approve | 'framework' | undefined;
}

/** Throws `InvalidArgumentError` for two tools of one name, for too many, and for one that needs `approve` if there is none. */
export const assertTools = ({ tools, approve }: ToolList): void => {
  if (!Array.isArray(tools))
    throw new InvalidArgumentError('tools', 'must be a list of tools, such as billingTools(…)');
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new InvalidArgumentError('tools', `must not hold two tools called ${twice}`);
  if (tools.length > mostTools)
    throw new InvalidArgumentError('tools', `must be at most ${mostTools}, as some providers take no more`);
  const unapproved = tools.find((tool) => isApproved(tool) && !approve);
  if (unapproved) throw new InvalidArgumentError('approve', `must be given, since ${unapproved.name} asks for it`);
};

/** OpenAI's limit; no other is lower. */
const mostTools = 128;

/** What one tool shows depends on what the others take. */
export const withReadableResults = (tools: readonly Tool[]): readonly Tool[] => {
  const argumentNames = new Set(tools.flatMap(({ parameters }) => Object.keys(parameters.properties).map(inWords)));
  return tools.map((tool) => {
    const { compact = (result) => readableResult(result, { argumentNames }) } = tool.options;
    return { ...tool, options: { ...tool.options, compact } };
  });
};

/** Without what only the toolbox needs. */
export const toInfos = ({ tools, approve }: ToolList): readonly ToolInfo[] =>
  Object.freeze(
    tools.map((tool) => {
      const { maxChars: _maxChars, bound: _bound, read: _read, options: _options, ...info } = tool;
      return { ...info, needsApproval: approve === 'framework' && isApproved(tool) };
    }),
  );
