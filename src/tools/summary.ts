import type { JsonObject } from '../ports/json.ts';
import type { Tool } from './tool.ts';

/** One sentence for the person who agrees. A model reads what its caller gets, and must not learn what you bind. */
export const summaryOf = ({ name, bound, options }: Tool, args: JsonObject, reader: 'caller' | 'colleague'): string => {
  const isHidden = (field: string) => reader === 'caller' && bound.includes(field);
  const shown = Object.fromEntries(Object.entries(args).filter(([field]) => !isHidden(field)));
  return options.summarize?.(args) ?? `${name} ${JSON.stringify(shown)}`;
};
