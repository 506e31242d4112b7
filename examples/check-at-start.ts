/** Everything that is wrong, in one error, before anyone calls: `npm run example check-at-start`. */
import { createIntegration, NotReadyError } from 'voice-agent-integrations';
import { apiKey, bearer, fromEnv } from 'voice-agent-integrations/auth';
import { createFakePlatform, testCredentials } from 'voice-agent-integrations/testing';

// Plays three systems: one is down right now.
await using platform = createFakePlatform();
const baseUrls = await platform.listen();
platform.fault('messaging', [{ status: 503, times: Infinity }]);

await using integration = createIntegration({
  messaging: {
    baseUrl: baseUrls.messaging,
    authenticate: bearer(() => testCredentials.messaging),
    platform: 'Acme',
    version: '2.11',
    adminId: 'admin_1',
  },
  crm: { baseUrl: baseUrls.crm, authenticate: bearer(() => 'copied-from-another-org'), version: '60.0' },
  billing: {
    baseUrl: baseUrls.billing,
    authenticate: apiKey('X-Api-Key', fromEnv('MY_BILLING_KEY')),
    version: { path: 'v1' },
  },
  payments: { below: 5000 },
});

try {
  await integration.check({ deadlineMs: 10_000 });
  console.log('Listening.');
} catch (error) {
  if (!(error instanceof NotReadyError)) throw error;
  console.log(error.message); // one problem a line
  // What is down needs no one: alone, it would not have kept the server from starting.
  for (const { part, problem, help } of error.notes)
    if (part === 'messaging') console.log(`(${part}: ${problem}: ${help})`);
}
