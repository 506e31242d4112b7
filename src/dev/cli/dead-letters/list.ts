import type { DeadLetter } from '../../../stores/ports/message-queue.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { describeMoment } from './describe.ts';
import { queueOptions, withQueue } from './queue.ts';
import { withoutUndefined } from '../../../core/without-undefined.ts';

export const deadLettersList: Command = {
  name: 'dead-letters list',
  summary: 'List the dead letters, the oldest first.',
  options: {
    ...queueOptions,
    group: { value: 'NAME', help: 'Only of this group, such as outbox:crm' },
    limit: { value: 'N', help: 'At most this many (default: 100)' },
    after: { value: 'CURSOR', help: 'Continue after this cursor, which the last list printed' },
  },
  examples: [
    {
      command: 'npx voice-agent-integrations dead-letters list --sqlite outbox.db',
      says: 'What waits in a queue on disk',
    },
  ],
  run: (given, terminal) =>
    withQueue(given, terminal, async (queue) => {
      const limit = given.wholeNumber('limit') ?? 100;
      const [group, after] = [given.text('group'), given.text('after')];
      const letters = await queue.deadLetters(withoutUndefined({ limit, group, after }));
      const more = letters.length === limit ? letters.at(-1)?.cursor : undefined;
      if (given.flag('json')) {
        terminal.print(JSON.stringify({ deadLetters: letters.map(shown), after: more }));
        return exitCodes.ok;
      }
      for (const { id, group, attempts, diedAt, reason } of letters)
        terminal.print(`${id}\t${group}\t${reason}\t${attempts} attempts\tdied ${describeMoment(diedAt)}`);
      if (letters.length === 0) terminal.note('No dead letters.');
      if (more !== undefined) terminal.note(`There may be more: --after ${more}`);
      return exitCodes.ok;
    }),
};

const shown = ({ id, group, attempts, enqueuedAt, diedAt, reason }: DeadLetter) => ({
  id,
  group,
  attempts,
  reason,
  enqueuedAt: describeMoment(enqueuedAt),
  diedAt: describeMoment(diedAt),
});
