import { createHash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.ts';
import type { Toolbox } from '../toolbox.ts';

/**
 * A tool-call id for platforms that send none and may send a request twice: the same tool with the same arguments counts as
 * the same tool call, until another write was done or a minute has passed. Only for tools that would do their work twice: a
 * look-up is asked anew, and payments are guarded by what they pay.
 */
export const derivedToolCallId = (toolbox: Toolbox, name: string, args: unknown): string | undefined => {
  if (toolbox.find(name)?.idempotent !== false) return undefined;
  return `derived_${createHash('sha256')
    .update(canonicalJson([name, args ?? null]))
    .digest('hex')
    .slice(0, 32)}`;
};
