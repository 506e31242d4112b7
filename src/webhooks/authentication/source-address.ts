import { isIP } from 'node:net';
import type { Arrival } from '../peer.ts';
import type { AddressList } from '../../http/address-list.ts';

/**
 * The address that a delivery comes from: that of the connection, or, when it is one of our own proxies, the one that
 * this proxy wrote down. Read from the right, since everything left of our proxies is the sender's own claim.
 * `undefined` when it cannot be known.
 */
export const sourceAddress = (
  { peer, headers }: Arrival,
  { isProxy, header }: { readonly isProxy: AddressList; readonly header: string },
): string | undefined => {
  const hops = (headers.get(header) ?? '').split(',').map((hop) => hop.trim());
  let address = peer.address;
  while (address !== undefined && isProxy(address)) {
    const hop = hops.pop();
    // All of them are ours, and the header names no other address.
    if (hop === undefined || hop === '') return address;
    address = withoutPort(hop);
  }
  return address;
};

/** `192.0.2.1:443`, `[2001:db8::1]:443`. Anything that is no address is unknown. */
const withoutPort = (hop: string): string | undefined => {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? (hop.includes('.') ? hop.replace(/:\d+$/, '') : hop);
  return isIP(bare) === 0 ? undefined : bare;
};
