/**
 * Preloaded into a program, which runs unchanged. The hosts in `VENDORS` lead to a test's fakes. Port 3000 is a free one of
 * loopback, which the test receives.
 */
import { Server, type AddressInfo } from 'node:net';

const places = Object.entries(JSON.parse(process.env['VENDORS'] ?? '{}') as Readonly<Record<string, string>>);

const { fetch } = globalThis;
globalThis.fetch = (input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  const [host = '', place] = places.find(([host]) => url.startsWith(`https://${host}/`)) ?? [];
  if (place === undefined) return fetch(input, init);
  const moved = url.replace(`https://${host}`, place);
  return fetch(input instanceof Request ? new Request(moved, input) : moved, init);
};

const { listen } = Server.prototype;
Server.prototype.listen = function (this: Server, ...given: unknown[]) {
  if (given[0] !== 3000) return Reflect.apply(listen, this, given) as Server;
  this.once('listening', () => process.send?.((this.address() as AddressInfo).port));
  return Reflect.apply(listen, this, [0, '127.0.0.1']) as Server;
};
