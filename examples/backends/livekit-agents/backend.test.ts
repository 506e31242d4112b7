import { expect, test } from 'vitest';
import { ann, startFakeSystems } from '../support/fake-systems.ts';
import { describeBackend } from '../support/suite.ts';
import { startOffline } from './fake-console.ts';

describeBackend({ name: 'LiveKit Agents', start: startOffline, forged: [] });

test('while a look-up takes long, the agent says that it is being done', async () => {
  await using systems = await startFakeSystems();
  // The first one is that of the check at start.
  for (const operation of ['billing.customers.find', 'billing.invoices.listOpen'] as const)
    systems.platform.fault(operation, ['ok', { latencyMs: 3_000 }]);
  await using backend = await startOffline(systems.env);
  const line = await backend.ring({ callId: 'CA1', phone: ann.phone });

  const answer = await line.say('What do I owe you?');

  expect(line.dialogue().slice(1)).toEqual(['One moment, I am looking up the invoices.', answer]);
  expect(answer).toContain('120.5 dollars');
});
