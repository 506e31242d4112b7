import { BlockList, isIP, isIPv4 } from 'node:net';
import { InvalidArgumentError } from '../errors.ts';

/** Says whether something may be sent to an address. */
export interface AddressGuard {
  allows(address: string): boolean;
  /** Whether the application named the network of this address as its own. */
  isOwn(address: string): boolean;
}

/**
 * Refuses every address that is not on the public internet: loopback, private and link-local networks, the metadata
 * services of clouds, multicast, and the IPv6 forms that carry such an IPv4 address. Networks in `allowNetworks` pass.
 * Throws `InvalidArgumentError` for what is no CIDR.
 */
export const createAddressGuard = (allowNetworks: readonly string[] = []): AddressGuard => {
  const own = listOf(allowNetworks);
  const isOwn = (address: string) => isIn(own, plainForm(address));
  return {
    isOwn,
    allows: (address) => isIP(address) !== 0 && (isOwn(address) || isPublic(plainForm(address))),
  };
};

const listOf = (networks: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits = '', ...more] = network.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    const longest = family === 'ipv4' ? 32 : 128;
    if (more.length > 0 || isIP(address) === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > longest)
      throw new InvalidArgumentError('allowNetworks', 'must hold networks in CIDR form, such as 10.0.0.0/8');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
};

const isPublic = (address: string): boolean => !isIn(isIPv4(address) ? notPublicIPv4 : notPublicIPv6, address);

const isIn = (list: BlockList, address: string): boolean => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

/** An IPv4 address that is written as an IPv6 one reaches the same machine. */
const plainForm = (address: string): string => {
  const bare = address.replace(/%.*$/, '');
  if (isIPv4(bare) || !isIn(mapped, bare)) return bare;
  const [tail = ''] = /[^:]+$/.exec(bare) ?? [];
  if (isIPv4(tail)) return tail;
  const groups = bare
    .split(':')
    .slice(-2)
    .map((group) => Number.parseInt(group || '0', 16));
  return groups.flatMap((group) => [group >> 8, group & 0xff]).join('.');
};

const mapped = listOf(['::ffff:0:0/96']);

/** https://www.iana.org/assignments/iana-ipv4-special-registry and its IPv6 sister, and what clouds add. */
const notPublicIPv4 = listOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // The platform service of Azure.
  '168.63.129.16/32',
]);

/** By itself: a list that holds the IPv6 form of all IPv4 addresses would refuse them all. */
const notPublicIPv6 = listOf([
  // Everything but 2000::/3, the only part that is given out to the public; with it go loopback, private and link-local
  // networks, multicast, and the forms that are translated to the IPv4 address inside them.
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23',
  '2001:db8::/32',
  // 6to4: goes to the IPv4 address inside.
  '2002::/16',
  '3fff::/20',
]);
