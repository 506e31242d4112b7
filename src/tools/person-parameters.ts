import { email, e164 } from '../arguments.ts';
import * as z from '../schema.ts';
import type { PersonDetails } from './right-person.ts';

/** The two arguments by which a person is found. A model leaves both out for the caller. */
export const personParameters: z.ZodType<PersonDetails> = z.object({
  phone: z.nullish(e164).describe('E.164. Leave out for the caller.'),
  email: z.nullish(email).describe('Leave out for the caller.'),
});
