import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createIntegration, type PhoneCallOptions, startPhoneCall } from '../../../src/index.ts';
import { InvalidArgumentError, StoreError } from '../../../src/core/errors.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory/index.ts';
import {
  billingTools,
  type CallerMessage,
  type MessageTemplate,
  messageTemplate,
  paymentPage,
  refused,
  type SendMessageOptions,
  type ToolContext,
} from '../../../src/tools/index.ts';
import { connectDebtor } from '../../support/connected-stripe.ts';
import { connectPlatform } from '../../support/connected-platform.ts';

const phone = '+14155550100';
const templates = {
  appointment: messageTemplate({
    description: 'day and time of the appointment',
    fields: z.object({ day: z.iso.date(), time: z.string().max(10), place: z.enum(['London', 'Leeds']).nullish() }),
    text: ({ day, time, place }) => `Your appointment: ${day}, ${time}${place ? ` in ${place}` : ''}. acme.example/a`,
  }),
  hours: messageTemplate({ text: () => 'We are there from 9 to 5.' }),
};

const connect = async (options: Partial<SendMessageOptions> = {}) => {
  const { platform, clients, clientOptions, ...rest } = await connectPlatform();
  const ada = platform.messaging.addContact({ name: 'Ada', phone, email: 'ada@northwind.example' });
  const store = createMemoryIdempotencyStore();
  const errors: unknown[] = [];
  const sent: CallerMessage[] = [];
  const desk = { onSend: undefined as ((context: ToolContext) => unknown) | undefined };
  const send = async (message: CallerMessage, context: ToolContext) => {
    sent.push(message);
    return (desk.onSend ? await desk.onSend(context) : 'accepted') as 'accepted';
  };
  const call = ({ withheld, ...own }: Partial<PhoneCallOptions> & { readonly withheld?: boolean } = {}) => {
    const phoneCall = startPhoneCall(clients, {
      callId: 'CA1',
      ...(withheld ? {} : { phone }),
      store,
      onError: (error) => errors.push(error),
      tools: { call: { sendMessage: { templates, send, ...options } } },
      ...own,
    });
    const run = async (name: string, args: object = {}) => (await phoneCall.tools.run(name, args)).value;
    return { phoneCall, run, write: (args: object) => run('send_message', args) };
  };
  return { platform, clientOptions, store, errors, sent, desk, send, call, ada, ...rest };
};

const hours = { template: 'hours' };

describe('a message', () => {
  test('has your words and the fields of the model, and goes to the number of the line', async () => {
    await using account = await connect();

    expect(
      await account.call().write({ template: 'appointment', day: '2027-01-31', time: '3 pm', place: null }),
    ).toEqual({
      accepted: true,
      sent_to: 'this number',
      message: 'It is on its way. Never say that it has arrived.',
    });
    expect(account.sent).toEqual([
      {
        template: 'appointment',
        to: phone,
        channel: 'phone',
        text: 'Your appointment: 2027-01-31, 3 pm. acme.example/a',
        fields: { day: '2027-01-31', time: '3 pm' },
        reference: expect.stringMatching(/^CA1:message:/),
      },
    ]);
  });

  test('is sent once per template and phone call, in all processes', async () => {
    await using account = await connect();
    await account.call().write({ template: 'appointment', day: '2027-01-31', time: '3 pm' });

    expect(await account.call().write({ template: 'appointment', day: '2027-02-01', time: '4 pm' })).toMatchObject({
      accepted: false,
      reason: 'already_sent',
    });
    expect(await account.call().write(hours)).toMatchObject({ accepted: true });
    expect(await account.call({ callId: 'CA2' }).write(hours)).toMatchObject({ accepted: true });
    expect(account.sent).toHaveLength(3);
  });

  test('is sent once even if all ask at one moment', async () => {
    await using account = await connect();
    const ends = await Promise.all(Array.from({ length: 8 }, () => account.call().write(hours)));

    expect(account.sent).toHaveLength(1);
    expect(ends.filter((end) => Object(end).accepted === true)).toHaveLength(1);
  });

  test('of one caller isn’t that of another under the same id', async () => {
    await using account = await connect();
    await account.call().write(hours);
    await account.call({ phone: '+14155550177' }).write(hours);

    expect(account.sent.map(({ to }) => to)).toEqual([phone, '+14155550177']);
  });

  test.each<[string, object]>([
    ['has no number', { withheld: true }],
    ['isn’t certain', { verified: 'no' }],
    ['has only said an address', { withheld: true, spoken: 'ada@northwind.example' }],
  ])('goes nowhere if the caller %s', async (_, { spoken, ...options }: { spoken?: string }) => {
    await using account = await connect();
    const { run, write } = account.call(options);
    if (spoken) await run('identify_caller', { email: spoken });

    expect(await write(hours)).toMatchObject({ error: 'not_allowed', reason: 'verification_required' });
    expect(account.sent).toEqual([]);
  });

  test('with requires: strong waits for the proof, and goes to what was proved', async () => {
    await using account = await connect({ requires: 'strong' });
    const verify = { sendCode: () => {}, checkCode: () => 'approved' as const };
    const { run, write } = account.call({
      withheld: true,
      tools: { call: { verify, sendMessage: { templates, send: account.send, requires: 'strong' } } },
    });
    await run('identify_caller', { email: 'ada@northwind.example' });
    expect(await write(hours)).toMatchObject({ reason: 'verification_required' });
    await run('send_verification_code', { channel: 'email' });
    await run('check_verification_code', { code: '472209' });

    expect(await write(hours)).toMatchObject({ accepted: true, sent_to: 'the proved e-mail address' });
    expect(account.sent).toMatchObject([{ to: 'ada@northwind.example', channel: 'email' }]);
  });

  test('never goes to a second person on the line', async () => {
    await using account = await connect();
    const { phoneCall, write } = account.call();
    phoneCall.verifyCaller('no');

    expect(await write(hours)).toMatchObject({ reason: 'verification_required' });
  });

  test.each<[string, object]>([
    ['an unknown template', { template: 'free_text', text: 'Hello' }],
    ['none', {}],
    ['a field of the wrong kind', { template: 'appointment', day: 'tomorrow', time: '3 pm' }],
    ['a field that is missing', { template: 'appointment', day: '2027-01-31' }],
    ['a link', { template: 'appointment', day: '2027-01-31', time: 'evil.io/x' }],
    ['another line', { template: 'appointment', day: '2027-01-31', time: '3\nHi' }],
    ['a hidden sign', { template: 'appointment', day: '2027-01-31', time: '3\u202Epm' }],
    ['a card number', { template: 'appointment', day: '4242 4242 4242 4242', time: '3 pm' }],
  ])('with %s isn’t sent', async (_, args) => {
    await using account = await connect();

    expect(await account.call().write(args)).toMatchObject({ error: 'invalid_arguments' });
    expect(account.sent).toEqual([]);
  });

  test.each([
    'https://evil.example',
    'www.evil.example',
    'evil.example',
    'go to evil.io/x now',
    'evil.com.',
    'ａ．co ev1l.co',
  ])('has no link of the model: %s', async (words) => {
    await using account = await connect({
      templates: { note: messageTemplate({ fields: z.object({ words: z.string() }), text: ({ words: own }) => own }) },
    });

    expect(await account.call().write({ template: 'note', words })).toMatchObject({ error: 'invalid_arguments' });
  });

  test('takes no words of yours that are none', async () => {
    const wrong = { hours: messageTemplate({ text: () => undefined as never }) };
    await using account = await connect({ templates: wrong });

    expect(await account.call().write(hours)).toMatchObject({ error: 'internal_error' });
    expect(account.sent).toEqual([]);
    expect(account.errors).toEqual([expect.any(InvalidArgumentError)]);
  });
});

describe('an end that isn’t known', () => {
  test('is shown as that, and the message isn’t sent again by any process', async () => {
    await using account = await connect();
    account.desk.onSend = () => Promise.reject(new TypeError('fetch failed'));

    expect(await account.call().write(hours)).toMatchObject({ error: 'status_unknown', outcome: 'unknown' });
    account.desk.onSend = undefined;
    expect(await account.call().write(hours)).toMatchObject({ reason: 'sent_perhaps' });
    expect(account.sent).toHaveLength(1);
    expect(account.errors).toHaveLength(1);
  });

  test('is that of a process that was killed', async () => {
    await using account = await connect();
    account.desk.onSend = () => new Promise(() => {});
    void account.call().phoneCall.tools.run('send_message', hours);
    await expect.poll(() => account.sent.length).toBe(1);

    expect(await account.call().write(hours)).toMatchObject({ reason: 'sent_perhaps' });
  });

  test('is that of a caller who hangs up in the middle', async () => {
    await using account = await connect();
    const line = new AbortController();
    account.desk.onSend = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        line.abort();
      });
    const { status } = await account.call().phoneCall.tools.run('send_message', hours, { signal: line.signal });

    expect(status).toBe('unknown');
    expect(await account.call().write(hours)).toMatchObject({ reason: 'sent_perhaps' });
  });

  test.each([['delivered'], [undefined], [true], [{ sid: 'SM1' }], ['Accepted'], [null]])(
    'is that of an answer that says something else: %j',
    async (answer) => {
      await using account = await connect();
      account.desk.onSend = () => answer;

      expect(await account.call().write(hours)).toMatchObject({ error: 'status_unknown' });
      expect(await account.call().write(hours)).toMatchObject({ reason: 'sent_perhaps' });
      expect(account.errors).toEqual([expect.any(InvalidArgumentError)]);
    },
  );

  test('isn’t that of what was certainly not sent', async () => {
    await using account = await connect();
    account.desk.onSend = () => Promise.reject(new StoreError('down'));
    expect(await account.call().write(hours)).toMatchObject({ error: 'temporarily_unavailable' });
    account.desk.onSend = () => refused({ error: 'landline' });
    expect(await account.call().write(hours)).toEqual({ error: 'landline' });
    account.desk.onSend = undefined;

    expect(await account.call().write(hours)).toMatchObject({ accepted: true });
  });
});

describe('an opt-out', () => {
  test('that the platform shows holds for every template of the phone call', async () => {
    await using account = await connect();
    account.desk.onSend = () => 'opted_out';
    const day = { template: 'appointment', day: '2027-01-31', time: '3 pm' };

    expect(await account.call().write(hours)).toMatchObject({ accepted: false, reason: 'opted_out' });
    expect(await account.call().write(day)).toMatchObject({ reason: 'opted_out' });
    expect(account.sent).toHaveLength(1);
  });

  test.each([
    ['messaging', { unsubscribed_from_emails: true }, undefined],
    ['the CRM', {}, { HasOptedOutOfEmail: true }],
  ])('from e-mails that %s shows is respected', async (_, inMessaging, inCrm) => {
    await using account = await connect({ channel: 'email' });
    account.platform.messaging.addContact({ name: 'Bo', email: 'bo@other.example', ...inMessaging });
    if (inCrm) account.platform.crm.addContact({ LastName: 'Bo', Email: 'bo@other.example', ...inCrm });
    const { write } = account.call({ email: 'bo@other.example' });

    expect(await write(hours)).toMatchObject({ reason: 'opted_out' });
    expect(account.sent).toEqual([]);
  });
});

describe('the page of an invoice', () => {
  const pay = async (caller: Partial<PhoneCallOptions> = {}) => {
    const connected = await connectDebtor();
    const { platform, billing } = connected;
    platform.billing.addCustomer({ id: 'cus_2', phone: '+14155550111', email: 'bob@example.com' });
    platform.billing.addInvoice({ id: 'in_2', customer_id: 'cus_2', amount: 10, currency: 'EUR' });
    platform.billing.addInvoice({
      id: 'in_3',
      customer_id: connected.payment.customer_id,
      amount: 20,
      currency: 'EUR',
    });
    const sent: CallerMessage[] = [];
    const { tools } = startPhoneCall(
      { billing },
      {
        callId: 'CA1',
        phone,
        ...caller,
        tools: {
          call: {
            sendMessage: {
              templates: { payment_page: paymentPage(({ url }) => `You can pay here: ${url}`) },
              send: (message) => {
                sent.push(message);
                return 'accepted';
              },
            },
          },
        },
      },
    );
    const send = async (invoice_id: string) =>
      (await tools.run('send_message', { template: 'payment_page', invoice_id })).value;
    return { ...connected, send, sent };
  };

  test('of the caller’s own open invoice is sent once for each', async () => {
    await using account = await pay();

    expect(await account.send('in_1')).toMatchObject({ accepted: true });
    expect(await account.send('in_1')).toMatchObject({ reason: 'already_sent' });
    expect(await account.send('in_3')).toMatchObject({ accepted: true });
    expect(account.sent[0]).toMatchObject({
      to: phone,
      fields: {},
      text: expect.stringMatching(/^You can pay here: https:\/\/invoice\.stripe\.com\//),
    });
  });

  test.each(['in_2', 'in_9', ''])('of invoice %j isn’t sent', async (id) => {
    await using account = await pay();

    expect(await account.send(id)).not.toMatchObject({ accepted: true });
    expect(account.sent).toEqual([]);
  });

  test('of a paid invoice isn’t sent', async () => {
    await using account = await pay();
    await account.billing.payments.create(account.payment);

    expect(await account.send('in_1')).toMatchObject({ accepted: false });
    expect(account.sent).toEqual([]);
  });

  test('of the customer whom the application named goes to the line', async () => {
    await using account = await pay({ customerId: 'cus_2' });

    expect([await account.send('in_1'), await account.send('in_2')]).toMatchObject([
      { accepted: false },
      { accepted: true },
    ]);
    expect(account.sent).toMatchObject([{ to: phone }]);
  });

  test('of a caller who isn’t certain isn’t sent', async () => {
    await using account = await pay({ verified: 'no', customerId: 'cus_2' });

    expect(await account.send('in_2')).toMatchObject({ error: 'not_allowed' });
  });
});

describe('what can’t work is refused when the integration is made', () => {
  const send = () => 'accepted' as const;
  const text = () => 'Hello';
  const number = messageTemplate({ fields: z.object({ day: z.number() }), text });
  test.each<[string, object, string]>([
    ['no send', { templates }, 'send'],
    ['no templates', { templates: {}, send }, 'templates'],
    ['a name that a model can’t write', { templates: { 'My text': templates.hours }, send }, 'templates.My text'],
    ['a template without words', { templates: { hours: {} }, send }, 'templates.hours.text'],
    ['a misspelt option', { templates: { hours: { text, field: 1 } }, send }, 'templates.hours.field'],
    [
      'one field with two meanings',
      { templates: { appointment: templates.appointment, number }, send },
      'templates.number.fields.day',
    ],
    [
      'a field with a name that’s taken',
      { templates: { a: messageTemplate({ fields: z.object({ template: z.string() }), text }) }, send },
      'templates.a.fields.template',
    ],
    ['a page without billing', { templates: { payment_page: paymentPage(text) }, send }, 'templates.payment_page'],
    ['a channel that isn’t one', { templates, send, channel: 'fax' }, 'channel'],
    ['a certainty that isn’t one', { templates, send, requires: 'very' }, 'requires'],
  ])('%s', async (_, sendMessage, field) => {
    await using account = await connectPlatform();
    const { messaging, crm } = account.clientOptions;

    expect(() =>
      createIntegration({
        messaging,
        crm,
        phoneCalls: { tools: { call: { sendMessage: sendMessage as SendMessageOptions } } },
      }),
    ).toThrow(expect.objectContaining({ field: `phoneCalls.tools.call.sendMessage.${field}` }));
  });

  test('and the old name of the page, with the new one', async () => {
    await using account = await connectPlatform();
    const old = { sendPaymentPage: async () => {} } as object;

    expect(() => createIntegration({ ...account.clientOptions, phoneCalls: { tools: { billing: old } } })).toThrow(
      /sendMessage: \{ templates: \{ payment_page: paymentPage/,
    );
    expect(() => billingTools({ billing: account.clients.billing, ...old })).toThrow(/paymentPage/);
  });
});

test('a model sees the templates and their fields, in other words too', async () => {
  await using account = await connect();
  const { phoneCall } = account.call({
    tools: {
      call: { sendMessage: { templates, send: account.send } },
      words: { send_message: { description: 'Envía un mensaje.', parameters: { day: 'El día.' } } },
    },
  });

  expect(phoneCall.tools.find('send_message')).toMatchObject({
    description: 'Envía un mensaje.',
    parameters: {
      properties: {
        template: { type: 'string', enum: ['appointment', 'hours'] },
        day: { type: 'string', description: expect.stringContaining('El día.') },
        time: { type: 'string', maxLength: 10 },
        place: { enum: ['London', 'Leeds'] },
      },
      required: ['template'],
    },
  });
});

test('templates are no place for a model’s own schema', () => {
  const template: MessageTemplate = templates.hours;

  expect(Object.keys(template)).toEqual(['text']);
});
