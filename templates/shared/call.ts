/**
 * Plays the voice platform in your terminal: what you type is what the caller says, and Ctrl-D hangs up. `npm run call`,
 * or `npm run call -- anonymous` for a caller who withholds the number.
 */
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';

const { AGENT_SECRET, AGENT_URL = `http://127.0.0.1:${process.env['PORT'] ?? 3000}/agent` } = process.env;
const callId = randomUUID();
const [phone = '+14155550100'] = process.argv.slice(2);

const send = async (event: object) => {
  const response = await fetch(AGENT_URL, {
    method: 'POST',
    headers: { authorization: `Bearer ${AGENT_SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify({ callId, ...event }),
  });
  return (await response.json()) as { text?: string; error?: string; recorded?: boolean };
};

const ask = () => process.stdout.write('caller: ');
ask();
for await (const text of createInterface({ input: process.stdin })) {
  if (text.trim() !== '') {
    const { text: words, error } = await send({ event: 'turn', phone, text });
    console.log(`agent: ${words ?? error}`);
  }
  ask();
}
const { recorded, error } = await send({ event: 'end' });
console.log(recorded ? '\nThe call is written down.' : `\nThe call isn't written down: ${error}`);
