import type { Selection } from '../../../stores/ports/message-queue.ts';
import type { CommandOption, Given, Positional } from '../command.ts';
import { wrongUsage } from '../command-error.ts';
import { withoutUndefined } from '../../../core/without-undefined.ts';

export const selectionPositionals: readonly Positional[] = [
  { name: 'ID', help: 'As the list prints them', count: 'any' },
];

export const selectionOptions: Readonly<Record<'all' | 'since' | 'group', CommandOption>> = {
  all: { help: 'Every dead letter, or those of one --group' },
  since: { value: 'TIME', help: 'Those that died at or after it, such as 2026-01-31T12:00:00Z' },
  group: { value: 'NAME', help: 'Of --all or --since, only this group' },
};

/** Which dead letters are meant. Throws `CommandError` unless exactly one way of naming them is used. */
export const readSelection = ({ positionals, flag, text }: Given): Selection => {
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
