import { InvalidArgumentError } from '../core/errors.ts';
import type { Toolbox } from './toolbox.ts';

/** A phone call, a live call, a turn or a toolbox: every target takes it. */
export type WithTools = Toolbox | { readonly tools: Toolbox };

/** Returns the toolbox of what a target takes. Throws `InvalidArgumentError` for anything else, in the name of the target. */
export const toolboxOf = (from: WithTools, target = 'a target'): Toolbox => {
  const { tools, run }: { readonly tools?: unknown; readonly run?: unknown } = Object(from);
  // It was found by what it can do.
  if (typeof tools === 'function' && typeof run === 'function') return from as Toolbox;
  if (typeof tools === 'object' && tools !== null && 'run' in tools) return tools as Toolbox;
  throw new InvalidArgumentError('tools', 'is no toolbox', {
    message: `${target} takes a phone call, a turn, a live call or a toolbox: pass startPhoneCall(…)`,
  });
};
