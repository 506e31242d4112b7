import { InvalidArgumentError } from '../../errors.ts';

/**
 * BullMQ builds its keys with colons and takes an id of digits for one of its own, so our names are percent-encoded behind a
 * letter. With `~` for `%`, since tools such as bull-board decode a name twice.
 */
const encode = (text: string, field: string): string => {
  if (!text.isWellFormed()) throw new InvalidArgumentError(field, 'must be well-formed Unicode');
  return encodeURIComponent(text).replaceAll('~', '%7E').replaceAll('%', '~');
};

/** The BullMQ queue of a group. */
export const queueOf = (name: string, group: string): string => `${name}.group.${encode(group, 'group')}`;

/** The BullMQ queue whose jobs are the groups that there are. Nobody works on it. */
export const queueOfGroups = (name: string): string => `${name}.groups`;

/** Braces keep all keys on one node of a cluster: a transaction may then hold several groups. */
export const prefixOf = (name: string): string => `{${name}}`;

export const jobIdOf = (id: string): string => `m.${encode(id, 'id')}`;

export const idOfJob = (jobId: string): string => decodeURIComponent(jobId.slice(2).replaceAll('~', '%'));

export const assertName = (name: string): void => {
  if (!/^[\w-]+$/.test(name)) throw new InvalidArgumentError('name', 'must be made of letters, digits, _ and -');
};
