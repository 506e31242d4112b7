import { expect } from 'vitest';
import { InvalidArgumentError } from '../../src/core/errors.ts';

/** Returns the argument that a call was refused for, before anything was sent. */
export const refusedArgument = async (
  call: () => Promise<unknown>,
): Promise<Pick<InvalidArgumentError, 'field' | 'problem'>> => {
  const error = await call().catch((error: unknown) => error);
  if (!(error instanceof InvalidArgumentError)) throw error;
  expect(error.outcome).toBe('not_sent');
  return { field: error.field, problem: error.problem };
};
