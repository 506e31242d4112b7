import type { Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { queueOptions, withQueue } from './queue.ts';
import { readSelection, selectionOptions, selectionPositionals } from './selection.ts';

export const deadLettersDiscard: Command = {
  name: 'dead-letters discard',
  summary: 'Delete dead letters for good.',
  positionals: selectionPositionals,
  options: {
    ...selectionOptions,
    ...queueOptions,
  },
  details: ['Ends with 1 when none was there.'],
  examples: [
    {
      command: 'npx voice-agent-integrations dead-letters discard outbox:crm:call.completed/CA123 --sqlite outbox.db',
      says: 'One message that you sent by hand',
    },
  ],
  run: (given, terminal) => {
    const selection = readSelection(given);
    return withQueue(given, terminal, async (queue) => {
      const discarded = await queue.discard(selection);
      terminal.print(given.flag('json') ? JSON.stringify({ discarded }) : `${discarded} discarded`);
      return discarded > 0 ? exitCodes.ok : exitCodes.problems;
    });
  },
};
