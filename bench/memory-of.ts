/** Measures the memory of one subject and sends it to the parent: `memory.ts` starts it. */
import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Subject } from './measure.ts';
import { gets } from './subjects.ts';

const [baseUrl = '', index = '0'] = process.argv.slice(2);

/** The floor is `node:http` without anything. */
const agent = new Agent({ keepAlive: true });
const bare = (url: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    request(url, { agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.once('end', () => resolve(JSON.parse(text)));
    })
      .once('error', reject)
      .end();
  });

const subjectsAt = (base: string): readonly Subject[] => [
  { name: 'bare node:http', call: () => bare(`${base}/contacts/contact_1`) },
  ...gets(base),
];

const subject = subjectsAt(baseUrl)[Number(index)];
const slow = subjectsAt(`${baseUrl}/slow`)[Number(index)];
if (!subject || !slow) throw new Error(`there is no subject ${index}`);

const many = async (count: number, concurrency: number): Promise<void> => {
  let left = count;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await subject.call();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
};

/** What waits for a finaliser is given up in the turns after a collection. */
const heapAfterCollection = async (): Promise<number> => {
  for (let round = 0; round < 5; round += 1) {
    globalThis.gc?.();
    await setTimeout(50);
  }
  return process.memoryUsage().heapUsed;
};

await many(500, 16);
await heapAfterCollection();
const rssBefore = process.memoryUsage.rss();
const inFlight = Array.from({ length: 1_000 }, () => slow.call());
let highest = 0;
const timer = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 10);
await Promise.all(inFlight);
clearInterval(timer);
const inFlightMib = (Math.max(highest, process.memoryUsage.rss()) - rssBefore) / 2 ** 20;

await many(2_000, 16);
const before = await heapAfterCollection();
await many(10_000, 16);
const keptKib = ((await heapAfterCollection()) - before) / 1024;

process.send?.({ name: subject.name.replace(/, GET$/, ''), keptKib, inFlightMib }, () => process.exit());
