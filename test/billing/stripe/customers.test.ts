import { describe, expect, test } from 'vitest';
import { searchQueries } from '../../../src/billing/stripe/customers.ts';
import type { StripeOptions } from '../../../src/billing/stripe/index.ts';
import { billingTools, createToolbox, type ToolCaller } from '../../../src/tools/index.ts';
import { matcherOf } from '../../../src/dev/testing/stripe/endpoints.ts';
import { connectStripe, linesTo } from '../../support/connected-stripe.ts';
import fc from '../../support/fast-check.ts';

describe('a customer is found', () => {
  test('by e-mail, however it is capitalised', async () => {
    await using connected = await connectStripe();
    connected.platform.billing.addCustomer({ id: 'cus_1', email: 'Ada@example.com' });

    expect(await connected.billing.customers.find({ email: 'ada@example.com' })).toMatchObject({ id: 'cus_1' });
    expect(linesTo(connected)).toEqual(["GET /v1/customers/search?query=email:'ada@example.com'&limit=100"]);
  });

  test.each([
    '+14155550100',
    '(415) 555-0100',
    '+1 (415) 555-0100',
    '+1 415-555-0100',
    '1-415-555-0100',
    '0014155550100',
    '+1.415.555.0100',
    '1 (415) 555-0100',
  ])('by phone, where Stripe has it as %s', async (phone) => {
    await using connected = await connectStripe();
    connected.platform.billing.addCustomer({ id: 'cus_1', phone });

    expect(await connected.billing.customers.find({ phone: '+14155550100' })).toMatchObject({ id: 'cus_1' });
  });

  test.each([
    ['+5511987654321', '11 98765-4321'],
    ['+5511987654321', '+55 (11) 8765-4321'],
    ['+447911123456', '07911 123456'],
    ['+33123456789', '01.23.45.67.89'],
  ])('by %s, where Stripe has it as %s', async (e164, phone) => {
    await using connected = await connectStripe();
    connected.platform.billing.addCustomer({ id: 'cus_1', phone });
    connected.platform.billing.addCustomer({ id: 'cus_2', phone: '11 98765-4322' });

    expect(await connected.billing.customers.find({ phone: e164 })).toMatchObject({ id: 'cus_1' });
  });

  test('by e-mail at once, before the search knows them', async () => {
    await using connected = await connectStripe({ fake: { searchDelayMs: 60_000 } });
    const created = Math.floor(Date.now() / 1_000);
    connected.platform.billing.addCustomer({ id: 'cus_1', email: 'ada@example.com', phone: '+14155550100', created });

    expect(await connected.billing.customers.find({ email: 'ada@example.com' })).toMatchObject({ id: 'cus_1' });
    expect(await connected.billing.customers.find({ phone: '+14155550100' })).toBeUndefined();
    expect(linesTo(connected)[1]).toBe('GET /v1/customers?email=ada@example.com&limit=100');
  });

  test('who was there before the test, by a search too', async () => {
    await using connected = await connectStripe({ fake: { searchDelayMs: 60_000 } });
    connected.platform.billing.addCustomer({ id: 'cus_1', phone: '+14155550100' });

    expect(await connected.billing.customers.find({ phone: '+14155550100' })).toMatchObject({ id: 'cus_1' });
  });

  test('only when both are theirs, where both are given', async () => {
    await using connected = await connectStripe();
    connected.platform.billing.addCustomer({ email: 'ada@example.com', phone: '+14155550100' });
    const { customers } = connected.billing;

    expect(await customers.find({ email: 'ada@example.com', phone: '+14155550199' })).toBeUndefined();
    expect(await customers.find({ email: 'ada@example.com', phone: '+14155550100' })).toBeDefined();
  });

  test('never at random: two who share an e-mail are an error', async () => {
    await using connected = await connectStripe();
    connected.platform.billing.addCustomer({ email: 'ada@example.com' });
    connected.platform.billing.addCustomer({ email: 'ada@example.com' });

    await expect(connected.billing.customers.find({ email: 'ada@example.com' })).rejects.toMatchObject({
      code: 'ambiguous',
      count: 2,
    });
  });

  test('never at random, however their one number is written', async () => {
    await using connected = await connectStripe();
    connected.platform.billing.addCustomer({ phone: '+14155550100' });
    connected.platform.billing.addCustomer({ phone: '+1.415.555.0100' });

    await expect(connected.billing.customers.find({ phone: '+14155550100' })).rejects.toMatchObject({ count: 2 });
  });

  test('by choose, of several', async () => {
    const choose: StripeOptions['choose'] = (customers) => customers.find(({ name }) => name === 'Ada');
    await using connected = await connectStripe({ preset: { choose } });
    connected.platform.billing.addCustomer({ name: 'Bob', email: 'shared@example.com' });
    connected.platform.billing.addCustomer({ id: 'cus_2', name: 'Ada', email: 'shared@example.com' });

    expect(await connected.billing.customers.find({ email: 'shared@example.com' })).toMatchObject({ id: 'cus_2' });
  });

  test('not by choose, where more match than one page has', async () => {
    await using connected = await connectStripe({ preset: { choose: (customers) => customers[0] } });
    for (let count = 0; count < 101; count += 1) connected.platform.billing.addCustomer({ email: 'ada@example.com' });

    await expect(connected.billing.customers.find({ email: 'ada@example.com' })).rejects.toMatchObject({ count: 100 });
  });

  test('by the model only with help, where several share the details', async () => {
    await using connected = await connectStripe();
    connected.platform.billing.addCustomer({ email: 'shared@example.com', phone: '+14155550100' });
    connected.platform.billing.addCustomer({ email: 'shared@example.com', phone: '+14155550100' });
    const errors: unknown[] = [];
    const { billing } = connected;
    const run = async (options: Partial<Parameters<typeof billingTools>[0]>, caller: ToolCaller) => {
      const tools = billingTools({ billing, payments: false, ...options });
      const toolbox = createToolbox({
        tools,
        context: { callId: 'CA1', caller },
        onError: (error) => errors.push(error),
      });
      const { status, value } = await toolbox.run('lookup_customer_invoices', {});
      return { status, ...Object(value) };
    };
    const refused = { status: 'refused', error: 'not_allowed', reason: 'several_customers_match', matches: 2 };
    const caller: ToolCaller = { phone: '+14155550100', verified: 'caller-id' };

    expect(await run({}, caller)).toEqual({ ...refused, message: expect.stringMatching(/offer a colleague/) });
    const byEmail = await run({}, { ...caller, email: 'shared@example.com' });
    expect(byEmail).toEqual({ ...refused, message: expect.stringMatching(/offer a colleague/) });
    expect(await run({ lookup: 'anyone' }, caller)).toMatchObject({ message: expect.stringMatching(/e-mail address/) });
    expect(errors).toEqual([]);
  });

  test('by id, and one who was deleted is none', async () => {
    await using connected = await connectStripe();
    connected.platform.billing.addCustomer({ id: 'cus_1' });
    // The store of the fake keeps whatever a record holds.
    connected.platform.billing.addCustomer({ id: 'cus_2', deleted: true } as object);

    expect(await connected.billing.customers.get('cus_1')).toMatchObject({ id: 'cus_1', object: 'customer' });
    expect(await connected.billing.customers.get('cus_2')).toBeUndefined();
    expect(await connected.billing.customers.get('cus_3')).toBeUndefined();
  });
});

describe('whatever an e-mail holds', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      "x' OR email~'example",
      String.raw`\' OR email~'example`,
      String.raw`\\' OR name~'a`,
      "'",
      '\\',
      '"',
      '\n',
    ),
  );

  test('it stays one value of the search', () => {
    fc.assert(
      fc.property(texts, texts, (email, other) => {
        const matches = matcherOf(searchQueries({ email })[0] ?? '');

        expect(matches({ name: other, email, phone: other })).toBe(true);
        expect(matches({ name: other, email: other, phone: other })).toBe(other.toLowerCase() === email.toLowerCase());
      }),
      { numRuns: 2_000 },
    );
  });

  test('a name with an apostrophe is found', async () => {
    await using connected = await connectStripe();
    connected.platform.billing.addCustomer({ id: 'cus_1', email: "o'brien@example.com" });

    expect(await connected.billing.customers.find({ email: "o'brien@example.com" })).toMatchObject({ id: 'cus_1' });
  });
});
