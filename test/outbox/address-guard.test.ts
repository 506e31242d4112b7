import { expect, test } from 'vitest';
import { createAddressGuard } from '../../src/outbox/address-guard.ts';
import fc from '../support/fast-check.ts';

const guard = createAddressGuard();

test.each([
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:a9fe:a9fe',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '::ffff:0:7f00:1',
  '64:ff9a::1',
  '4000::1',
  '8000::1',
  '2002:7f00:1::',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  '0:0:0:0:0:ffff::',
  '0:0:0:0:0:ffff:7f00::',
  'localhost',
  '',
])('does not let anything be sent to %s', (address) => {
  expect(guard.allows(address)).toBe(false);
});

test.each(['8.8.8.8', '172.32.0.1', '192.169.0.1', '100.128.0.1', '::ffff:8.8.8.8', '2606:4700:4700::1111'])(
  'lets %s pass',
  (address) => {
    expect(guard.allows(address)).toBe(true);
  },
);

test('lets the networks pass that the application names, and only these', () => {
  const own = createAddressGuard(['10.20.0.0/16', 'fd12::/16', '10.30.0.1']);

  expect(['10.20.255.1', '::ffff:10.20.0.1', 'fd12::1', '10.30.0.1'].filter(own.allows)).toHaveLength(4);
  expect(['10.21.0.1', '10.30.0.2', 'fd13::1', '127.0.0.1'].filter(own.allows)).toEqual([]);
  expect(own.isOwn('8.8.8.8')).toBe(false);
});

test('knows a network of the application also by an address with a zone', () => {
  const own = createAddressGuard(['fe80::/10']);

  expect([own.isOwn('fe80::1%eth0'), own.allows('fe80::1%eth0')]).toEqual([true, true]);
});

test.each([
  '10.0.0.0/',
  '10.0.0.0/33',
  '10.0.0.0/8x',
  '10.0.0.0/x8',
  'localhost/8',
  '::1/129',
  '10.0.0.0/8/8',
  '/8',
  '',
])('refuses "%s" as a network', (network) => {
  const problem = {
    code: 'invalid_argument',
    field: 'allowNetworks',
    message: 'allowNetworks must hold addresses and CIDR ranges, such as 203.0.113.0/24',
  };

  expect(() => createAddressGuard([network])).toThrow(expect.objectContaining(problem));
});

test('an IPv4 address is judged alike in each of its spellings', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const groups = address.split('.').map(Number);
      const hex = [0, 2].map((at) => (((groups[at] ?? 0) << 8) | (groups[at + 1] ?? 0)).toString(16)).join(':');

      expect(guard.allows(`::ffff:${address}`)).toBe(guard.allows(address));
      expect(guard.allows(`::ffff:${hex}`)).toBe(guard.allows(address));
    }),
  );
});
