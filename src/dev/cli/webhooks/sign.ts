import type { Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { signBody, signOptions } from './sign-body.ts';

export const webhooksSign: Command = {
  name: 'webhooks sign',
  summary: 'Print the headers that sign a webhook delivery.',
  options: signOptions,
  examples: [
    {
      command: `echo '{"event":"call.completed"}' | WEBHOOK_SECRET=… npx voice-agent-integrations webhooks sign`,
      says: 'The headers for a body, one per line',
    },
  ],
  run: async (given, terminal) => {
    const { headers } = await signBody(given, terminal);
    if (given.flag('json')) terminal.print(JSON.stringify({ headers }));
    else for (const [name, value] of Object.entries(headers)) terminal.print(`${name}: ${value}`);
    return exitCodes.ok;
  },
};
