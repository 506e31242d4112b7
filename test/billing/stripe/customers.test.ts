import { describe, expect, test } from 'vitest';
import { searchQuery } from '../../../src/billing/stripe/customers.ts';
import { matcherOf } from '../../../src/testing/stripe/search.ts';
import { connectStripe, linesTo } from '../../support/connected-stripe.ts';
import fc from '../../support/fast-check.ts';

describe('a customer is found', () => {
  test('by e-mail, however it is capitalised', async () => {
    await using connected = await connectStripe();
    connected.platform.billing.addCustomer({ id: 'cus_1', email: 'Ada@example.com' });

    expect(await connected.billing.customers.find({ email: 'ada@example.com' })).toMatchObject({ id: 'cus_1' });
    expect(linesTo(connected)).toEqual(["GET /v1/customers/search?query=email:'ada@example.com'"]);
  });

  test.each(['+14155550100', '(415) 555-0100'])('by phone, where Stripe has it as %s', async (phone) => {
    await using connected = await connectStripe();
    connected.platform.billing.addCustomer({ id: 'cus_1', phone });

    expect(await connected.billing.customers.find({ phone: '+14155550100' })).toMatchObject({ id: 'cus_1' });
  });

  test('by e-mail at once, before the search knows them', async () => {
    await using connected = await connectStripe({ fake: { searchDelayMs: 60_000 } });
    const created = Math.floor(Date.now() / 1_000);
    connected.platform.billing.addCustomer({ id: 'cus_1', email: 'ada@example.com', phone: '+14155550100', created });

    expect(await connected.billing.customers.find({ email: 'ada@example.com' })).toMatchObject({ id: 'cus_1' });
    expect(await connected.billing.customers.find({ phone: '+14155550100' })).toBeUndefined();
    expect(linesTo(connected)[1]).toBe('GET /v1/customers?email=ada@example.com');
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
      code: 'unexpected_response',
    });
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
        const matches = matcherOf(searchQuery({ email }));

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
