import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { ann, startFakeSystems } from '../support/fake-systems.ts';
import { describeBackend } from '../support/suite.ts';
import { startOffline } from './fake-twilio.ts';
import { twilioSignature } from './twilio-signature.ts';

describeBackend({ name: 'Twilio ConversationRelay', start: startOffline, forged: [403, 403] });

test('a caller who talks over an answer is answered next, and the transcript has what was spoken', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);
  const line = await backend.ring({ callId: 'CA1', phone: ann.phone });

  // Once while the model still writes, and once while Twilio still speaks.
  await line.begin('Tell me a story.');
  line.interrupt('Well,');
  await line.say('What do I owe you?');
  line.interrupt('Hello Ann Lee. You have');
  expect(await line.say('Goodbye.')).toBe('Goodbye.');
  await line.hangUp();

  const { conversations } = await systems.finished(1);
  expect(conversations[0]).toContain(
    [
      'Caller: Tell me a story.',
      'Agent: Well,',
      'Caller: What do I owe you?',
      'Agent: Hello Ann Lee. You have',
      'Caller: Goodbye.',
      'Agent: Goodbye.',
    ].join('\n'),
  );
});

test('a line that breaks while a payment is made leaves one payment, also when the server is stopped at once', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);
  const line = await backend.ring({ callId: 'CA1', phone: ann.phone });
  await line.say('What do I owe you?');

  // The payment is made at once, and its answer arrives when the caller is gone.
  systems.platform.fault('billing.payments.create', [{ latencyMs: 2_000 }]);
  void line.say('Yes, please pay it.');
  await vi.waitUntil(() => systems.written().payments.length === 1, { timeout: 30_000 });
  line.drop();
  expect(await backend.stop()).toBe(0);

  await using again = await startOffline(systems.env);
  const later = await again.ring({ callId: 'CA2', phone: ann.phone });
  await later.say('What do I owe you?');
  await later.say('Please pay it.');
  expect(systems.written().payments).toHaveLength(1);
  expect(backend.printed()).not.toMatch(/error/i);
});

test('a caller who withholds the number is asked for more and sees no invoices', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);
  const line = await backend.ring({ callId: 'CA1', phone: 'anonymous' });

  expect(await line.say('What do I owe you?')).toContain('I cannot see your invoices right now.');
});

test('strangers who break off the handshake, or send a form without end, do not stop the server', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);

  for (let times = 0; times < 50; times += 1) {
    const stranger = connect(backend.port, '127.0.0.1');
    stranger.on('error', () => undefined);
    await once(stranger, 'connect');
    const ended = new Promise((resolve) => stranger.once('close', resolve));
    stranger.write(`GET /relay HTTP/1.1\r\nHost: acme.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    stranger.once('data', () => stranger.resetAndDestroy());
    if (times % 2 === 0) stranger.resetAndDestroy();
    await ended;
  }
  const form = { method: 'POST', body: 'a'.repeat(1024 * 1024) };
  expect((await fetch(`http://127.0.0.1:${backend.port}/voice`, form)).status).toBe(413);

  const line = await backend.ring({ callId: 'CA1', phone: ann.phone });
  expect(await line.say('Goodbye.')).toBe('Goodbye.');
  expect(await backend.stop()).toBe(0);
});

test('the signature is the one that Twilio documents', () => {
  const form = {
    CallSid: 'CA1234567890ABCDE',
    Caller: '+14158675310',
    Digits: '1234',
    From: '+14158675310',
    To: '+18005551212',
  };

  expect(twilioSignature('12345', 'https://example.com/myapp.php?foo=1&bar=2', form)).toBe(
    'L/OH5YylLD5NRKLltdqwSvS0BnU=',
  );
});
