import { Refused } from '../refused.ts';
import type { FakeZendeskTicket, FakeZendeskUser } from './store.ts';

interface Term {
  readonly keyword: string;
  readonly isNegated: boolean;
  readonly value: string;
}

/** Reads `phone:*4155550100 email:"ada@example.com"`. Throws `Refused` for what isn't written with keywords. */
export const readQuery = (query: string): readonly Term[] => {
  const terms = [...query.matchAll(/(-?)([a-z_]\w*):(?:"([^"]*)"|(\S+))(?:\s+|$)/gi)];
  const rest = terms.reduce((text, [all]) => text.replace(all, ''), query);
  if (rest.trim() !== '') throw new Refused(422, 'InvalidSearch', `The fake search doesn't know: ${rest}`);
  return terms.map(([, sign, keyword = '', quoted, bare]) => ({
    keyword,
    isNegated: sign === '-',
    value: quoted ?? bare ?? '',
  }));
};

/** `*4155550100` finds each number that ends in these digits. */
const isPhone = (own: string | null, wanted: string): boolean => {
  const digits = (own ?? '').replaceAll(/\D/g, '');
  return wanted.startsWith('*') ? digits !== '' && digits.endsWith(wanted.slice(1)) : digits === wanted;
};

const same = (own: unknown, wanted: string) =>
  (typeof own === 'string' || typeof own === 'number') && String(own).toLowerCase() === wanted.toLowerCase();

/** Returns true if a search finds the user, by any of their addresses too. Source: Zendesk Support search reference, user keywords. */
export const findsUser =
  (terms: readonly Term[]) =>
  (user: FakeZendeskUser, addresses: readonly string[]): boolean =>
    terms.every(({ keyword, value, isNegated }) => {
      if (keyword === 'email') return isNegated !== addresses.some((address) => same(address, value));
      const own = user[keyword] ?? user.user_fields[keyword];
      return isNegated !== (keyword === 'phone' ? isPhone(user.phone, value) : same(own, value));
    });

/** Returns true if a search finds the ticket. */
export const findsTicket =
  (terms: readonly Term[]) =>
  (ticket: FakeZendeskTicket): boolean =>
    terms.every(({ keyword, value, isNegated }) => {
      if (keyword === 'type' && value === 'ticket') return true;
      if (keyword === 'tags') return isNegated !== ticket.tags.includes(value);
      const own = keyword === 'requester' ? ticket.requester_id : ticket[keyword];
      return isNegated !== same(own, value);
    });
