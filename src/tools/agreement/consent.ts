import { InvalidArgumentError } from '../../core/errors.ts';
import type { JsonObject } from '../../stores/ports/json.ts';
import type { Tool } from '../tool.ts';

/** The answer of your application or a colleague: only `true`, or an object with `approved: true`, is a yes. */
export type Approval = boolean | { readonly approved: boolean };

/** The source of a yes or no. */
interface ConsentSource {
  /** The callback, or the field of the context. */
  readonly field: 'approve' | 'approved' | 'confirmed';
  readonly tool: string;
  /** Gets an error for everything that is neither a yes nor a plain no. It repeats no data. */
  readonly report: (error: unknown) => void;
}

/** Reads a person's yes. Everything else is a no. */
export const hasAgreed = (answer: unknown, { field, tool, report }: ConsentSource): boolean => {
  const { approved }: { readonly approved?: unknown } =
    typeof answer === 'object' && answer !== null ? answer : { approved: answer };
  if (typeof approved !== 'boolean') {
    const verb = field === 'approve' ? 'returned' : 'is';
    const problem = `${verb} ${kindOf(answer)}: only true or { approved: true } is a yes`;
    report(new InvalidArgumentError(field, `of ${tool} ${problem}`));
  }
  return approved === true;
};

const kindOf = (answer: unknown): string => {
  if (answer === null || answer === undefined) return String(answer);
  if (typeof answer !== 'object') return `a ${typeof answer}`;
  return 'approved' in answer ? 'an object whose approved is neither true nor false' : 'an object without approved';
};

/** One sentence for the person who agrees. A model reads what its caller gets, and must not learn what you bind. */
export const summaryOf = ({ name, bound, options }: Tool, args: JsonObject, reader: 'caller' | 'colleague'): string => {
  const isHidden = (field: string) => reader === 'caller' && bound.includes(field);
  const shown = Object.fromEntries(Object.entries(args).filter(([field]) => !isHidden(field)));
  if (!options.summarize) return `${name} ${JSON.stringify(shown)}`;
  const summary: unknown = options.summarize(args, reader);
  if (typeof summary === 'string' && summary.trim() !== '') return summary;
  throw new InvalidArgumentError('summarize()', `of ${name} must return a sentence`);
};
