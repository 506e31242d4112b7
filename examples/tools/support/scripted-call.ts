/** Who speaks and what the model calls in a phone call, printed as it happens. A script replaces the model. */
import type { Toolbox, ToolResult } from 'voice-agent-integrations/tools';

export interface ScriptedCall {
  readonly caller: (words: string) => void;
  readonly agent: (words: string) => void;
  /** The model calls a tool. Its result is what a provider would be sent. */
  readonly model: (name: string, args: object) => Promise<ToolResult>;
}

export const startScriptedCall = (toolbox: Toolbox): ScriptedCall => {
  let calls = 0;
  let turn = 0;
  return {
    caller: (words) => {
      turn += 1;
      console.log(`\nCaller: ${words}`);
    },
    agent: (words) => console.log(`Agent:  ${words}`),
    model: async (name, args) => {
      calls += 1;
      const result = await toolbox.run(name, JSON.stringify(args), { toolCallId: `call_${calls}`, turn });
      console.log(`        ${name}(${JSON.stringify(args)})\n        -> ${result.text}`);
      return result;
    },
  };
};
