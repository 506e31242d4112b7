import { describe, expect, test } from 'vitest';
import type { CallEvent, IntegrationEvent, WebhookReceivedEvent } from '../../../src/observability/events.ts';
import { createRedactor, type RedactOptions } from '../../../src/observability/redaction/redactor.ts';

const call: CallEvent = {
  type: 'call',
  at: 1_763_712_000_000,
  api: 'billing',
  tenant: 'acct_1',
  callId: 'CA123',
  operation: 'billing.payments.create',
  attempts: 1,
  durationMs: 34,
  deadlineMs: 8_000,
  outcome: 'ok',
  status: 201,
  idempotencyKey: '0c1f6d1e-8a38-4c4b-9d0f-4242424242aa',
};

const webhook: WebhookReceivedEvent = {
  type: 'webhook-received',
  at: 1_763_712_000_000,
  api: 'webhooks',
  operation: 'webhooks.receive',
  direction: 'in',
  receiver: 'crm',
  outcome: 'handled',
  durationMs: 3,
  isSlow: false,
};

const redacted = <E extends IntegrationEvent>(
  event: E,
  options?: RedactOptions,
  secrets: readonly string[] = [],
): E => {
  const redactor = createRedactor(options);
  redactor.hide(secrets);
  return redactor.redact(event);
};

test('an event of codes and ids stays as it is', () => {
  expect(redacted(call)).toEqual(call);
  expect(redacted({ ...call, idempotencyKey: '4242424242424242' })).toEqual({
    ...call,
    idempotencyKey: '4242424242424242',
  });
});

test.each(['callId', 'tenant', 'idempotencyKey', 'requestId', 'eventId', 'toolCallId'])(
  'digits in %s that look like a card stay, since it is an id',
  (name) => {
    const event = { ...call, [name]: '4242424242424242', operation: 'pays 4242424242424242' };

    expect(redacted(event)).toEqual({ ...event, operation: 'pays ************4242' });
  },
);

test.each([
  ['status', 201],
  ['durationMs', 34],
  ['attempts', 1],
])('the number at the top of an event is masked where its name is one of yours: %s', (name, value) => {
  expect(redacted(call, { keys: [name] })).toEqual({ ...call, [name]: '[redacted]' });
  expect(redacted(call, { keys: ['other'] })).toMatchObject({ [name]: value });
});

test('a card that is in pieces over a list is masked in events, and their ids stay', () => {
  const messages = [
    { role: 'user', message: '4242 4242', callId: '4242424242424242' },
    { role: 'agent', message: 'yes' },
    { role: 'user', message: '4242 4242' },
  ];
  const event = { ...webhook, body: { transcript: messages } };

  expect(redacted(event).body).toEqual({
    transcript: [
      { role: 'user', message: '**** ****', callId: '4242424242424242' },
      { role: 'agent', message: 'yes' },
      { role: 'user', message: '**** 4242' },
    ],
  });
  expect(redacted(event, { personalData: false }).body).toEqual({ transcript: messages });
});

test('phone numbers and e-mail addresses leave ids, and the same id stays the same', () => {
  const twice = [1, 2].map(() =>
    redacted({ ...call, callId: 'call:+14155550100', idempotencyKey: 'ann@example.com:pay' }),
  );

  expect(twice).toEqual([1, 2].map(() => ({ ...call, callId: 'call:[phone]', idempotencyKey: '[email]:pay' })));
});

test('each of many secrets of the application is masked, however many those of requests are', () => {
  const own = Array.from({ length: 40 }, (_, index) => `own-secret-${index}-value`);
  const ofRequests = Array.from({ length: 40 }, (_, index) => `issued-token-${index}-value`);

  const { reason } = redacted({ ...webhook, reason: own.join(' ') }, { secrets: () => own }, ofRequests);

  expect(reason).toBe(own.map(() => '[secret]').join(' '));
});

test('a function for secrets that fails leaves those masked that it gave before, and breaks nothing', () => {
  let isClosed = false;
  const secrets = () => {
    if (isClosed) throw new Error('the vault is closed');
    isClosed = true;
    return ['s3cr3t-value'];
  };
  const redactor = createRedactor({ secrets });
  const events = [1, 2].map(() => redactor.redact({ ...webhook, reason: 'it is s3cr3t-value' }));

  expect(events.map(({ reason }) => reason)).toEqual(['it is [secret]', 'it is [secret]']);
});

test('ids of people are not shown as ids', () => {
  const body = { national_id: '123-45-6789', ssn_id: '078-05-1120', taxId: '12-3456789', caller_id: '4155550100' };
  const ids = { call_id: 'CA1', card_id: 'card_1' };

  expect(redacted({ ...webhook, body: { ...body, ...ids } }).body).toEqual({
    national_id: '[personal]',
    ssn_id: '[personal]',
    taxId: '[personal]',
    caller_id: '[personal]',
    ...ids,
  });
});

test('codes that open something are no codes to be shown', () => {
  const body = {
    security_code: 123,
    cvvCode: '123',
    otp_code: '482913',
    verificationCode: '482913',
    pin_code: 1234,
    access_code: 'x1y2',
    authorization_code: 'SplxlOBe',
    zip_code: '94107',
    postal_code: '94107',
    error_code: 'card_declined',
    status_code: 402,
  };

  expect(redacted({ ...webhook, body }).body).toEqual({
    security_code: '[secret]',
    cvvCode: '[secret]',
    otp_code: '[secret]',
    verificationCode: '[secret]',
    pin_code: '[secret]',
    access_code: '[secret]',
    authorization_code: '[secret]',
    zip_code: '[personal]',
    postal_code: '[personal]',
    error_code: 'card_declined',
    status_code: 402,
  });
});

describe('a secret', () => {
  test('that is known is masked wherever it appears', () => {
    const event = { ...call, callId: 's3cret-of-ours', error: { code: 'client_error', codes: ['no s3cret-of-ours'] } };

    expect(redacted(event, {}, ['s3cret-of-ours'])).toEqual({
      ...call,
      callId: '[secret]',
      error: { code: 'client_error', codes: ['no [secret]'] },
    });
  });

  test('of the application is asked for at each event', () => {
    const secrets = ['first-secret', 'second-secret'];
    const redactor = createRedactor({ secrets: () => secrets.splice(0, 1) });
    const events = ['first-secret', 'second-secret', 'first-secret'].map((callId) =>
      redactor.redact({ ...call, callId }),
    );

    expect(events.map(({ callId }) => callId)).toEqual(['[secret]', '[secret]', '[secret]']);
  });

  test.each([
    ['Bearer abc.def-123456', 'Bearer [secret]'],
    ['basic dXNlcjpwYXNzd29yZA==', 'basic [secret]'],
    ['got eyJhbGciOiJI.eyJzdWIi.c2ln back', 'got [secret] back'],
    ['sk_live_4eC39HqLyjWDarjt', '[secret]'],
    ['https://user:pass@example.com/x', 'https://[secret]@example.com/x'],
    ['/hook?token=abc123&id=1', '/hook?token=[secret]&id=1'],
    ['the token is wrong', 'the token is wrong'],
    ['messaging.contacts.get', 'messaging.contacts.get'],
  ])('is known by its look: %s', (text, expected) => {
    expect(redacted({ ...webhook, reason: text }).reason).toBe(expected);
    expect(redacted({ ...webhook, reason: text }, { personalData: false }).reason).toBe(expected);
  });

  test('is known by the name of its field in a body', () => {
    const body = {
      apiKey: 123_456,
      api_key: 'a',
      'client-secret': 'b',
      pin: 1234,
      token: null,
      shipping: 'c',
      state: 'd',
    };

    expect(redacted({ ...webhook, body }).body).toEqual({
      apiKey: '[secret]',
      api_key: '[secret]',
      'client-secret': '[secret]',
      pin: '[secret]',
      token: null,
      shipping: 'c',
      state: 'd',
    });
  });
});

describe('personal data', () => {
  const body = {
    id: 'c_1',
    phone: 123_456,
    dateOfBirth: '1980-02-03',
    card_number: 4242,
    email: '[text]',
    address: { street: 'Main', open: true },
    items: [{ 'work-email': 'a' }, { note: 'write to ann@example.com' }],
    'ann@example.com': 1,
  };

  test('is known by the name of its field and by its look', () => {
    expect(redacted({ ...webhook, body, source: 'ann@example.com', event: 'card 4242 4242 4242 4242' })).toEqual({
      ...webhook,
      source: '[email]',
      event: 'card **** **** **** 4242',
      body: {
        id: 'c_1',
        phone: '[personal]',
        dateOfBirth: '[personal]',
        card_number: '[personal]',
        email: '[text]',
        address: { street: '[personal]', open: true },
        items: [{ 'work-email': '[personal]' }, { note: 'write to [email]' }],
        '[email]': 1,
      },
    });
  });

  test('is left where that is asked for', () => {
    expect(redacted({ ...webhook, body, source: 'ann@example.com' }, { personalData: false })).toEqual({
      ...webhook,
      body,
      source: 'ann@example.com',
    });
  });
});

test('the application adds fields and patterns of its own', () => {
  const options: RedactOptions = { keys: ['accountNumber', 'source'], patterns: [/\bDE\d{4}\b/, /x\d/i] };
  const event = {
    ...webhook,
    source: '192.0.2.1',
    event: 'DE1234 and DE5678',
    eventId: 'X1',
    body: { account_number: 7 },
  };

  expect(redacted(event, options)).toEqual({
    ...webhook,
    source: '[redacted]',
    event: '[redacted] and [redacted]',
    eventId: '[redacted]',
    body: { account_number: '[redacted]' },
  });
});
