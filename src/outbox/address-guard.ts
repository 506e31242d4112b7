import { createAddressList, plainAddress } from '../http/address-list.ts';

/** Says whether something may be sent to an address. */
export interface AddressGuard {
  allows(address: string): boolean;
  /** Says if the application named the network of this address as its own. */
  isOwn(address: string): boolean;
}

/**
 * Refuses every address that isn't on the public internet: loopback, private and link-local networks, metadata services
 * of clouds, multicast. The IPv6 forms of such IPv4 addresses count too. Networks in `allowNetworks` pass. Throws
 * `InvalidArgumentError` for a text that is neither an address nor a CIDR range.
 */
export const createAddressGuard = (allowNetworks: readonly string[] = []): AddressGuard => {
  const isOwn = createAddressList('allowNetworks', allowNetworks);
  return { isOwn, allows: (address) => isOwn(address) || isPublic(address) };
};

const isPublic = (address: string): boolean => {
  const { family } = plainAddress(address);
  return family !== undefined && !(family === 'ipv4' ? isNotPublicIPv4 : isNotPublicIPv6)(address);
};

/** https://www.iana.org/assignments/iana-ipv4-special-registry and its IPv6 sister, and what clouds add. */
const isNotPublicIPv4 = createAddressList('IPv4', [
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

/** Checked alone: a list that holds the IPv6 form of all IPv4 addresses would refuse them all. */
const isNotPublicIPv6 = createAddressList('IPv6', [
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
