import { createFakePlatform, testCredentials } from 'voice-agent-integrations/testing';

/** The fake platform itself, listening on a port. */
export const run = async () => {
  await using platform = createFakePlatform();
  const { billing } = await platform.listen();
  platform.billing.addCustomer({ id: 'cus_1', name: 'Ada' });
  const answer = await fetch(`${billing}/v1/customers/cus_1`, { headers: { 'x-api-key': testCredentials.billing } });
  return { status: answer.status };
};
