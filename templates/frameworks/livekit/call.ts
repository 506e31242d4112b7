/**
 * A phone call in writing, without LiveKit's server: what you type is what the caller says, and Ctrl-D hangs up.
 * `npm run call`, or `npm run call -- anonymous` for a caller who withholds the number.
 */
import './src/explain.ts'; // first: it says what is wrong with the others
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { initializeLogger, voice } from '@livekit/agents';
import { agentFor, calls, integration, model } from './src/agent.ts';

initializeLogger({ pretty: false, level: 'silent' });
const [phone = '+14155550100'] = process.argv.slice(2);
const session = new voice.AgentSession({ llm: model() });
await integration.check();
const call = calls.of({ callId: randomUUID(), phone });

session.on(voice.AgentSessionEventTypes.ConversationItemAdded, ({ item }) => {
  if (item.type === 'message' && item.role === 'assistant') console.log(`agent: ${item.textContent}`);
});
session.on(voice.AgentSessionEventTypes.Error, ({ error }) => {
  if (error.type === 'llm_error' && !error.recoverable) console.error(`The model failed: ${error.error.message}`);
});
await session.start({ agent: agentFor(call, session) });

const ask = () => process.stdout.write('caller: ');
ask();
for await (const text of createInterface({ input: process.stdin })) {
  if (text.trim() !== '') await session.generateReply({ userInput: text }).waitForPlayout();
  ask();
}
await session.close();
await call.end();
console.log('\nThe call is stored.');
await integration.close(); // writes it down
