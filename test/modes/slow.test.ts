import { beforeEach, expect, it } from 'vitest';
import { createIntegration } from '../../src/integration.ts';
import { connectPlatform } from '../support/connected-platform.ts';
import { inFakeTime, useFakeTime } from '../support/fake-time.ts';

const phone = '+14155550100';
const slow = { latencyMs: 3000 };

beforeEach(useFakeTime);

it('a look-up over real sockets waits for an API that takes 3 s, and asks once', async () => {
  await using connected = await connectPlatform({ billing: slow });
  const { platform, clientOptions } = connected;
  platform.billing.addCustomer({ id: 'cus_1', name: 'Ann', phone });
  await using integration = createIntegration({ billing: clientOptions.billing });

  const customer = await inFakeTime(integration.billing.customers.find({ phone }));

  expect(customer).toMatchObject({ id: 'cus_1', name: 'Ann' });
  expect(platform.requests).toHaveLength(1);
});

it('a lead over real sockets is created once in a CRM that takes 3 s', async () => {
  await using connected = await connectPlatform({ crm: slow });
  const { platform, clientOptions } = connected;
  await using integration = createIntegration({ crm: clientOptions.crm });

  const { id } = await inFakeTime(integration.crm.leads.create({ LastName: 'Lee', Company: 'Lee Ltd', Phone: phone }));

  expect(platform.crm.leads.map(({ Id }) => Id)).toEqual([id]);
  expect(platform.requests).toHaveLength(1);
});
