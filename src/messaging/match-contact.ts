import type { Contact, ContactMatch, FoundContact } from './records.ts';

/**
 * Chooses among what a search gave: only exact matches on the normalised value count, and the most recently updated
 * of them is taken. A platform that finds by similarity can so not make a stranger of the caller.
 * `formats` are other ways in which the same value may be written.
 */
export const matchContact = <Attributes extends object>(
  contacts: readonly Contact<Attributes>[],
  field: 'phone' | 'email',
  value: string,
  formats: readonly string[] = [],
): ContactMatch<Attributes> | undefined => {
  const normalise = field === 'phone' ? normalisePhone : normaliseEmail;
  const exact = contacts.filter((contact) => {
    const own = contact[field];
    return typeof own === 'string' && (normalise(own) === normalise(value) || formats.includes(own.trim()));
  });
  const distinct = [...new Map(exact.map((contact) => [contact.id, contact])).values()];
  const [contact] = distinct.toSorted((one, other) => timeOf(other.updated_at) - timeOf(one.updated_at));
  return contact && { contact, ambiguous: distinct.length > 1, count: distinct.length };
};

/**
 * Decides between what was found by phone and by e-mail: the phone, unless several contacts share it and the address
 * tells one of them.
 */
export const choosePerson = <Attributes extends object>(
  byPhone: ContactMatch<Attributes> | undefined,
  byEmail: ContactMatch<Attributes> | undefined,
): FoundContact<Attributes> | undefined => {
  if (byPhone && !byPhone.ambiguous) return { matchedBy: 'phone', ...byPhone };
  if (byEmail && !(byPhone && byEmail.ambiguous)) return { matchedBy: 'email', ...byEmail };
  return byPhone && { matchedBy: 'phone', ...byPhone };
};

/** Only the plus and the digits: platforms keep numbers as people typed them. */
const normalisePhone = (phone: string): string => phone.replace(/[^\d+]/g, '').replace(/^00/, '+');

export const normaliseEmail = (email: string): string => email.trim().toLowerCase();

/** Platforms write seconds, milliseconds or a date; what cannot be read is older than everything. */
const timeOf = (written: unknown): number => {
  if (typeof written === 'number') return written < 1e11 ? written * 1000 : written;
  const time = typeof written === 'string' ? Date.parse(written) : Number.NaN;
  return Number.isNaN(time) ? 0 : time;
};
