import { BlockList, isIP } from 'node:net';
import { InvalidArgumentError } from '../core/errors.ts';

/** Returns whether an address is on the list. An IPv4 address may be written as IPv6 (`::ffff:192.0.2.1`). */
export type AddressList = (address: string) => boolean;

/** Makes a list of addresses and CIDR ranges. Throws `InvalidArgumentError` for an entry that is neither. */
export const createAddressList = (field: string, entries: readonly string[]): AddressList => {
  const list = new BlockList();
  for (const entry of entries) add(list, entry, field);
  return (address) => {
    const { bare, family } = plainAddress(address);
    return family !== undefined && list.check(bare, family);
  };
};

const add = (list: BlockList, entry: string, field: string): void => {
  const refuse = () => new InvalidArgumentError(field, 'must hold addresses and CIDR ranges, such as 203.0.113.0/24');
  if (typeof entry !== 'string') throw refuse();
  const [address = '', prefix, ...more] = entry.split('/');
  const { bare, family } = plainAddress(address);
  if (family === undefined || more.length > 0) throw refuse();
  if (prefix === undefined) return list.addAddress(bare, family);
  const mapped = family === 'ipv4' && address.includes(':') ? 96 : 0;
  const bits = Number(prefix) - mapped;
  if (!/^\d{1,3}$/.test(prefix) || bits < 0 || bits > (family === 'ipv4' ? 32 : 128)) throw refuse();
  list.addSubnet(bare, bits, family);
};

/** Removes a zone and the wrapping of IPv4 in IPv6 (RFC 4291, 2.5.5.2), in either spelling. */
export const plainAddress = (
  address: string,
): { readonly bare: string; readonly family: 'ipv4' | 'ipv6' | undefined } => {
  const bare = address.replace(/%.*$/, '');
  const family = isIP(bare);
  if (family === 4) return { bare, family: 'ipv4' };
  if (family !== 6) return { bare, family: undefined };
  const canonical = new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (!mapped) return { bare, family: 'ipv6' };
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)];
  return { bare: [high >> 8, high & 255, low >> 8, low & 255].join('.'), family: 'ipv4' };
};
