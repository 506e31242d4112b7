import { expect, it } from 'vitest';
import { createIntegration } from '../../src/integration.ts';
import { createFakePlatform, type FakePlatform } from '../../src/dev/testing/index.ts';
import { optionsOf } from './clients.ts';

const phone = '+14155550100';

/** The three APIs with the documented endpoints alone, and an integration with them. */
const start = async (fill: (platform: FakePlatform) => void = () => {}) => {
  const endpoints = 'documented';
  const platform = createFakePlatform({ messaging: { endpoints }, crm: { endpoints }, billing: { endpoints } });
  fill(platform);
  const integration = createIntegration(optionsOf(await platform.listen()));
  return {
    platform,
    phoneCall: integration.startPhoneCall({ callId: 'CA1', direction: 'Inbound', phone }),
    operations: () => platform.requests.map(({ operation }) => operation),
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await platform.close();
    },
  };
};

const prospect = { lead: { LastName: 'Lee', Company: 'Lee Ltd' } };

it('looks for a caller by phone, then by e-mail, then creates a contact', async () => {
  await using started = await start();

  const { created, contact } = await started.phoneCall.identifyCaller({ email: 'ann@example.com' });

  expect(created).toBe(true);
  expect(contact).toMatchObject({ phone, email: 'ann@example.com' });
  expect(started.platform.requests.map(({ body }) => body)).toEqual([
    { query: { field: 'phone', operator: '=', value: phone } },
    { query: { field: 'email', operator: '=', value: 'ann@example.com' } },
    { phone, email: 'ann@example.com' },
  ]);
});

it('finds by e-mail a contact whose phone is empty, and creates none', async () => {
  await using started = await start(({ messaging }) => messaging.addContact({ id: 'ann', email: 'ann@example.com' }));

  const { created, contact } = await started.phoneCall.identifyCaller({ email: 'ann@example.com' });

  expect([created, contact.id]).toEqual([false, 'ann']);
});

it('records a call as a conversation whose body holds summary and transcript', async () => {
  await using started = await start();

  await started.phoneCall.finish({ outcome: 'resolved', summary: 'Asked for a quote.', transcript: 'Hello there.' });

  const [conversation, ...others] = started.platform.messaging.conversations;
  expect(others).toEqual([]);
  expect(conversation?.body).toContain('Asked for a quote.');
  expect(conversation?.body).toContain('Hello there.');
});

it('searches for the Lead before it creates one', async () => {
  await using started = await start();

  const { outcome } = await started.phoneCall.qualifyLead(prospect);

  expect(outcome).toBe('lead_created');
  const operations = started.operations().filter((operation) => operation !== undefined);
  expect(operations.indexOf('crm.leads.search')).toBeLessThan(operations.indexOf('crm.leads.create'));
  expect(operations).toContain('crm.leads.search');
});

it('adds a Task to an open Lead and creates no second one', async () => {
  await using started = await start(({ crm }) => {
    crm.addLead({ Id: '00Q000000000007', LastName: 'Lee', Company: 'Lee Ltd', Phone: phone });
  });

  const { outcome, complete } = await started.phoneCall.qualifyLead(prospect);
  await started.phoneCall.finish({ summary: 'Asked for a quote.' });

  expect([outcome, complete]).toEqual(['open_lead', true]);
  expect(started.platform.crm.leads).toHaveLength(1);
  expect(started.platform.crm.tasks).toMatchObject([{ WhoId: '00Q000000000007' }]);
});

it('creates one Task per call, however often it is finished', async () => {
  await using started = await start();
  const { phoneCall, platform } = started;
  const words = { outcome: 'resolved', summary: 'Asked for a quote.', durationSeconds: 60 };

  await phoneCall.finish(words);
  await phoneCall.finish(words);

  expect(platform.crm.tasks).toMatchObject([{ CallType: 'Inbound', CallDurationInSeconds: 60 }]);
});
