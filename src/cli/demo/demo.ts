import type { Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'Play a phone call against three systems that misbehave, and check the result.',
  details: ['Needs no account and no network: it uses the sandbox. Ends with 1 when a check fails.'],
  examples: [{ command: 'npx voice-agent-integrations demo', says: 'A billing question that is paid on the phone' }],
  run: async (given, terminal) => {
    const { playCall } = await import('./play-call.ts');
    const isJson = given.flag('json');
    const result = await playCall((line) => {
      if (!isJson) terminal.print(line);
    }, terminal.paint);
    if (isJson) terminal.print(JSON.stringify(result));
    return result.checks.every(({ holds }) => holds) ? exitCodes.ok : exitCodes.problems;
  },
};
