import { createRedrive } from '../../../outbox/redrive.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { queueOptions, withQueue } from './queue.ts';
import { readSelection, selectionOptions, selectionPositionals } from './selection.ts';

export const deadLettersRedrive: Command = {
  name: 'dead-letters redrive',
  summary: 'Send dead letters back to the workers, with the same idempotency keys and new attempts.',
  positionals: selectionPositionals,
  options: { ...selectionOptions, ...queueOptions },
  details: ['At most ten a second. Your application’s workers handle them. Ends with 1 when there was none.'],
  examples: [
    {
      command: 'npx voice-agent-integrations dead-letters redrive --all --group outbox:crm --sqlite outbox.db',
      says: 'After the CRM is back',
    },
  ],
  run: (given, terminal) => {
    const selection = readSelection(given);
    return withQueue(given, terminal, async (queue) => {
      terminal.progress('Redriving …');
      const redriven = await createRedrive(queue)(selection);
      terminal.print(given.flag('json') ? JSON.stringify({ redriven }) : `${redriven} redriven`);
      return redriven > 0 ? exitCodes.ok : exitCodes.problems;
    });
  },
};
