import { expect, test, vi } from 'vitest';
import { InvalidArgumentError } from '../../src/core/errors.ts';
import { createIntegration, startPhoneCall } from '../../src/index.ts';
import { bearer } from '../../src/auth/index.ts';
import { phoneReader } from '../../src/phone/index.ts';
import type { ErrorPlace } from '../../src/tools/on-error.ts';
import { createPlatformTools } from '../support/platform-tools.ts';
import { serve } from '../support/serve.ts';
import { vapi } from '../../src/tools/providers/vapi.ts';

const billing = {
  baseUrl: 'https://billing.example.com',
  authenticate: bearer(() => 't'),
  version: 'in-base-url',
} as const;

const start = (phone: string | null | undefined, readPhone?: (said: string) => string | undefined) => {
  const errors: { readonly error: unknown; readonly place: ErrorPlace }[] = [];
  const { startPhoneCall } = createIntegration({
    billing,
    readPhone,
    onError: (error, place) => errors.push({ error, place }),
  });
  const { caller } = startPhoneCall({ callId: 'CA1', direction: 'inbound', phone });
  return { caller, errors };
};

const noCountry =
  'the number of call CA1 has no country code, so the caller counts as unknown: ' +
  "give createIntegration readPhone: phoneReader({ defaultCountry: 'US' })";

test.each([
  '4155550100',
  '(415) 555-0100',
  '14155550100',
  'sip:4155550100@carrier.example',
  '"Ada" <sip:4155550100@x>',
])('%j is no number without readPhone, and the developer gets a message without it', (phone) => {
  const { caller, errors } = start(phone);

  expect(caller).toMatchObject({ phone: undefined, verified: 'no' });
  expect(errors).toMatchObject([{ error: { message: noCountry }, place: { part: 'phone-call', callId: 'CA1' } }]);
  expect(JSON.stringify(errors)).not.toContain('0100');
});

test.each(['4155550100', '(415) 555-0100', '1 415 555 0100', 'sip:4155550100@carrier.example', 'tel:415-555-0100'])(
  '%j is read by readPhone',
  (phone) => {
    const { caller, errors } = start(phone, phoneReader({ defaultCountry: 'US' }));

    expect(caller).toMatchObject({ phone: '+14155550100', verified: 'caller-id' });
    expect(errors).toEqual([]);
  },
);

test.each([
  ['030 12345678', 'DE', '+493012345678'],
  ['0044 20 7183 8750', 'DE', '+442071838750'],
  ['+44 (0)20 7183 8750', 'DE', '+442071838750'],
  ['+14155550100', 'DE', '+14155550100'],
])('%s is read in %s', (phone, defaultCountry, e164) => {
  expect(start(phone, phoneReader({ defaultCountry })).caller.phone).toBe(e164);
});

test.each(['anonymous', 'Restricted', '+266696687', '7378742833', 'client:alice', '911', '', null, undefined])(
  '%j is withheld, which no one has to know',
  (phone) => {
    const readPhone = vi.fn(phoneReader({ defaultCountry: 'US' }));
    const { caller, errors } = start(phone, readPhone);

    expect(caller).toMatchObject({ phone: undefined, verified: 'no' });
    expect([errors, readPhone.mock.calls]).toEqual([[], []]);
  },
);

test.each(['{{customer.number}}', '${from}', '<phone>', '[object Object]'])(
  'the placeholder %j is reported',
  (phone) => {
    const { caller, errors } = start(phone, phoneReader({ defaultCountry: 'US' }));

    expect(caller.phone).toBeUndefined();
    expect(errors).toMatchObject([
      {
        error: {
          message: 'the number of call CA1 is a placeholder that was never filled in, so the caller counts as unknown',
        },
      },
    ]);
  },
);

test.each<[string, (said: string) => unknown, string | undefined]>([
  ['throws', () => expect.fail('no'), 'readPhone threw an error: the caller of call CA1 counts as unknown'],
  ['returns a national number', (said) => said, wrongAnswer()],
  ['returns a short number', () => '+1911', wrongAnswer()],
  ['returns a withheld one', () => '+266696687', wrongAnswer()],
  ['returns a promise', async () => '+14155550100', wrongAnswer()],
  ['returns an object', () => ({ e164: '+14155550100' }), wrongAnswer()],
  ['returns null', () => null, undefined],
  ['returns undefined', () => undefined, undefined],
])('a readPhone that %s makes no caller', (_what, readPhone, message) => {
  const { caller, errors } = start('4155550100', readPhone as (said: string) => string | undefined);

  expect(caller).toMatchObject({ phone: undefined, verified: 'no' });
  expect(errors.map(({ error }) => (error as Error).message)).toEqual(message === undefined ? [] : [message]);
});

function wrongAnswer(): string {
  return 'readPhone must return a number in E.164, or undefined: the caller of call CA1 counts as unknown';
}

test('a phone call without an integration reads numbers too', () => {
  const onError = vi.fn();
  const call = { callId: 'CA1', direction: 'inbound', phone: '4155550100', onError } as const;

  expect(startPhoneCall({}, call).caller.phone).toBeUndefined();
  expect(startPhoneCall({}, { ...call, readPhone: phoneReader({ defaultCountry: 'US' }) }).caller.phone).toBe(
    '+14155550100',
  );
  expect(onError.mock.calls.map(([error]) => error.message)).toEqual([noCountry]);
});

test('one warning says it, without a listener', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  try {
    const { startPhoneCall } = createIntegration({ billing });
    for (const callId of ['CA1', 'CA2']) startPhoneCall({ callId, direction: 'inbound', phone: '4155550100' });

    expect(warned.mock.calls.map(([message]) => message)).toEqual([noCountry]);
  } finally {
    warned.mockRestore();
  }
});

test('a number that was not transmitted is not verified by it', () => {
  expect(
    startPhoneCall({}, { callId: 'CA1', direction: 'inbound', phone: 'anonymous', verified: 'caller-id' }).caller
      .verified,
  ).toBe('no');
  expect(
    startPhoneCall({}, { callId: 'CA1', direction: 'inbound', phone: 'anonymous', verified: 'strong' }).caller.verified,
  ).toBe('strong');
});

test.each([
  () => phoneReader({ defaultCountry: 'Germany' }),
  () => createIntegration({ billing, readPhone: 'US' as never }),
])('what can read no number is refused', (make) => {
  expect(make).toThrow(InvalidArgumentError);
});

test('a server for a platform leaves a number without a country to the phone call that its function starts', async () => {
  const errors: unknown[] = [];
  const integration = createIntegration({
    billing,
    readPhone: phoneReader({ defaultCountry: 'US' }),
    onError: (error) => errors.push(error),
  });
  const message = {
    type: 'tool-calls',
    call: { id: 'CA1', type: 'inboundPhoneCall', customer: { number: '(415) 555-0100' } },
    toolCallList: [{ id: '1', name: 'who_is_calling', arguments: {} }],
  };
  const callers: unknown[] = [];
  const toolbox = ({ callId, phone }: { callId: string; phone: string | undefined }) => {
    const phoneCall = integration.startPhoneCall({ callId, phone, direction: 'inbound' });
    callers.push(phoneCall.caller.phone);
    return phoneCall.tools;
  };
  const secret = () => 'vapi-secret';
  await using each = await serve(vapi.handler({ toolbox, secret, onError: (error) => errors.push(error) }));
  await each.post({ message }, { headers: { 'x-vapi-secret': 'vapi-secret' } });

  expect([callers, errors]).toEqual([['+14155550100'], []]);

  await using one = await serve(
    vapi.handler({ toolbox: createPlatformTools().toolbox, secret, onError: (error) => errors.push(error) }),
  );
  const { body } = await one.post({ message }, { headers: { 'x-vapi-secret': 'vapi-secret' } });

  expect(JSON.stringify(body)).toContain(String.raw`\"verified\":\"no\"`);
  expect(errors).toMatchObject([{ message: expect.stringContaining('the number of call CA1 has no country code') }]);
});
