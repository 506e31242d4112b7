import type { ToolResult } from '../../../tools/index.ts';
import type { ScriptedCall, ScriptedStep } from '../scripted-model.ts';
import type { EvalAgent } from './call.ts';

/** Plays the script of each call by itself, without a model: the calls then show what the tools do. */
export const scriptedAgent: EvalAgent = ({ call }) => {
  const steps = [...call.script];
  const tokens: string[] = [];
  return async ({ heard, tools }) => {
    const results: string[] = [];
    for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
      const next: ScriptedStep =
        typeof step === 'function'
          ? step({ caller: heard, results, tools: tools.tools().map(({ name }) => name) })
          : step;
      if (typeof next === 'string') return next;
      const calls: readonly ScriptedCall[] = [next].flat();
      for (const { call: name, args = {}, confirmed = false } of calls) {
        const confirmation = confirmed ? { confirmation_token: tokens.at(-1) } : {};
        const result = await tools.run(name, { ...args, ...confirmation });
        tokens.push(...tokenIn(result));
        results.push(result.text);
      }
    }
    return '';
  };
};

const tokenIn = ({ value }: ToolResult): readonly string[] => {
  const { confirmation_token: token } = Object(value) as { readonly confirmation_token?: unknown };
  return typeof token === 'string' ? [token] : [];
};
