import type { JsonObject } from '../../stores/ports/json.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import type { Tool } from '../tool.ts';

/** One sentence for the person who agrees. A model reads what its caller gets, and must not learn what you bind. */
export const summaryOf = ({ name, bound, options }: Tool, args: JsonObject, reader: 'caller' | 'colleague'): string => {
  const isHidden = (field: string) => reader === 'caller' && bound.includes(field);
  const shown = Object.fromEntries(Object.entries(args).filter(([field]) => !isHidden(field)));
  if (!options.summarize) return `${name} ${JSON.stringify(shown)}`;
  const summary: unknown = options.summarize(args);
  if (typeof summary === 'string' && summary.trim() !== '') return summary;
  throw new InvalidArgumentError('summarize()', `of ${name} must return a sentence`);
};
