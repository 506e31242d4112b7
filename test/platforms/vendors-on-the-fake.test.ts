import { IntercomClient } from 'intercom-client';
import { Connection } from 'jsforce';
import Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { createBillingClient } from '../../src/billing/index.ts';
import { stripe, stripeSignature } from '../../src/billing/stripe/index.ts';
import { searchQueries } from '../../src/billing/stripe/customers.ts';
import { createCrmClient, idOf, where } from '../../src/crm/index.ts';
import { salesforce } from '../../src/crm/salesforce/index.ts';
import {
  createFakePlatform,
  type FakePlatform,
  type FakePlatformOptions,
  type FakeStripeOptions,
  signedWebhook,
  testConnectedApp,
  testCredentials,
} from '../../src/dev/testing/index.ts';
import { verifySignature } from '../../src/webhooks/index.ts';

describe('jsforce works with the fake org', () => {
  const connect = async (crm: FakePlatformOptions['crm'] = 'salesforce') => {
    const platform = createFakePlatform({ crm });
    const { crm: instanceUrl } = await platform.listen();
    const open = (accessToken: string) =>
      new Connection({ instanceUrl, loginUrl: instanceUrl, accessToken, version: '60.0' });
    return { platform, open, jsforce: open(testCredentials.crm), [Symbol.asyncDispose]: () => platform.close() };
  };
  const ada = { LastName: 'Lovelace', Company: 'Analytical Engines', Email: 'ada@example.com' };

  test('records are made, changed, upserted and found', async () => {
    await using org = await connect();
    const { jsforce } = org;
    const [leads, tasks] = [jsforce.sobject('Lead'), jsforce.sobject('Task')];

    const { id = '', ...made } = await leads.create(ada);
    const changed = await leads.update({ Id: id, Title: 'Countess' });
    const task = { Subject: 'Call', WhoId: id, Call_Id__c: 'CA123:task' };
    const first = await tasks.upsert(task, 'Call_Id__c');
    const second = await tasks.upsert(task, 'Call_Id__c');
    const found = await jsforce.query<{ Id: string; Title: string }>(
      "SELECT Id, Title FROM Lead WHERE LastName = 'Lovelace'",
    );

    expect(made).toEqual({ success: true, errors: [] });
    expect(changed).toEqual({ id, success: true, errors: [] });
    expect(first).toEqual({ id: first.id, success: true, errors: [], created: true });
    expect(second).toEqual({ ...first, created: false });
    expect(found.records.map(({ Id, Title }) => ({ Id, Title }))).toEqual([{ Id: id, Title: 'Countess' }]);
  });

  test('a query is followed over its pages', async () => {
    await using org = await connect({ dialect: 'salesforce', pageSize: 2 });
    const names = ['Ada', 'Bob', 'Cy', 'Di', 'Eve'];
    for (const LastName of names) org.platform.crm.addLead({ LastName, Company: 'Lee Ltd' });

    const query = org.jsforce.query<{ LastName: string }>('SELECT LastName FROM Lead ORDER BY LastName');
    const { records } = await query.execute({ autoFetch: true, maxFetch: 100 });

    expect(records.map(({ LastName }) => LastName)).toEqual(names);
  });

  test('records of every kind are read, related and deleted', async () => {
    await using org = await connect();
    const { jsforce, platform } = org;
    const owner = platform.crm.addRecord('User', { Name: 'Jo Lindt' });
    const times = { StartDateTime: '2026-11-24T14:00:00Z', EndDateTime: '2026-11-24T15:00:00Z' };

    const { id: eventId = '' } = await jsforce
      .sobject('Event')
      .create({ Subject: 'Visit', OwnerId: owner.Id, ...times });
    const { id: assetId = '' } = await jsforce.sobject('Asset__c').create({ Name: 'Oven', Serial__c: 'A-1' });
    const event = await jsforce.sobject('Event').retrieve(eventId, { fields: ['Subject', 'StartDateTime'] } as object);
    const asset = await jsforce.sobject('Asset__c').retrieve(assetId);
    const { records } = await jsforce.query(
      "SELECT Id, Owner.Name FROM Event WHERE StartDateTime > 2026-11-24T13:00:00Z AND (NOT Subject = 'x')",
    );
    const deleted = await jsforce.sobject('Event').destroy(eventId);

    expect(event).toMatchObject({ Subject: 'Visit', StartDateTime: '2026-11-24T14:00:00.000+0000' });
    expect(asset).toMatchObject({ Id: assetId, Name: 'Oven', Serial__c: 'A-1' });
    expect(records).toMatchObject([{ Id: eventId, Owner: { Name: 'Jo Lindt' } }]);
    expect([deleted.success, platform.crm.events]).toEqual([true, []]);
  });

  test('several writes are one request, all of them or none', async () => {
    await using org = await connect();
    const { jsforce, platform } = org;
    const at = '/services/data/v60.0';
    const part = (referenceId: string, object: string, body: object) => ({
      method: 'POST',
      url: `${at}/sobjects/${object}/`,
      referenceId,
      body,
    });
    const account = part('account', 'Account', { Name: 'Northwind' });
    const send = (parts: readonly object[]) =>
      jsforce.requestPost(`${at}/composite`, { allOrNone: true, compositeRequest: parts });

    await send([account, part('contact', 'Contact', { LastName: 'Okafor', AccountId: '@{account.id}' })]);
    await send([account, part('contact', 'Contact', {})]);

    expect(platform.crm.accounts).toHaveLength(1);
    expect(platform.crm.contacts).toMatchObject([{ AccountId: platform.crm.accounts[0]?.Id }]);
  });

  test('and our client sends what it sends', async () => {
    await using theirs = await connect();
    await using ours = await connect();
    const { jsforce } = theirs;
    const { crm: baseUrl } = await ours.platform.listen();
    const crm = createCrmClient({ ...salesforce(), baseUrl, authenticate: bearer(() => testCredentials.crm) });
    const lead = { LastName: 'Lovelace', Company: 'Analytical Engines' };
    const by = { field: 'Call_Id__c', value: 'C 17' };

    const { id = '' } = await jsforce.sobject('Lead').create(lead);
    await jsforce.sobject('Lead').update({ Id: id, Title: 'Countess' });
    await jsforce.sobject('Lead').retrieve(id);
    await jsforce.sobject('Contact').upsert({ LastName: 'Okafor', [by.field]: by.value }, by.field);
    await jsforce.sobject('Asset__c').create({ Name: 'Oven' });
    await jsforce.query(String.raw`SELECT Id, Company FROM Lead WHERE Company = 'AC\\DC\'s' ORDER BY Company ASC`);
    await jsforce.requestPost('/services/data/v60.0/composite', {
      allOrNone: true,
      compositeRequest: [
        {
          method: 'POST',
          url: '/services/data/v60.0/sobjects/Account/',
          referenceId: 'account',
          body: { Name: 'Northwind' },
        },
        {
          method: 'POST',
          url: '/services/data/v60.0/sobjects/Contact/',
          referenceId: 'contact',
          body: { LastName: 'Okafor', AccountId: '@{account.id}' },
        },
      ],
    });
    await jsforce.sobject('Lead').destroy(id);

    const { id: own } = await crm.leads.create(lead);
    await crm.leads.update(own, { Title: 'Countess' });
    await crm.leads.get(own);
    await crm.contacts.upsert(by, { LastName: 'Okafor' });
    await crm.records('Asset__c').create({ Name: 'Oven' });
    await crm.query('Lead', {
      fields: ['Company'],
      where: where('Company', '=', "AC\\DC's"),
      orderBy: [{ field: 'Company' }],
    });
    await crm.composite({
      account: { create: 'Account', fields: { Name: 'Northwind' } },
      contact: { create: 'Contact', fields: { LastName: 'Okafor', AccountId: idOf('account') } },
    });
    await crm.leads.delete(own);

    const sent = (platform: typeof ours.platform) =>
      platform.requests.map(({ method, path, body, status }) => {
        const { pathname, searchParams } = new URL(path, 'http://org');
        return { method, path: pathname.replace(/\/$/, ''), query: Object.fromEntries(searchParams), body, status };
      });
    expect(sent(ours.platform)).toEqual(sent(theirs.platform));
  });

  test('a session is had with the credential of the application', async () => {
    await using org = await connect();
    const { clientId: client_id, clientSecret: client_secret = '' } = testConnectedApp;
    const jsforce = org.open('');

    await jsforce.authorize({ grant_type: 'client_credentials', client_id, client_secret });

    expect((await jsforce.query('SELECT Id FROM Lead')).totalSize).toBe(0);
  });

  test.each<[code: string, when: string, call: (jsforce: Connection) => Promise<unknown>]>([
    ['REQUIRED_FIELD_MISSING', 'a field is missing', (jsforce) => jsforce.sobject('Lead').create({ LastName: 'Lee' })],
    ['INVALID_FIELD', 'a field does not exist', async (jsforce) => jsforce.query('SELECT Nonsense FROM Lead')],
    ['MALFORMED_QUERY', 'a text has no end', async (jsforce) => jsforce.query("SELECT Id FROM Lead WHERE Name = 'x")],
    [
      'MALFORMED_QUERY',
      'a backslash is not escaped',
      async (jsforce) => jsforce.sobject('Account').find({ Name: 'AC\\DC' }, ['Id']),
    ],
    ['NOT_FOUND', 'there is no such record', (jsforce) => jsforce.sobject('Lead').update({ Id: '00Q000000000000AAA' })],
  ])('%s is read when %s', async (errorCode, _, call) => {
    await using org = await connect();

    await expect(call(org.jsforce)).rejects.toMatchObject({ errorCode });
  });

  test('a session that is not known is read as one that has expired', async () => {
    await using org = await connect();

    await expect(org.open('other').query('SELECT Id FROM Lead')).rejects.toMatchObject({
      errorCode: 'INVALID_SESSION_ID',
    });
  });
});

describe('intercom-client works with the fake workspace', () => {
  // The newest version that intercom-client 7.0.3 knows.
  const messaging = { dialect: 'intercom', version: '2.14', searchDelayMs: 0 } as const;
  const connect = async () => {
    const platform = createFakePlatform({ messaging });
    const { messaging: baseUrl } = await platform.listen();
    const open = (token: string) => new IntercomClient({ token, baseUrl, version: messaging.version });
    return { platform, open, client: open(testCredentials.messaging), [Symbol.asyncDispose]: () => platform.close() };
  };

  test('a contact is made, found and searched for', async () => {
    await using workspace = await connect();
    const { contacts } = workspace.client;

    const { id } = await contacts.create({ email: 'ada@example.com' });
    const found = await contacts.search({ query: { field: 'email', operator: '=', value: 'ada@example.com' } });

    expect(await contacts.find({ contact_id: id })).toMatchObject({ id, email: 'ada@example.com', role: 'user' });
    expect(found.data.map((contact) => contact.id)).toEqual([id]);
  });

  test('a conversation is begun, noted upon, replied to and closed', async () => {
    await using workspace = await connect();
    const { platform, client } = workspace;
    const contact = platform.messaging.addContact({ email: 'ada@example.com' });
    const by = { type: 'admin', admin_id: 'admin_1' } as const;

    const { conversation_id } = await client.conversations.create({
      from: { type: 'user', id: contact.id },
      body: 'Rang.',
    });
    await client.conversations.reply({ conversation_id, body: { ...by, message_type: 'note', body: 'Tired.' } });
    await client.conversations.reply({ conversation_id, body: { ...by, message_type: 'comment', body: 'Done.' } });
    const closed = await client.conversations.manage({ conversation_id, body: { ...by, message_type: 'close' } });

    expect(closed).toMatchObject({ id: conversation_id, state: 'closed' });
    expect(platform.messaging.conversations[0]?.parts.map(({ type, body }) => ({ type, body }))).toEqual([
      { type: 'note', body: 'Tired.' },
      { type: 'comment', body: 'Done.' },
      { type: 'close', body: null },
    ]);
  });

  test('tags, companies, notes, events and consent are written down', async () => {
    await using workspace = await connect();
    const { platform, client } = workspace;
    const { contacts } = client;
    const { id: contact_id } = platform.messaging.addContact({ email: 'ada@example.com', external_id: 'ada' });
    platform.messaging.addAdmin({ id: '17' });
    const { id: newsletter } = platform.messaging.addSubscriptionType({ name: 'Newsletter' });

    const { id: tagId } = await client.tags.create({ name: 'Rang' });
    const again = await client.tags.create({ name: 'rang' });
    const { id: companyId } = await client.companies.createOrUpdate({ company_id: 'engines', name: 'Engines' });
    const found = await client.companies.retrieve({ company_id: 'engines' });
    await client.companies.attachContact({ contact_id, id: companyId ?? '' });
    await client.notes.create({ contact_id, body: 'Prefers mornings.', admin_id: 'admin_1' });
    await client.events.create({ event_name: 'called-support', created_at: 1_790_000_000, user_id: 'ada' });
    await contacts.attachSubscription({ contact_id, id: newsletter, consent_type: 'opt_out' });
    const consent = await contacts.listAttachedSubscriptions({ contact_id });
    await client.admins.away({ admin_id: 17, away_mode_enabled: true, away_mode_reassign: false });

    expect(again.id).toBe(tagId);
    expect(found).toMatchObject({ data: [{ id: companyId, company_id: 'engines' }] });
    expect(consent.data?.map(({ id }) => id)).toEqual([newsletter]);
    const { contactNotes, dataEvents, admins, contacts: kept } = platform.messaging;
    expect(kept.map(({ company_ids }) => company_ids)).toEqual([[companyId]]);
    expect(contactNotes).toMatchObject([{ contact_id, body: 'Prefers mornings.', admin_id: 'admin_1' }]);
    expect(dataEvents).toEqual([{ contact_id, event_name: 'called-support', created_at: 1_790_000_000, metadata: {} }]);
    expect(admins).toMatchObject([{ away_mode_enabled: false }, { id: '17', away_mode_enabled: true }]);
  });

  test('contacts are merged, archived, brought back and deleted', async () => {
    await using workspace = await connect();
    const { platform, client } = workspace;
    const { contacts } = client;
    const lead = platform.messaging.addContact({ phone: '+14155550100' });
    const user = platform.messaging.addContact({ email: 'ada@example.com' });

    expect((await contacts.mergeLeadInUser({ from: lead.id, into: user.id })).id).toBe(user.id);
    expect(await contacts.archive({ contact_id: user.id })).toMatchObject({ id: user.id, archived: true });
    expect(platform.messaging.contacts).toEqual([]);
    expect(await contacts.unarchive({ contact_id: user.id })).toMatchObject({ id: user.id, archived: false });
    expect(await contacts.delete({ contact_id: user.id })).toMatchObject({ id: user.id, deleted: true });
    expect(platform.messaging.contacts).toEqual([]);
  });

  test('refusals are of the class that intercom-client has for them', async () => {
    await using workspace = await connect();
    const nameOf = (call: Promise<unknown>) => call.then(String, (error: Error) => error.constructor.name);

    expect([
      await nameOf(workspace.open('other').contacts.find({ contact_id: 'c1' })),
      await nameOf(workspace.client.conversations.find({ conversation_id: 'v1' })),
    ]).toEqual(['UnauthorizedError', 'NotFoundError']);
  });
});

describe('the stripe package works with the fake account', () => {
  const connect = async (fake: Partial<FakeStripeOptions> = {}) => {
    const platform = createFakePlatform({ billing: { dialect: 'stripe', searchDelayMs: 0, ...fake } });
    const { billing: url } = await platform.listen();
    const { hostname: host, port } = new URL(url);
    const open = (key: string) => new Stripe(key, { host, port: Number(port), protocol: 'http', telemetry: false });
    platform.billing.addCustomer({ id: 'cus_1', email: "o'brien@example.com", phone: '+14155550100' });
    platform.billing.addInvoice({ id: 'in_1', customer_id: 'cus_1', amount: 120.5 });
    platform.billing.addInvoice({ id: 'in_2', customer_id: 'cus_1', amount: 7 });
    return {
      platform,
      url,
      open,
      vendor: open(testCredentials.billing),
      [Symbol.asyncDispose]: () => platform.close(),
    };
  };

  test('a customer is found, and one of their invoices paid', async () => {
    await using account = await connect();
    const { customers, invoices } = account.vendor;

    const found = await customers.search({ query: "phone:'+14155550100'" });
    const listed = await customers.list({ email: "o'brien@example.com" });
    const open = await invoices.list({ customer: 'cus_1', status: 'open', limit: 1 }).autoPagingToArray({ limit: 10 });
    const paid = await invoices.pay('in_1', { payment_method: 'pm_card_visa' });

    expect([found.data[0]?.id, listed.data[0]?.id, (await customers.retrieve('cus_1')).id]).toEqual(
      Array(3).fill('cus_1'),
    );
    expect(open.map(({ id, amount_remaining }) => [id, amount_remaining])).toEqual([
      ['in_1', 12_050],
      ['in_2', 700],
    ]);
    expect(paid).toMatchObject({ status: 'paid', amount_paid: 12_050, amount_remaining: 0 });
  });

  test('one key charges once, and other parameters under it are refused', async () => {
    await using account = await connect();
    const { invoices } = account.vendor;
    const options = { idempotencyKey: 'CA1:payment' };

    await invoices.pay('in_1', { payment_method: 'pm_card_visa' }, options);
    const again = await invoices.pay('in_1', { payment_method: 'pm_card_visa' }, options);
    const other = await invoices
      .pay('in_1', { payment_method: 'pm_card_mastercard' }, options)
      .catch((e: unknown) => e);

    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(other).toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
    expect(account.platform.billing.payments).toHaveLength(1);
  });

  test('a decline is a card error with its code', async () => {
    await using account = await connect();
    const { invoices } = account.vendor;
    const endOf = (payment_method: string) => invoices.pay('in_1', { payment_method }).catch((error: unknown) => error);

    expect(await endOf('pm_card_chargeDeclinedInsufficientFunds')).toMatchObject({
      type: 'StripeCardError',
      statusCode: 402,
      code: 'card_declined',
      decline_code: 'insufficient_funds',
      requestId: expect.stringMatching(/^req_/),
    });
    expect(await endOf('pm_card_authenticationRequired')).toMatchObject({ decline_code: 'authentication_required' });
  });

  test.each<[type: string, when: string, call: (vendor: Stripe) => Promise<unknown>]>([
    [
      'StripeInvalidRequestError',
      'a parameter is unknown',
      (vendor) => vendor.customers.list({ nonsense: 1 } as object),
    ],
    [
      'StripeInvalidRequestError',
      'a search cannot be read',
      (vendor) => vendor.customers.search({ query: "email:'x" }),
    ],
    ['StripeInvalidRequestError', 'there is no such invoice', (vendor) => vendor.invoices.retrieve('in_9')],
    [
      'StripeInvalidRequestError',
      'the version is another one',
      (vendor) => vendor.customers.list({}, { apiVersion: '2020-08-27' }),
    ],
    [
      'StripePermissionError',
      'the account is not connected',
      (vendor) => vendor.customers.list({}, { stripeAccount: 'acct_9' }),
    ],
  ])('%s is thrown when %s', async (type, _, call) => {
    await using account = await connect();

    await expect(call(account.vendor)).rejects.toMatchObject({ type });
  });

  test('a key that is not known, and too many requests, are read as such', async () => {
    await using account = await connect();
    const typeOf = (call: Promise<unknown>) => call.then(String, ({ type }: { type: string }) => type);
    account.platform.fault('billing.invoices.get', [{ status: 429 }]);

    expect(await typeOf(account.vendor.invoices.retrieve('in_1'))).toBe('StripeRateLimitError');
    expect(await typeOf(account.open('sk_other').customers.list())).toBe('StripeAuthenticationError');
  });

  test('a connected account is named in the header', async () => {
    await using account = await connect({ account: 'acct_7' });
    const { customers } = account.vendor;

    expect((await customers.list({}, { stripeAccount: 'acct_7' })).data).toHaveLength(1);
    expect((await customers.list()).data).toEqual([]);
  });

  test('both sign and verify webhooks in the same way', async () => {
    const vendor = new Stripe('sk_test_1');
    const secret = 'whsec_shared';
    const payload = JSON.stringify({ id: 'evt_1', object: 'event', type: 'invoice.paid' });
    const signed = vendor.webhooks.generateTestHeaderString({ payload, secret });
    const ours = signedWebhook({ body: payload, secret, scheme: stripeSignature });

    const verdict = await verifySignature(payload, {
      headers: { 'stripe-signature': signed },
      secrets: () => secret,
      scheme: stripeSignature,
    });
    const event = vendor.webhooks.constructEvent(ours.body, ours.headers['stripe-signature'] ?? '', secret);

    expect([verdict.valid, event.id]).toEqual([true, 'evt_1']);
  });

  test('the payments of an invoice are listed, and what they are paid with is read', async () => {
    await using account = await connect();
    const { invoicePayments, invoices, paymentIntents } = account.vendor;
    const attached = [
      { amount: 40, status: 'succeeded' },
      { amount: 10, status: 'processing' },
    ];
    account.platform.billing.addInvoice({ id: 'in_3', customer_id: 'cus_1', amount: 100, attached });

    const { data } = await invoicePayments.list({ invoice: 'in_3', status: 'open' });
    const intentOf = (payment: Stripe.InvoicePayment | undefined) => String(payment?.payment.payment_intent);

    expect(await invoices.retrieve('in_3')).toMatchObject({ amount_paid: 4000, amount_remaining: 6000 });
    expect(data.map(({ is_default, amount_requested }) => [is_default, amount_requested])).toEqual([
      [true, 6000],
      [false, 1000],
    ]);
    expect(await paymentIntents.retrieve(intentOf(data[1]))).toMatchObject({ status: 'processing' });
    await expect(invoicePayments.list({ status: 'late' } as object)).rejects.toMatchObject({ param: 'status' });
  });

  test('and our client sends what it sends', async () => {
    await using theirs = await connect({ account: 'acct_7' });
    await using ours = await connect({ account: 'acct_7' });
    const billing = createBillingClient({
      ...stripe({ currency: 'EUR', account: 'acct_7' }),
      baseUrl: `${ours.url}/v1`,
      authenticate: bearer(() => testCredentials.billing),
      payments: { below: 5000 },
    });
    const email = "o'brien+1@example.com";
    const as = { stripeAccount: 'acct_7' };

    await billing.customers.find({ email });
    await billing.customers.find({ phone: '+14155550100' });
    await billing.customers.get('cus_1');
    await billing.invoices.listOpen('cus_1');
    const payment = { customer_id: 'cus_1', invoice_id: 'in_1', amount: 120.5, payment_method_id: 'pm_card_visa' };
    await billing.payments.create(payment, { idempotencyKey: 'CA1:payment' });
    await billing.request({
      operation: 'billing.customers.list',
      method: 'GET',
      path: 'customers',
      query: { 'expand[0]': 'data.default_source' },
      returns: (json) => json,
    });
    await billing
      .request({
        operation: 'billing.paymentLinks.create',
        method: 'POST',
        path: 'payment_links',
        sends: 'nested-form',
        body: { line_items: [{ price: 'price_1', quantity: 1 }], metadata: { 'a b': 'ü' } },
        returns: (json) => json,
      })
      .catch(() => undefined);

    const { vendor } = theirs;
    await vendor.customers.search({ query: String.raw`email:'o\'brien+1@example.com'`, limit: 100 }, as);
    await vendor.customers.list({ email, limit: 100 }, as);
    for (const query of searchQueries({ phone: '+14155550100' }))
      await vendor.customers.search({ query, limit: 100 }, as);
    await vendor.customers.retrieve('cus_1', {}, as);
    await vendor.invoices.list({ customer: 'cus_1', status: 'open', limit: 100 }, as);
    await vendor.invoices.retrieve('in_1', {}, as);
    await vendor.invoicePayments.list({ invoice: 'in_1', status: 'open', limit: 100 }, as);
    await vendor.invoices.pay('in_1', { payment_method: 'pm_card_visa' }, { ...as, idempotencyKey: 'CA1:payment' });
    await vendor.customers.list({ expand: ['data.default_source'] }, as);
    await vendor.paymentLinks
      .create({ line_items: [{ price: 'price_1', quantity: 1 }], metadata: { 'a b': 'ü' } }, as)
      .catch(() => undefined);

    expect(sentTo(ours.platform)).toEqual(sentTo(theirs.platform));
  });

  /** What both have to agree on. The vendor's client makes a key of its own where it's given none. */
  const sentTo = ({ requests }: Pick<FakePlatform, 'requests'>) =>
    requests.map(({ method, path, headers, idempotencyKey, body, status }) => {
      const { pathname, searchParams } = new URL(path, 'http://stripe');
      const { 'stripe-version': version, 'stripe-account': account, 'content-type': type } = headers;
      return {
        method,
        pathname,
        query: Object.fromEntries(searchParams),
        version,
        account,
        // It names a type for requests without a body too.
        type: method === 'GET' ? undefined : type,
        key: idempotencyKey?.startsWith('CA1') ? idempotencyKey : typeof idempotencyKey,
        body,
        status,
      };
    });
});
