import type { Command } from '../command.ts';
import { wrongUsage } from '../command-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { queueOptions, withQueue } from './queue.ts';
import { readSelection, selectionOptions, selectionPositionals } from './selection.ts';

export const deadLettersDiscard: Command = {
  name: 'dead-letters discard',
  summary: 'Delete dead letters for good.',
  positionals: selectionPositionals,
  options: {
    reason: { value: 'TEXT', help: 'Why; it is stored with the id. Required' },
    ...selectionOptions,
    ...queueOptions,
  },
  details: ['Ends with 1 when none was there.'],
  examples: [
    {
      command:
        "npx voice-agent-integrations dead-letters discard outbox:crm:call.completed/CA123 --reason 'sent by hand' --sqlite outbox.db",
      says: 'One message that you sent by hand',
    },
  ],
  run: (given, terminal) => {
    const selection = readSelection(given);
    const reason = given.text('reason');
    if (!reason) throw wrongUsage('discarding needs a reason', "--reason 'sent by hand'");
    return withQueue(given, terminal, async (queue) => {
      const discarded = await queue.discard(selection, reason);
      terminal.print(given.flag('json') ? JSON.stringify({ discarded }) : `${discarded} discarded`);
      return discarded > 0 ? exitCodes.ok : exitCodes.problems;
    });
  },
};
