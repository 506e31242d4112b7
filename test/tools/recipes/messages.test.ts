import { describe, expect, onTestFinished, test } from 'vitest';
import { startPhoneCall } from '../../../src/index.ts';
import type { MessagingClient } from '../../../src/messaging/index.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory/index.ts';
import { messageTemplate, type SendMessageOptions } from '../../../src/tools/index.ts';
import { connectIntercom } from '../../support/connected-intercom.ts';
import { connectZendesk } from '../../support/connected-zendesk.ts';
import { startFakeTexts } from './fake-texts.ts';
import { messageByReply } from '../../../examples/recipes/message-by-reply.ts';
import { telnyxMessages } from '../../../examples/recipes/telnyx-messages.ts';
import { twilioMessages } from '../../../examples/recipes/twilio-messages.ts';

const phone = '+14155550100';
const templates = { hours: messageTemplate({ text: () => 'We are there from 9 to 5.' }) };

const startCall = (send: SendMessageOptions['send'], messaging?: MessagingClient) => {
  const store = createMemoryIdempotencyStore();
  const errors: unknown[] = [];
  const start = () =>
    startPhoneCall(messaging ? { messaging } : {}, {
      callId: 'CA1',
      phone,
      store,
      onError: (error) => errors.push(error),
      tools: { call: { sendMessage: { templates, send } } },
    });
  const { tools } = start();
  return {
    errors,
    start,
    run: async (name: string, args: object = {}) => (await tools.run(name, args)).value,
    write: async (from = tools) => (await from.run('send_message', { template: 'hours' })).value,
  };
};

describe.each([
  [
    'Twilio',
    (url: string) =>
      twilioMessages({ accountSid: 'AC1', from: '+14155550000', basic: () => 'a2V5', baseUrl: `${url}/2010-04-01` }),
    { path: '/2010-04-01/Accounts/AC1/Messages.json', authorization: 'Basic a2V5' },
  ],
  [
    'Telnyx',
    (url: string) => telnyxMessages({ from: '+14155550000', key: () => 'KEY1', baseUrl: `${url}/v2` }),
    { path: '/v2/messages', authorization: 'Bearer KEY1' },
  ],
])('a text message by %s', (name, sender, request) => {
  const connect = async () => {
    const server = await startFakeTexts();
    onTestFinished(() => server[Symbol.asyncDispose]());
    return { server, ...startCall(sender(server.url)) };
  };

  test('is accepted', async () => {
    const { server, write } = await connect();

    expect(await write()).toMatchObject({ accepted: true, sent_to: 'this number' });
    expect(server.texts).toEqual([{ to: phone, from: '+14155550000', body: 'We are there from 9 to 5.' }]);
    expect(server.requests).toEqual([request]);
  });

  test('whose answer is lost isn’t sent again', async () => {
    const { server, write, start, errors } = await connect();
    server.faults.push('lost');

    expect(await write()).toMatchObject({ error: 'status_unknown' });
    expect(await write(start().tools)).toMatchObject({ reason: 'sent_perhaps' });
    expect(server.texts).toHaveLength(1);
    expect(errors).toHaveLength(1);
  });

  test('is for no one who has sent STOP', async () => {
    const { server, write, errors } = await connect();
    server.faults.push('stopped');

    expect(await write()).toMatchObject({ accepted: false, reason: 'opted_out' });
    expect(await write()).toMatchObject({ reason: 'opted_out' });
    expect(server.requests).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  test('to a landline is refused, and may be tried again', async () => {
    const { server, write } = await connect();
    server.faults.push('landline');

    expect(await write()).toMatchObject({ error: name === 'Twilio' ? 'no_mobile_number' : 'client_error' });
    expect(await write()).toMatchObject({ accepted: true });
  });
});

describe('a reply in the conversation of the phone call', () => {
  test('by Intercom is sent to its contact, once', async () => {
    await using account = await connectIntercom();
    account.platform.messaging.addContact({ name: 'Ada', phone });
    const { run, write } = startCall(messageByReply(account.client), account.client);
    expect(await write()).toMatchObject({ error: 'no_conversation' });
    await run('identify_caller');
    await run('add_note', { text: 'Asked for the hours.' });

    expect(await write()).toMatchObject({ accepted: true });
    expect(await write()).toMatchObject({ reason: 'already_sent' });
    const replies = account.platform.requests.filter(({ path }) => path.endsWith('/reply'));
    expect(replies.map(({ body }) => Object(body).message_type as string)).toEqual(['note', 'comment']);
    expect(replies[1]?.body).toMatchObject({ body: 'We are there from 9 to 5.' });
  });

  test('by Zendesk is a public comment on its ticket', async () => {
    await using account = await connectZendesk();
    account.platform.messaging.addContact({ name: 'Ada', phone });
    const client = account.another();
    const { run, write } = startCall(messageByReply(client), client);
    await run('identify_caller');
    await run('add_note', { text: 'Asked for the hours.' });

    expect(await write()).toMatchObject({ accepted: true });
    expect(JSON.stringify(account.platform.requests)).toContain('We are there from 9 to 5.');
  });
});
