import { InvalidArgumentError } from '../core/errors.ts';
import { assertKnown } from '../core/option-checks.ts';
import type { ConsumeOptions, Page, QueueAdmin, QueuedMessage } from './ports/message-queue.ts';

/** Throws `InvalidArgumentError` for what no queue can store. */
export const checkMessage = ({ id, group, payload, dueAt }: QueuedMessage): void => {
  assertName('id', id);
  assertName('group', group);
  if (dueAt !== undefined && !Number.isFinite(dueAt))
    throw new InvalidArgumentError('dueAt', 'must be a moment in milliseconds since 1970');
  const text: string | undefined = JSON.stringify(payload);
  if (text === undefined) throw new InvalidArgumentError('payload', 'must be something that JSON can hold');
};

/** Throws `InvalidArgumentError` for numbers that no consumer can work with. */
export const checkConsumeOptions = (options: ConsumeOptions): void => {
  assertKnown(options, { groups: true, leaseMs: true, maximumAttempts: true, onError: true });
  const { groups, leaseMs, maximumAttempts } = options;
  for (const group of Object.keys(groups)) assertName('group', group);
  const whole = { ...groups, maximumAttempts };
  for (const [field, value] of Object.entries(whole)) {
    if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError(field, 'must be a whole number above 0');
  }
  if (!(leaseMs > 0 && leaseMs < Number.POSITIVE_INFINITY))
    throw new InvalidArgumentError('leaseMs', 'must be a number of milliseconds above 0');
};

/** Throws `InvalidArgumentError` for a page that a misspelt name would make another one. */
export const checkPage = (page: Pick<Page, 'limit'>, within: 'group' | 'destination' = 'group'): void => {
  assertKnown<object>(page, { limit: true, after: true, [within]: true });
  const { limit } = page;
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0))
    throw new InvalidArgumentError('limit', 'must be a whole number above 0');
};

/**
 * Throws `InvalidArgumentError` for a selection of dead letters that isn't one, or that a misspelt name would make one of
 * all. `within` is the name of what narrows it.
 */
export const checkSelection = (which: object, within: 'group' | 'destination' = 'group'): void => {
  assertKnown<object>(which, { ids: true, since: true, [within]: true });
  const { ids, since }: { readonly ids?: unknown; readonly since?: unknown } = Object(which);
  if (ids === undefined && !Number.isFinite(since))
    throw new InvalidArgumentError(
      'since',
      'must be a moment in milliseconds since 1970, unless ids are given: 0 is all',
    );
  if (ids === undefined) return;
  if (since !== undefined) throw new InvalidArgumentError('ids', 'must not be given together with since');
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string'))
    throw new InvalidArgumentError('ids', 'must be a list of ids');
};

/** An admin that refuses a page or a selection that isn't one. */
export const checkedAdmin = (admin: QueueAdmin): QueueAdmin => ({
  ...admin,
  deadLetters: async (page = {}) => {
    checkPage(page);
    return admin.deadLetters(page);
  },
  redrive: async (which) => {
    checkSelection(which);
    return admin.redrive(which);
  },
  discard: async (which) => {
    checkSelection(which);
    return admin.discard(which);
  },
});

const assertName = (field: string, name: string): void => {
  if (typeof name !== 'string' || name === '')
    throw new InvalidArgumentError(field, 'must be a text that is not empty');
  // A server would keep another text, or none.
  if (!name.isWellFormed()) throw new InvalidArgumentError(field, 'must be well-formed Unicode');
};
