import { expect, test } from 'vitest';
import { ann, startFakeSystems } from '../support/fake-systems.ts';
import { describeBackend } from '../support/suite.ts';
import { startOffline } from './fake-platform.ts';

describeBackend({
  name: 'Vercel AI SDK on Hono',
  start: (env) => startOffline({ ...env, REPORT_MS: '50' }),
  forged: [401, 401, 401],
});

const call = { id: 'CA1', type: 'inboundPhoneCall', customer: { number: ann.phone } };
const owes = { call, messages: [{ role: 'user', content: 'What do I owe you?' }] };
const pays = { call, messages: [...owes.messages, { role: 'user', content: 'Yes, please pay it.' }] };

test('a request and a report that Vapi sends twice do nothing twice, also after a restart', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);
  const artifact = { transcript: 'User: Please pay it.\nAI: That is paid.' };
  const report = { type: 'end-of-call-report', endedReason: 'customer-ended-call', call, artifact };

  await backend.ask(owes);
  const [first, second] = await Promise.all([backend.ask(pays), backend.ask(pays)]);
  await backend.post('/vapi/events', report);
  await backend.post('/vapi/events', report);
  await systems.finished(1);
  await backend.stop();
  await using again = await startOffline(systems.env);
  await again.post('/vapi/events', report);
  await again.stop();

  expect(first).toContain('That is paid.');
  expect(second).toBe(first);
  const { payments, conversations, tasks } = systems.written();
  expect([payments, conversations, tasks].map(({ length }) => length)).toEqual([1, 1, 1]);
});

test('a model that cannot be reached is apologised for, and the call is written down', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env, { modelUrl: 'http://127.0.0.1:9/v1' });
  const line = await backend.ring({ callId: 'CA1', phone: ann.phone });

  expect(await line.say('What do I owe you?')).toBe('I am sorry, something went wrong here. Could you say that again?');
  await line.hangUp();

  expect((await systems.finished(1)).conversations).toHaveLength(1);
});
