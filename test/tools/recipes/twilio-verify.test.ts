import { expect, test, vi } from 'vitest';
import { startPhoneCall } from '../../../src/index.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory/index.ts';
import { connectPlatform } from '../../support/connected-platform.ts';
import { startFakeTwilioVerify } from './fake-twilio-verify.ts';
import { twilioVerify } from '../../../examples/recipes/twilio-verify.ts';

const phone = '+14155550100';

const connect = async (options: Parameters<typeof startFakeTwilioVerify>[0] = {}) => {
  const twilio = await startFakeTwilioVerify(options);
  const { platform, clients } = await connectPlatform();
  platform.messaging.addContact({ name: 'Ada', phone, email: 'ada@northwind.example' });
  const errors: unknown[] = [];
  const { tools, caller } = startPhoneCall(clients, {
    callId: 'CA1',
    phone,
    store: createMemoryIdempotencyStore(),
    onError: (error) => errors.push(error),
    tools: { call: { verify: twilioVerify({ serviceSid: 'VA1', basic: () => 'a2V5', baseUrl: twilio.url }) } },
  });
  const run = async (name: string, args: object = {}) => (await tools.run(name, args)).value;
  await run('identify_caller');
  return {
    twilio,
    errors,
    caller,
    send: (args: object = {}) => run('send_verification_code', args),
    check: (code: string) => run('check_verification_code', { code }),
    [Symbol.asyncDispose]: async () => {
      await twilio[Symbol.asyncDispose]();
      await platform.close();
    },
  };
};

test('a code by text message is sent, checked and approved', async () => {
  await using account = await connect();

  expect(await account.send()).toMatchObject({ sent: true });
  expect(await account.check('four seven double two oh nine')).toEqual({ verified: true });
  expect(account.twilio.requests).toEqual([
    {
      path: '/v2/Services/VA1/Verifications',
      authorization: 'Basic a2V5',
      body: 'To=%2B14155550100&Channel=sms',
    },
    {
      path: '/v2/Services/VA1/VerificationCheck',
      authorization: 'Basic a2V5',
      body: 'To=%2B14155550100&Code=472209',
    },
  ]);
});

test('by e-mail, if the number is a landline', async () => {
  await using account = await connect({ landlines: [phone] });

  expect(await account.send()).toMatchObject({ error: 'landline' });
  expect(await account.send({ channel: 'email' })).toMatchObject({ sent: true });
  expect(await account.check('472209')).toEqual({ verified: true });
  expect(account.twilio.verifications).toMatchObject([{ to: 'ada@northwind.example', channel: 'email' }]);
});

test('a wrong code is no error, and after the third one the verification is canceled', async () => {
  await using account = await connect();
  await account.send();
  for (const left of [2, 1, 0]) expect(await account.check('111111')).toMatchObject({ tries_left: left });

  expect(account.twilio.verifications).toMatchObject([{ status: 'canceled', checks: 3 }]);
  expect(await account.check('472209')).toMatchObject({ reason: 'too_many_tries' });
  expect(account.errors).toEqual([]);
});

test('an approval whose answer is lost isn’t checked again: the next code is another one', async () => {
  await using account = await connect();
  await account.send();
  account.twilio.faults.push('lost');

  expect(await account.check('472209')).toMatchObject({ error: 'status_unknown' });
  expect(account.twilio.verifications).toMatchObject([{ status: 'approved', checks: 1 }]);
  await account.send();
  expect(await account.check('472210')).toEqual({ verified: true });
});

test('a code whose sending is unknown counts if it has arrived', async () => {
  await using account = await connect();
  account.twilio.faults.push('lost');

  expect(await account.send()).toMatchObject({ outcome: 'unknown' });
  expect(account.twilio.verifications).toHaveLength(1);
  expect(await account.check('472209')).toEqual({ verified: true });
});

test('a verification that Twilio has ended needs a new code', async () => {
  await using account = await connect();
  await account.send();
  for (const verification of account.twilio.verifications) verification.status = 'expired';

  expect(await account.check('472209')).toMatchObject({ reason: 'code_expired', tries_left: 2 });
  await account.send();
  expect(await account.check('472210')).toEqual({ verified: true });
});

test('Twilio’s limits of one verification aren’t waited for', async () => {
  await using account = await connect();
  await account.send();
  const [verification] = account.twilio.verifications;
  if (verification) verification.checks = 5;
  expect(await account.check('472209')).toMatchObject({ reason: 'code_expired' });
  if (verification) verification.sends = 5;

  expect(await account.send()).toMatchObject({ error: 'too_many_codes' });
  expect(account.twilio.requests).toHaveLength(3);
});

test.each(['down', 'rate'] as const)(
  'after a request that is certainly not done (%s) the code is sent',
  async (fault) => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    await using account = await connect();
    account.twilio.faults.push('rate');
    if (fault === 'down') account.twilio.faults.length = 0;

    expect(await account.send()).toMatchObject({ sent: true });
    vi.restoreAllMocks();
  },
);
