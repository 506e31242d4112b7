import { sanitizeBody } from '../../../observability/redaction/sanitize-body.ts';
import type { Command } from '../command.ts';
import { cannotBeDone } from '../command-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { describeMoment, describePayload } from './describe.ts';
import { queueOptions, withQueue } from './queue.ts';

export const deadLettersShow: Command = {
  name: 'dead-letters show',
  summary: 'Show one dead letter: why it died, what was tried, and what it holds.',
  positionals: [{ name: 'ID', help: 'As the list prints it' }],
  options: queueOptions,
  details: ['Shows only ids, states, numbers and dates of its payload; the rest is [text].'],
  examples: [
    {
      command: 'npx voice-agent-integrations dead-letters show outbox:crm:call.completed/CA123 --sqlite outbox.db',
      says: 'Why one message died',
    },
  ],
  run: (given, terminal) =>
    withQueue(given, terminal, async (queue) => {
      const [id = ''] = given.positionals;
      const message = await queue.get(id);
      if (message?.state !== 'dead')
        throw cannotBeDone(`there is no dead letter ${id}`, 'dead-letters list names them');
      const { group, attempts, enqueuedAt, reason, note, payload } = message;
      const shown = {
        id,
        group,
        reason,
        attempts,
        enqueuedAt: describeMoment(enqueuedAt),
        lastAttempt: note === undefined ? undefined : sanitizeBody(note),
        payload: describePayload(payload),
      };
      terminal.print(JSON.stringify(shown, null, given.flag('json') ? 0 : 2));
      return exitCodes.ok;
    }),
};
