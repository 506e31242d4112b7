import { InvalidArgumentError, type IntegrationErrorFields } from '../errors.ts';

/** Throws `InvalidArgumentError` with `name` as its field for what is given and is no time span above 0. */
export const assertDuration = (name: string, ms: number | undefined, fields?: IntegrationErrorFields): void => {
  if (ms !== undefined && !(typeof ms === 'number' && ms > 0))
    throw new InvalidArgumentError(name, 'must be a number of milliseconds above 0', fields);
};
