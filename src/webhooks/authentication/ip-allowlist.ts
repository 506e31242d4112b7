import { isIP } from 'node:net';
import { InvalidArgumentError } from '../../core/errors.ts';
import { assertKnown } from '../../core/option-checks.ts';
import { type AddressList, createAddressList } from '../../http/address-list.ts';
import type { DeliveryRequest } from '../peer.ts';
import { type Authentication, forbidden } from './method.ts';

/** The addresses that deliveries may come from. */
export interface IpAllowlistOptions {
  /** Addresses and CIDR ranges of the sender, IPv4 and IPv6; a function when tenants have lists of their own. */
  readonly allow:
    | readonly string[]
    | ((about: { readonly tenant: string | undefined }) => readonly string[] | Promise<readonly string[]>);
  /** The proxies in front of the receiver, by address; only what they write down is believed. @defaultValue none */
  readonly trustedProxies?: readonly string[] | undefined;
  /** The header in which proxies write the address they were called from. @defaultValue 'x-forwarded-for' */
  readonly forwardedHeader?: string | undefined;
}

/**
 * Takes deliveries from known addresses only. Not enough by itself: an address says nothing of the body.
 * Throws `InvalidArgumentError` for an entry that is no address and no range, and for an empty list.
 *
 * @example
 * authentication: [ipAllowlist({ allow: ['203.0.113.0/24'], trustedProxies: ['10.0.0.0/8'] }), hmac({ secrets })]
 */
export const ipAllowlist = (options: IpAllowlistOptions): Authentication => {
  assertKnown(options, { allow: true, trustedProxies: true, forwardedHeader: true });
  const { allow, trustedProxies = [], forwardedHeader = 'x-forwarded-for' } = options;
  const isProxy = createAddressList('trustedProxies', trustedProxies);
  const fixed = typeof allow === 'function' ? undefined : toList(allow);
  const listFor = async (tenant: string | undefined): Promise<AddressList> =>
    fixed ?? toList(typeof allow === 'function' ? await allow({ tenant }) : allow);
  return {
    method: 'ip-allowlist',
    step: 'address',
    isStrong: false,
    check: async (delivery) => {
      const isAllowed = await listFor(delivery.tenant);
      const address = sourceAddress(delivery, { isProxy, header: forwardedHeader });
      if (address === undefined) return forbidden('address_unknown');
      return isAllowed(address) ? { accepted: true } : forbidden('address_not_allowed');
    },
  };
};

const toList = (entries: readonly string[]): AddressList => {
  if (!Array.isArray(entries) || entries.length === 0)
    throw new InvalidArgumentError('allow', 'must hold at least one address or range');
  return createAddressList('allow', entries);
};

/**
 * Returns the address that a delivery comes from: that of the connection or, behind one of our own proxies, the one
 * that this proxy wrote. Reads from the right, since everything left of our proxies is the sender's own claim.
 * `undefined` if it can't be known.
 */
const sourceAddress = (
  { peer, headers }: DeliveryRequest,
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
