import { InvalidArgumentError } from './errors.ts';

/** A text, or a function that reads it, such as `fromEnv('CRM_BASE_URL')`. */
export type Setting = string | (() => string);

/** The text. Throws `InvalidArgumentError` that names `field`, and the variable that's missing. */
export const readSetting = (field: string, setting: Setting): string => {
  if (typeof setting !== 'function') return setting;
  try {
    return setting();
  } catch (error) {
    if (error instanceof InvalidArgumentError)
      throw new InvalidArgumentError(field, `can't be read: ${error.field} ${error.problem}`);
    throw error;
  }
};
