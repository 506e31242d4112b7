import { InvalidArgumentError } from '../core/errors.ts';
import { needsOf } from './tools-by-job.ts';

/**
 * The error for a tool of this package that the model asked for and the phone call doesn't have, with what it takes.
 * `undefined` for other names: the model made them up.
 */
export const missingTool = (name: string, callId: string | undefined): InvalidArgumentError | undefined => {
  const needed = needsOf(name);
  if (needed === undefined) return undefined;
  const call = callId === undefined ? 'this toolbox' : `call ${callId}`;
  return new InvalidArgumentError(`tools.${name}`, `is missing: give ${needed}`, {
    message: `the model asked for ${name}, which ${call} doesn't have: give ${needed}`,
  });
};
