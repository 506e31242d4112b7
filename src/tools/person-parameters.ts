import { email, e164 } from '../arguments.ts';
import { optional, ownParameters } from './own-parameters.ts';
import type { PersonDetails } from './right-person.ts';
import type { ArgumentsSchema } from './tool.ts';

/** The two arguments by which a person is found. A model leaves both out for the caller. */
export const personParameters: ArgumentsSchema<PersonDetails> = ownParameters({
  phone: optional(e164, { type: 'string', description: 'E.164. Leave out for the caller.' }),
  email: optional(email, { type: 'string', description: 'Leave out for the caller.' }),
});
