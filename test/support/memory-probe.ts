/**
 * Started as a process of its own with the address of a server and the name of a transport: reads one answer through it
 * and prints how it ended and by how many bytes the memory of the process had grown at its highest.
 */
import { createKyTransport } from '../../src/http/ky-transport.ts';
import { undiciTransport } from '../../src/transport/undici.ts';
import { aRequest } from './request.ts';

const [origin = '', name] = process.argv.slice(2);
const createTransport = name === 'transport/undici' ? undiciTransport : createKyTransport;
const transport = createTransport({ maximumBodyBytes: 8 * 2 ** 20 });

const endOf = (path: string) =>
  transport(aRequest({ url: origin + path })).then(
    ({ text }) => `${text.length}`,
    (error: Error) => error.message,
  );

// A process that has worked for a while: code is compiled, and the young heap has its usual size.
for (let count = 0; count < 200; count += 1) await endOf('/ordinary');
globalThis.gc?.();

const before = process.memoryUsage.rss();
let highest = before;
const timer = setInterval(() => {
  highest = Math.max(highest, process.memoryUsage.rss());
}, 1);
const end = await endOf('/too-large');
clearInterval(timer);
highest = Math.max(highest, process.memoryUsage.rss());

console.log(JSON.stringify({ end, grownBytes: highest - before }));
// The default fetch keeps an idle connection for some seconds.
process.exit();
