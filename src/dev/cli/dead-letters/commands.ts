import type { DeadLetter, Selection } from '../../../stores/ports/message-queue.ts';
import type { Command, CommandOption, Given, Positional } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { queueOptions, withQueue } from './queue.ts';
import { withoutUndefined } from '../../../core/without-undefined.ts';
import { sanitizeBody } from '../../../observability/redaction/sanitize-body.ts';
import { cannotBeDone, wrongUsage } from '../command-error.ts';
import { createRedrive } from '../../../outbox/dead-letters.ts';
import { bodyForPeople } from '../../../outbox/message.ts';
import type { Json } from '../../../stores/ports/json.ts';

const selectionPositionals: readonly Positional[] = [{ name: 'ID', help: 'As the list prints them', count: 'any' }];

const selectionOptions: Readonly<Record<'all' | 'since' | 'group', CommandOption>> = {
  all: { help: 'Every dead letter, or those of one --group' },
  since: { value: 'TIME', help: 'Those that died at or after it, such as 2026-01-31T12:00:00Z' },
  group: { value: 'NAME', help: 'Of --all or --since, only this group' },
};

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
    withQueue(given, terminal, async (admin) => {
      const limit = given.wholeNumber('limit') ?? 100;
      const [group, after] = [given.text('group'), given.text('after')];
      const letters = await admin.deadLetters(withoutUndefined({ limit, group, after }));
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
    withQueue(given, terminal, async (admin) => {
      const [id = ''] = given.positionals;
      const message = await admin.get(id);
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

export const deadLettersRedrive: Command = {
  name: 'dead-letters redrive',
  summary: 'Send dead letters back to the workers, with the same idempotency keys and new attempts.',
  positionals: selectionPositionals,
  options: { ...selectionOptions, ...queueOptions },
  details: [
    'At most ten a second. Your application’s workers handle them. Ends with 1 when there was none.',
    'After may_be_done, restart the worker too.',
  ],
  examples: [
    {
      command: 'npx voice-agent-integrations dead-letters redrive --all --group outbox:crm --sqlite outbox.db',
      says: 'After the CRM is back',
    },
  ],
  run: (given, terminal) => {
    const selection = readSelection(given);
    return withQueue(given, terminal, async (admin) => {
      terminal.progress('Redriving …');
      const redriven = await createRedrive(() => admin)(selection);
      terminal.print(given.flag('json') ? JSON.stringify({ redriven }) : `${redriven} redriven`);
      return redriven > 0 ? exitCodes.ok : exitCodes.problems;
    });
  },
};

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
    return withQueue(given, terminal, async (admin) => {
      const discarded = await admin.discard(selection);
      terminal.print(given.flag('json') ? JSON.stringify({ discarded }) : `${discarded} discarded`);
      return discarded > 0 ? exitCodes.ok : exitCodes.problems;
    });
  },
};

/** Reads which dead letters are meant. Throws `CommandError` unless exactly one way of naming them is used. */
const readSelection = ({ positionals, flag, text }: Given): Selection => {
  const [since, group] = [text('since'), text('group')];
  const ways = [positionals.length > 0, flag('all'), since !== undefined].filter(Boolean).length;
  if (ways !== 1) throw wrongUsage('say which dead letters are meant', 'ids, or --all, or --since TIME');
  if (positionals.length > 0) {
    if (group !== undefined) throw wrongUsage('--group goes with --all or --since, not with ids');
    return { ids: positionals };
  }
  const from = since === undefined ? 0 : Date.parse(since);
  if (Number.isNaN(from)) throw wrongUsage('--since must be a moment such as 2026-01-31T12:00:00Z');
  return withoutUndefined({ since: from, group });
};

/** Returns a message's payload as it may be shown, without texts that are no ids or states. */
const describePayload = (payload: Json): unknown => {
  if (typeof payload !== 'object' || payload === null || !('body' in payload)) return sanitizeBody(payload);
  const { body, ...rest } = payload;
  const shown = sanitizeBody(rest);
  // The outbox keeps exactly what is sent, as text.
  return typeof body === 'string' ? { ...(shown as object), body: bodyForPeople(body) } : sanitizeBody(payload);
};

/** Such as `2026-01-31T12:00:00Z`. */
const describeMoment = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
