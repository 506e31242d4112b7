import { isSamePhone } from '../phone/forms.ts';
import { parseTimestamp } from '../timestamp.ts';
import type { Contact, ContactMatch, FoundContact } from './records.ts';

/** Which value contacts are compared with. */
export interface MatchBy {
  readonly field: 'phone' | 'email';
  /** E.164, or an address in lower case. */
  readonly value: string;
  /** Further ways in which the same number may be written. */
  readonly formats?: readonly string[];
  /** The API found them by exactly this value: a record that doesn't show the field counts too. */
  readonly trusted?: boolean;
}

/**
 * Chooses among what a search gave: only contacts with this number or address count, however it's formatted, and the most
 * recently updated of them is taken. A platform that finds by similarity can't make a stranger the caller.
 */
export const matchContact = <Attributes extends object>(
  contacts: readonly Contact<Attributes>[],
  { field, value, formats = [], trusted = false }: MatchBy,
): ContactMatch<Attributes> | undefined => {
  const isSame = (own: string) =>
    field === 'phone'
      ? isSamePhone(value, own) || formats.includes(own.trim())
      : normaliseEmail(own) === normaliseEmail(value);
  const exact = contacts.filter((contact) => {
    const shown = field === 'phone' ? [contact.phone, contact['formatted_phone']] : [contact.email];
    const values = shown.filter((own) => typeof own === 'string');
    return values.some(isSame) || (trusted && shown.every((own) => own === undefined));
  });
  const distinct = [...new Map(exact.map((contact) => [contact.id, contact])).values()];
  const [contact] = distinct.toSorted((one, other) => timeOf(other) - timeOf(one));
  return contact && { contact, ambiguous: distinct.length > 1, count: distinct.length };
};

/**
 * Decides between what was found by phone and by e-mail: the phone, unless several contacts share it and the address
 * identifies one of them.
 */
export const choosePerson = <Attributes extends object>(
  byPhone: ContactMatch<Attributes> | undefined,
  byEmail: ContactMatch<Attributes> | undefined,
): FoundContact<Attributes> | undefined => {
  if (byPhone && !byPhone.ambiguous) return { matchedBy: 'phone', ...byPhone };
  if (byEmail && !(byPhone && byEmail.ambiguous)) return { matchedBy: 'email', ...byEmail };
  return byPhone && { matchedBy: 'phone', ...byPhone };
};

export const normaliseEmail = (email: string): string => email.trim().toLowerCase();

/** What can't be read is older than everything. */
const timeOf = ({ updated_at }: Contact<object>): number => parseTimestamp(updated_at) ?? 0;
