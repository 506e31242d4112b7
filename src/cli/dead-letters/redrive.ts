import type { Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { queueOptions, withQueue } from './queue.ts';
import { readSelection, selectionOptions, selectionPositionals } from './selection.ts';

export const deadLettersRedrive: Command = {
  name: 'dead-letters redrive',
  summary: 'Let dead letters be handled again, with the same idempotency keys and all their attempts before them.',
  positionals: selectionPositionals,
  options: { ...selectionOptions, ...queueOptions },
  details: [
    'The workers of the application handle them; this command only hands them back. Ends with 1 when none was there.',
  ],
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
      const redriven = await queue.redrive(selection);
      terminal.print(given.flag('json') ? JSON.stringify({ redriven }) : `${redriven} redriven`);
      return redriven > 0 ? exitCodes.ok : exitCodes.problems;
    });
  },
};
