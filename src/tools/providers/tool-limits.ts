import { InvalidArgumentError } from '../../core/errors.ts';

/** Throws `InvalidArgumentError` for a time that a platform doesn't wait. */
export const assertSeconds = (seconds: number, [least, most]: readonly [number, number], platform: string): void => {
  if (!(seconds >= least && seconds <= most))
    throw new InvalidArgumentError('timeoutSeconds', `must be ${least} to ${most}: ${platform} waits no other time`);
};

/** Throws `InvalidArgumentError` for the first tool with one of these words in its name. */
export const assertNames = (
  tools: readonly { readonly name: string }[],
  words: readonly string[],
  platform: string,
) => {
  for (const { name } of tools) {
    const word = name
      .toLowerCase()
      .split('_')
      .find((part) => words.includes(part));
    if (word !== undefined)
      throw new InvalidArgumentError(
        'toolbox',
        `must be without ${name}: ${platform} keeps the word ${word} for itself. Rename the tool, or use toolbox.without('${name}')`,
      );
  }
};
