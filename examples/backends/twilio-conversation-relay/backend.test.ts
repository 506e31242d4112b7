import { expect, test } from 'vitest';
import { ann, startFakeSystems } from '../support/fake-systems.ts';
import { describeBackend } from '../support/suite.ts';
import { startOffline } from './fake-twilio.ts';
import { twilioSignature } from './twilio-signature.ts';

describeBackend({ name: 'Twilio ConversationRelay', start: startOffline, forged: [403, 403] });

test('a caller who talks over an answer is answered next, and the transcript has what was heard', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);
  const line = await backend.ring({ callId: 'CA1', phone: ann.phone });

  expect(await line.talkOver('Tell me a story.')).toBe('Well,');
  expect(await line.say('What do I owe you?')).toContain('120.5 dollars');
  await line.hangUp();

  const { conversations } = await systems.finished(1);
  expect(conversations[0]).toContain('Caller: Tell me a story.\nAgent: Well,\nCaller: What do I owe you?');
});

test('a caller who withholds the number is asked for more and sees no invoices', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);
  const line = await backend.ring({ callId: 'CA1', phone: 'anonymous' });

  expect(await line.say('What do I owe you?')).toContain('I cannot see your invoices right now.');
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
