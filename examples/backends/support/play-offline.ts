import { ann, startFakeSystems } from './fake-systems.ts';
import type { StartOffline } from './offline.ts';

/** Plays one phone call to a backend and prints what was said, and what it has left behind. */
export const playOffline = async (start: StartOffline): Promise<void> => {
  await using systems = await startFakeSystems();
  await using backend = await start(systems.env);

  const line = await backend.ring({ callId: 'CA1', phone: ann.phone });
  for (const words of line.dialogue()) console.log(`Agent:  ${words}`);
  for (const words of ['What do I owe you?', 'Yes, please pay it.', 'Was it paid? If not, pay it.', 'Goodbye.'])
    console.log(`Caller: ${words}\nAgent:  ${await line.say(words)}`);
  await line.hangUp();

  const { payments, conversations, tasks } = await systems.finished(1);
  for (const { amount, invoice_id } of payments) console.log(`\nPayment: ${amount} for ${invoice_id}`);
  for (const body of conversations) console.log(`Conversation: ${body.split('\n')[0]}`);
  for (const { subject, who } of tasks) console.log(`Task: ${subject}, about ${who}`);
  console.log(`The server was stopped and ended with ${await backend.stop()}.`);
};
