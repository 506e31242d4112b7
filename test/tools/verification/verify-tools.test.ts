import { afterEach, describe, expect, test, vi } from 'vitest';
import { createIntegration, type PhoneCallOptions, startPhoneCall } from '../../../src/index.ts';
import { InvalidArgumentError, StoreError } from '../../../src/core/errors.ts';
import { subscribeToContents } from '../../../src/observability/emitter.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory/index.ts';
import { refused, type ToolContext } from '../../../src/tools/index.ts';
import type { VerifyByCode, VerificationOptions } from '../../../src/tools/verification/verify-options.ts';
import { connectPlatform } from '../../support/connected-platform.ts';

const phone = '+14155550100';
const spoken = 'four seven double two oh nine';

afterEach(() => vi.useRealTimers());

/** A desk that sends codes and checks them. Its answers can be replaced. */
interface Desk {
  readonly sent: { to: string; channel: string }[];
  readonly checks: { code: string; to: string; isLastTry: boolean }[];
  code: string;
  onSend: ((context: ToolContext) => unknown) | undefined;
  onCheck: ((context: ToolContext) => unknown) | undefined;
  readonly verify: VerifyByCode;
}

const createDesk = (): Desk => {
  const sent: { to: string; channel: string }[] = [];
  const checks: { code: string; to: string; isLastTry: boolean }[] = [];
  const desk: Desk = {
    sent,
    checks,
    code: '472209',
    onSend: undefined,
    onCheck: undefined,
    verify: {
      sendCode: async (code, context) => {
        sent.push(code);
        return (desk.onSend ? await desk.onSend(context) : { id: `VE${sent.length}` }) as { id: string };
      },
      checkCode: async ({ code, to, isLastTry }, context) => {
        checks.push({ code, to, isLastTry });
        return (desk.onCheck ? await desk.onCheck(context) : code === desk.code ? 'approved' : 'wrong') as 'approved';
      },
    },
  };
  return desk;
};

const connect = async ({ verify }: { readonly verify?: VerificationOptions } = {}) => {
  const { platform, clients, ...rest } = await connectPlatform();
  const ada = platform.messaging.addContact({ name: 'Ada', phone, email: 'ada@northwind.example' });
  const bo = platform.messaging.addContact({ name: 'Bo', phone: '+14155550177', email: 'bo@other.example' });
  platform.billing.addCustomer({ id: 'cus_ada', phone, email: 'ada@northwind.example' });
  platform.billing.addInvoice({ id: 'inv_1', customer_id: 'cus_ada', amount: 120.5 });
  platform.billing.addCustomer({ id: 'cus_bo', phone: '+14155550177', email: 'bo@other.example' });
  platform.billing.addInvoice({ id: 'inv_9', customer_id: 'cus_bo', amount: 999 });
  const desk = createDesk();
  const store = createMemoryIdempotencyStore();
  const errors: unknown[] = [];
  const call = (options: Partial<PhoneCallOptions> & { readonly withheld?: boolean } = {}) => {
    const { withheld, tools, ...own } = options;
    const phoneCall = startPhoneCall(clients, {
      callId: 'CA1',
      ...(withheld ? {} : { phone }),
      store,
      onError: (error) => errors.push(error),
      tools: { call: { verify: verify ?? desk.verify }, ...tools },
      ...own,
    });
    const run = async (name: string, args: object = {}) => (await phoneCall.tools.run(name, args)).value;
    return {
      phoneCall,
      run,
      identify: (args: object = {}) => run('identify_caller', args),
      send: (args: object = {}) => run('send_verification_code', args),
      check: (code = spoken) => run('check_verification_code', { code }),
    };
  };
  return { platform, clients, desk, store, errors, call, ada, bo, ...rest };
};

describe('a code', () => {
  test('goes to the number on file, and proves the caller in this phone call alone', async () => {
    await using account = await connect();
    const { phoneCall, identify, send, check } = account.call();
    await identify();

    expect(await send()).toEqual({ sent: true, sent_to: 'this number', valid_for_minutes: 10 });
    expect(account.desk.sent).toEqual([{ to: phone, channel: 'phone' }]);
    expect(phoneCall.caller.verified).toBe('caller-id');
    expect(await check()).toEqual({ verified: true });
    expect(account.desk.checks).toEqual([{ code: '472209', to: phone, isLastTry: false }]);
    expect(phoneCall.caller).toEqual({ phone, contactId: account.ada.id, verified: 'strong' });

    const next = account.call({ callId: 'CA2' });
    await next.identify();
    expect(next.phoneCall.caller.verified).toBe('caller-id');
  });

  test('may go to the address on file, which is then the caller’s', async () => {
    await using account = await connect();
    const { phoneCall, identify, send, check } = account.call();
    await identify();

    expect(await send({ channel: 'email' })).toMatchObject({ sent_to: 'the e-mail address on file' });
    await check();

    expect(account.desk.sent).toEqual([{ to: 'ada@northwind.example', channel: 'email' }]);
    expect(phoneCall.caller).toEqual({
      email: 'ada@northwind.example',
      contactId: account.ada.id,
      verified: 'strong',
    });
  });

  test('never goes to what was said: a stranger who names an address gets nothing', async () => {
    await using account = await connect();
    const { phoneCall, identify, send } = account.call({ phone: '+14155550199' });
    await identify({ email: 'ada@northwind.example' });

    expect(await send()).toMatchObject({ sent: true, sent_to: 'the number on file' });
    expect(account.desk.sent).toEqual([{ to: phone, channel: 'phone' }]);
    expect(phoneCall.caller.verified).toBe('no');
  });

  test('opens no other person’s records, and nothing that was only said', async () => {
    await using account = await connect();
    const { identify, send, check, run } = account.call({ withheld: true });
    await identify({ email: 'ada@northwind.example' });
    await send();
    await check();

    expect(await run('lookup_customer_invoices')).toMatchObject({ total_outstanding: 120.5 });
    expect(await run('lookup_customer_invoices', { email: 'bo@other.example' })).toMatchObject({
      error: 'invalid_arguments',
    });
    // The caller says to be someone else.
    await identify({ email: 'bo@other.example' });
    expect(await run('get_caller_context')).toMatchObject({ error: 'not_allowed' });
  });

  test('proves only the address that it went to: the rest of a contact may be made of words', async () => {
    await using account = await connect();
    account.platform.messaging.addContact({ name: 'Eve', phone: '+14155550155', email: 'bo@other.example' });
    const { identify, send, check, run } = account.call({ phone: '+14155550155' });
    await identify();
    await send({ channel: 'phone' });
    expect(await check()).toEqual({ verified: true });

    expect(JSON.stringify(await run('lookup_customer_invoices'))).not.toContain('999');
  });

  test('has three tries in a phone call, in all objects and processes together', async () => {
    await using account = await connect();
    const [one, two] = [account.call(), account.call()];
    await one.identify();
    await two.identify();
    await one.send();

    expect(await one.check('111111')).toMatchObject({ reason: 'wrong_code', tries_left: 2 });
    expect(await two.check('222222')).toMatchObject({ reason: 'wrong_code', tries_left: 1 });
    // Sending again doesn't renew them.
    await two.send();
    expect(await one.check('333333')).toMatchObject({ tries_left: 0, message: expect.stringContaining('colleague') });
    expect(account.desk.checks.map(({ isLastTry }) => isLastTry)).toEqual([false, false, true]);
    expect(await two.check()).toMatchObject({ reason: 'too_many_tries' });
    expect(await one.send()).toMatchObject({ reason: 'too_many_tries' });
    expect(account.desk.checks).toHaveLength(3);
  });

  test('has three tries even if they come at one moment', async () => {
    await using account = await connect();
    const calls = Array.from({ length: 8 }, () => account.call());
    await Promise.all(calls.map(({ identify }) => identify()));
    await calls[0]?.send();
    await Promise.all(calls.map(({ check }, index) => check(`10000${index}`)));

    expect(account.desk.checks).toHaveLength(3);
  });

  test('counts for ten minutes', async () => {
    await using account = await connect();
    const { identify, send, check } = account.call();
    await identify();
    await send();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 60_000 + 1 });

    expect(await check()).toMatchObject({ reason: 'code_expired' });
    expect(account.desk.checks).toEqual([]);
  });

  test('is asked for three times at most', async () => {
    await using account = await connect();
    const { identify, send } = account.call();
    await identify();
    for (let time = 0; time < 3; time += 1) expect(await send()).toMatchObject({ sent: true });

    expect(await send()).toMatchObject({ reason: 'too_many_codes' });
    expect(account.desk.sent).toHaveLength(3);
  });

  test.each([['four seven, no, four eight'], ['I have none'], ['472'], ['12345678901']])(
    '%j costs no try',
    async (said) => {
      await using account = await connect();
      const { identify, send, check } = account.call();
      await identify();
      await send();

      const answer = await check(said);
      expect(answer).toMatchObject({ error: 'invalid_arguments', fields: [{ field: 'code' }] });
      expect(JSON.stringify(answer)).not.toContain(said);
      expect(account.desk.checks).toEqual([]);
    },
  );

  test('of a contact that was made just now proves no more than its own number', async () => {
    await using account = await connect();
    const { identify, send } = account.call({ phone: '+14155550144' });
    await identify();
    await send();

    expect(account.desk.sent).toEqual([{ to: '+14155550144', channel: 'phone' }]);
  });

  test('goes to none of several contacts', async () => {
    await using account = await connect();
    account.platform.messaging.addContact({ name: 'A', phone: '+14155550133' });
    account.platform.messaging.addContact({ name: 'B', phone: '+14155550133' });
    const { identify, send } = account.call({ phone: '+14155550133' });
    await identify();

    expect(await send()).toMatchObject({ reason: 'identify_caller_first' });
    expect(account.desk.sent).toEqual([]);
  });

  test('is refused by your own reason, and costs nothing', async () => {
    await using account = await connect();
    account.desk.onSend = () => refused({ error: 'landline', message: 'Offer the e-mail address.' });
    const { identify, send } = account.call();
    await identify();

    for (let time = 0; time < 5; time += 1) expect(await send()).toMatchObject({ error: 'landline' });
    account.desk.onSend = undefined;
    expect(await send({ channel: 'email' })).toMatchObject({ sent: true });
  });
});

describe('an end that isn’t known', () => {
  test('of sending: the caller is asked whether it has arrived, and the code counts', async () => {
    await using account = await connect();
    account.desk.onSend = () => Promise.reject(new TypeError('fetch failed'));
    const { identify, send, check } = account.call();
    await identify();

    expect(await send()).toMatchObject({ outcome: 'unknown', next: 'Ask the caller whether it has arrived.' });
    expect(await check()).toEqual({ verified: true });
    expect(account.errors).toHaveLength(1);
  });

  test('of a check: it isn’t repeated, and a new code is needed', async () => {
    await using account = await connect();
    account.desk.onCheck = () => Promise.reject(new TypeError('fetch failed'));
    const { identify, send, check, phoneCall } = account.call();
    await identify();
    await send();

    expect(await check()).toMatchObject({ verified: false, error: 'status_unknown', outcome: 'unknown' });
    account.desk.onCheck = undefined;
    expect(await check()).toMatchObject({ reason: 'send_a_code_first' });
    expect(account.desk.checks).toHaveLength(1);
    expect(phoneCall.caller.verified).toBe('caller-id');
    await send();
    expect(await check()).toEqual({ verified: true });
  });

  test('of nothing: what was certainly not asked costs no try', async () => {
    await using account = await connect();
    account.desk.onCheck = () => Promise.reject(new StoreError('the desk is down'));
    const { identify, send, check } = account.call();
    await identify();
    await send();
    for (let time = 0; time < 5; time += 1) expect(await check()).toMatchObject({ error: 'temporarily_unavailable' });
    account.desk.onCheck = undefined;

    expect(await check()).toEqual({ verified: true });
  });

  test.each([['ok'], [true], [{ status: 'approved' }], [null], [undefined], ['Approved'], [1]])(
    'of a lying API: %j is no approval, and each counts as a try',
    async (answer) => {
      await using account = await connect();
      account.desk.onCheck = () => answer;
      const { identify, send, check, phoneCall } = account.call();
      await identify();
      for (let time = 0; time < 3; time += 1) {
        await send();
        expect(await check()).toMatchObject({ verified: false, error: 'status_unknown' });
      }

      expect(await check()).toMatchObject({ reason: 'too_many_tries' });
      expect(phoneCall.caller.verified).toBe('caller-id');
      expect(account.errors[0]).toBeInstanceOf(InvalidArgumentError);
    },
  );

  test('of a lying record: the answer about another contact sends no code', async () => {
    await using account = await connect();
    const { identify, send } = account.call();
    await identify();
    vi.spyOn(account.clients.messaging.contacts, 'get').mockResolvedValue(account.bo as never);

    expect(await send()).toMatchObject({ reason: 'nothing_on_file' });
    expect(account.desk.sent).toEqual([]);
  });
});

describe('the proof holds for one caller', () => {
  const proved = async (options: Partial<PhoneCallOptions> & { readonly withheld?: boolean } = {}) => {
    const account = await connect();
    const first = account.call(options);
    await first.identify(options.withheld ? { email: 'ada@northwind.example' } : {});
    await first.send();
    expect(await first.check()).toEqual({ verified: true });
    return { account, first };
  };

  test('in every object and process of the phone call', async () => {
    const { account } = await proved();
    await using _ = account;
    const other = account.call();

    expect(await other.run('get_caller_context')).toMatchObject({ name: 'Ada' });
    expect(other.phoneCall.caller).toEqual({ phone, contactId: account.ada.id, verified: 'strong' });
    expect(await other.send()).toEqual({ verified: true });
    expect(account.desk.sent).toHaveLength(1);
  });

  test('and not for another number under the same id', async () => {
    const { account } = await proved();
    await using _ = account;
    const other = account.call({ phone: '+14155550177' });
    await other.identify();

    expect(other.phoneCall.caller.verified).toBe('caller-id');
    expect(await other.check()).toMatchObject({ reason: 'send_a_code_first' });
  });

  test('and not for a second person on the line, in any process', async () => {
    const { account, first } = await proved();
    await using _ = account;
    const other = account.call();
    await other.run('get_caller_context');
    expect(other.phoneCall.caller.verified).toBe('strong');

    first.phoneCall.verifyCaller('no');
    expect(await first.run('lookup_customer_invoices')).toMatchObject({ error: 'not_allowed' });
    await other.run('get_caller_context');
    expect(other.phoneCall.caller.verified).toBe('caller-id');
  });

  test('and not for a second person who reads out the first one’s code', async () => {
    await using account = await connect();
    const { identify, send, check, phoneCall } = account.call();
    await identify();
    await send();
    phoneCall.verifyCaller('no');

    expect(await check()).toMatchObject({ reason: 'send_a_code_first' });
  });

  test('and not if the second person takes the phone while the code is checked', async () => {
    await using account = await connect();
    const { identify, send, check, phoneCall } = account.call();
    account.desk.onCheck = () => {
      phoneCall.verifyCaller('no');
      return new Promise((resolve) => setImmediate(resolve, 'approved'));
    };
    await identify();
    await send();

    expect(await check()).toMatchObject({ verified: false, reason: 'code_expired' });
    expect(phoneCall.caller.verified).toBe('no');
  });

  test('and not for a caller who says to be another person after the code was sent', async () => {
    await using account = await connect();
    const { identify, send, check } = account.call({ withheld: true });
    await identify({ email: 'ada@northwind.example' });
    await send();
    await identify({ email: 'bo@other.example' });

    expect(await check()).toMatchObject({ reason: 'send_a_code_first' });
  });

  test('and without a number in the object that checked it alone', async () => {
    const { account, first } = await proved({ withheld: true });
    await using _ = account;
    const other = account.call({ withheld: true });
    await other.identify({ email: 'ada@northwind.example' });

    expect(first.phoneCall.caller).toEqual({ phone, contactId: account.ada.id, verified: 'strong' });
    expect(other.phoneCall.caller.verified).toBe('no');
  });

  test('and not while the store is down', async () => {
    const { account } = await proved();
    await using _ = account;
    const other = account.call();
    vi.spyOn(account.store, 'read').mockRejectedValue(new StoreError('down'));
    await other.run('get_caller_context');

    expect(other.phoneCall.caller.verified).toBe('caller-id');
    expect(account.errors).toEqual([expect.any(StoreError)]);
  });

  test('also after the caller has hung up in the middle: a later phone call begins again', async () => {
    await using account = await connect();
    const { identify, send, phoneCall } = account.call();
    const line = new AbortController();
    account.desk.onCheck = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        line.abort();
      });
    await identify();
    await send();
    const { status } = await phoneCall.tools.run('check_verification_code', { code: spoken }, { signal: line.signal });

    expect(status).toBe('unknown');
    expect(phoneCall.caller.verified).toBe('caller-id');
    expect(await account.call({ callId: 'CA2' }).check()).toMatchObject({ error: 'not_verified' });
  });
});

describe('a code or an answer is written down nowhere', () => {
  test('neither in events, contents, errors, notes nor the records of the call', async () => {
    await using account = await connect();
    const seen: unknown[] = [];
    const stop = subscribeToContents((event, contents) => seen.push({ event, contents }));
    account.desk.onCheck = () => Promise.reject(new Error('code 472209 can’t be checked'));
    const { identify, send, check, run, phoneCall } = account.call({
      tools: { onEvent: (event) => seen.push(event), call: { verify: account.desk.verify } },
    });
    await identify();
    await send();
    phoneCall.said('Read it to me.');
    phoneCall.heard('It is four seven double two oh nine.');
    seen.push(await check());
    seen.push(await run('add_note', { text: 'Code 472209 was given, 47 22 09.' }));
    await phoneCall.finish({ outcome: 'resolved', summary: 'The caller read out 472209.' });
    stop();

    const written = JSON.stringify([account.platform.messaging.conversations, account.platform.requests]);
    for (const text of [JSON.stringify(seen), String(account.errors), written]) {
      expect(text).not.toMatch(/4\W?7\W?2\W?2\W?0\W?9/);
      expect(text).not.toContain('double two');
    }
    expect(written).toContain('The caller read out ******.');
  });

  test('by a process that did not check it, either', async () => {
    await using account = await connect();
    const first = account.call();
    await first.identify();
    await first.send();
    await first.check();
    await account.call().phoneCall.finish({ transcript: 'Caller: 47 22 09, and my invoice is 120.50.' });

    expect(JSON.stringify(account.platform.requests)).toContain('Caller: ** ** **, and my invoice is 120.50.');
  });
});

describe('questions', () => {
  const questions = (seen: unknown[] = []): VerificationOptions => ({
    questions: [
      {
        ask: 'What is your postal code?',
        check: (answer, person) => {
          seen.push(person);
          return answer.replaceAll(/\D/g, '') === '94107';
        },
      },
      { ask: 'In which city were you born?', check: async (answer) => answer.toLowerCase() === 'lisbon' },
    ],
  });

  test('are asked in order, and all have to be answered', async () => {
    const seen: unknown[] = [];
    await using account = await connect({ verify: questions(seen) });
    const { identify, run, phoneCall } = account.call();
    const answer = (text: string) => run('check_security_answer', { answer: text });
    await identify();

    expect(await run('ask_security_question')).toEqual({ question: 'What is your postal code?', tries_left: 3 });
    expect(await answer('94107')).toMatchObject({ right: true });
    expect(await run('ask_security_question')).toMatchObject({ question: 'In which city were you born?' });
    const wrong = await answer('Porto');
    expect(wrong).toMatchObject({ reason: 'wrong_answer', tries_left: 2 });
    expect(JSON.stringify(wrong)).not.toMatch(/lisbon|porto/i);
    expect(phoneCall.caller.verified).toBe('caller-id');
    expect(await answer('Lisbon')).toEqual({ verified: true });
    expect(phoneCall.caller).toEqual({ phone, contactId: account.ada.id, verified: 'strong' });
    expect(seen).toEqual([{ phone, contactId: account.ada.id }]);
    await phoneCall.finish({ summary: 'Born in Lisbon, lives at 94107.' });
    expect(JSON.stringify(account.platform.requests)).not.toMatch(/lisbon|94107/i);
  });

  test('have three tries, and anything but true is no yes', async () => {
    await using account = await connect({
      verify: { questions: [{ ask: 'Your city?', check: () => 'yes' as never }] },
    });
    const { identify, run, phoneCall } = account.call();
    await identify();
    for (let time = 0; time < 3; time += 1)
      expect(await run('check_security_answer', { answer: 'Lisbon' })).toMatchObject({ verified: false });

    expect(await run('check_security_answer', { answer: 'Lisbon' })).toMatchObject({ reason: 'too_many_tries' });
    expect(await run('ask_security_question')).toMatchObject({ reason: 'too_many_tries' });
    expect(phoneCall.caller.verified).toBe('caller-id');
  });

  test('are about the person whom the caller named, if the number is another one’s', async () => {
    const seen: unknown[] = [];
    await using account = await connect({ verify: questions(seen) });
    const { identify, run } = account.call({ phone: '+14155550199' });
    await identify({ email: 'ada@northwind.example' });
    await run('check_security_answer', { answer: '94107' });

    expect(seen).toEqual([{ email: 'ada@northwind.example', contactId: account.ada.id }]);
  });
});

describe('what is on file', () => {
  test('is your own word for it with record', async () => {
    const desk = createDesk();
    const record = vi.fn(async () => ({ email: 'ada@own.example' }));
    await using account = await connect({ verify: { ...desk.verify, record } });
    const { send, check, phoneCall } = account.call();

    expect(await send()).toMatchObject({ sent_to: 'the e-mail address on file' });
    expect(await check()).toEqual({ verified: true });
    expect(phoneCall.caller).toEqual({ email: 'ada@own.example', verified: 'strong' });
  });

  test('is the customer’s, if the application names one, and their contact has to agree', async () => {
    await using account = await connect();
    const agreed = account.call({ customerId: 'cus_ada' });
    await agreed.identify();
    expect(await agreed.send()).toMatchObject({ sent: true });

    const other = account.call({ callId: 'CA2', customerId: 'cus_bo' });
    await other.identify();
    expect(await other.send()).toMatchObject({ reason: 'nothing_on_file' });
  });
});

test.each<[string, object, string]>([
  ['neither way', {}, 'verify.sendCode'],
  ['half a way', { sendCode: () => {} }, 'verify.checkCode'],
  ['both ways', { ...createDesk().verify, questions: [{ ask: 'a', check: () => true }] }, 'verify'],
  ['no question', { questions: [] }, 'verify.questions'],
  ['a misspelt option', { ...createDesk().verify, chekCode: () => {} }, 'verify.chekCode'],
])('%s is refused when the integration is made', async (_, verify, field) => {
  await using account = await connectPlatform();

  expect(() =>
    createIntegration({
      ...account.clientOptions,
      phoneCalls: { tools: { call: { verify: verify as VerificationOptions } } },
    }),
  ).toThrow(expect.objectContaining({ field: `phoneCalls.tools.call.${field}` }));
});

test('a phone call without verify has none of the tools, and its tools read no proof', async () => {
  await using account = await connectPlatform();
  const { tools } = startPhoneCall(account.clients, { callId: 'CA1', phone });

  expect(tools.tools().filter(({ name }) => /verification|security/.test(name))).toEqual([]);
});
