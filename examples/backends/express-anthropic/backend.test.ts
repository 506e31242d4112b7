import { expect, test } from 'vitest';
import { ann, startFakeSystems } from '../support/fake-systems.ts';
import { describeBackend } from '../support/suite.ts';
import { startOffline } from './fake-twilio.ts';
import { listen } from './twiml.ts';

describeBackend({ name: 'Express with Anthropic', start: (env) => startOffline(env), forged: [403, 403, 403] });

const call = { CallSid: 'CA1', From: ann.phone, To: '+18005550101', Direction: 'inbound' };

test('requests that Twilio tries again do nothing twice, also after a restart', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);
  const over = { ...call, CallStatus: 'completed', CallDuration: '42' };
  const pays = { ...call, SpeechResult: 'Yes, please pay it.' };

  await backend.post('/calls', call);
  await backend.post('/calls/turn', { ...call, SpeechResult: 'What do I owe you?' });
  const [first, second] = await Promise.all([
    backend.post('/calls/turn', pays, { token: 'one' }),
    backend.post('/calls/turn', pays, { token: 'one' }),
  ]);
  await Promise.all([backend.post('/calls/status', over), backend.post('/calls/status', over)]);
  await systems.finished(1);
  await backend.stop();
  await using again = await startOffline(systems.env);
  await again.post('/calls/status', over);
  await again.stop();

  expect(first?.twiml).toContain('That is paid.');
  expect(second).toEqual(first);
  const { payments, conversations, tasks } = systems.written();
  expect([payments, conversations, tasks].map(({ length }) => length)).toEqual([1, 1, 1]);
  expect(conversations[0]?.match(/Please pay|please pay/g)).toHaveLength(1);
});

test('a call that goes silent is written down once', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline({ ...systems.env, QUIET_MS: '300' });

  await backend.post('/calls', call);
  await systems.finished(1);
  await backend.post('/calls/status', { ...call, CallStatus: 'completed' });
  await backend.stop();

  const { conversations, tasks } = systems.written();
  expect([conversations, tasks].map(({ length }) => length)).toEqual([1, 1]);
  expect(tasks[0]?.subject).toContain('Its end was not reported');
});

test('a model that cannot be reached is apologised for, and the call is written down', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env, { modelUrl: 'http://127.0.0.1:9' });
  const line = await backend.ring({ callId: 'CA1', phone: ann.phone });

  expect(await line.say('What do I owe you?')).toBe('I am sorry, something went wrong here. Could you say that again?');
  await line.hangUp();

  expect((await systems.finished(1)).conversations[0]).toContain('Caller: What do I owe you?');
});

test('a request that names no phone call is answered with nothing of the server in it', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);

  expect(await backend.post('/calls', { From: ann.phone })).toEqual({ status: 500, twiml: 'Internal Server Error' });
});

test('a caller who says nothing is asked again', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);

  expect((await backend.post('/calls/turn', call)).twiml).toContain('<Say>I did not hear you.</Say>');
});

test('no words of a model are read as TwiML', () => {
  expect(listen('<Dial>+1900</Dial> & more')).toContain('<Say>&lt;Dial&gt;+1900&lt;/Dial&gt; &amp; more</Say>');
});
