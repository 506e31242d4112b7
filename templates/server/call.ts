/**
 * Plays the voice platform in your terminal: what you type is what the caller says, and Ctrl-D hangs up. `npm run call`,
 * or `npm run call -- anonymous` for a caller who withholds the number.
 */
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';

const { AGENT_SECRET, AGENT_URL = `http://127.0.0.1:${process.env['PORT'] ?? 3000}/agent` } = process.env;
const callId = randomUUID();
const [phone = '+14155550100'] = process.argv.slice(2);

/** Says what is the matter, and ends. */
const end: (problem: string) => never = (problem) => {
  console.error(`\n${problem}`);
  process.exit(1);
};

const send = async (event: object) => {
  const response = await fetch(AGENT_URL, {
    method: 'POST',
    headers: { authorization: `Bearer ${AGENT_SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify({ callId, ...event }),
  }).catch(() =>
    end(`Nothing answers at ${AGENT_URL}: start the server first, or set PORT or AGENT_URL to where it is.`),
  );
  if (response.status === 401)
    end(
      `${AGENT_URL} doesn't take AGENT_SECRET of .env: is it another server, or one that was started with another .env?`,
    );
  const body: unknown = await response.json().catch(() => undefined);
  if (typeof body !== 'object' || body === null)
    end(
      `What answers at ${AGENT_URL} isn't this agent (status ${response.status}): set PORT or AGENT_URL to where it is.`,
    );
  return body as { text?: string; error?: string; stored?: boolean };
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
const { stored } = await send({ event: 'end' });
if (!stored) end("The call isn't stored: the server printed why.");
console.log('\nThe call is stored, and the server writes it down.');
