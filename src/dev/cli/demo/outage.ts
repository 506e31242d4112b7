import { apiKey } from '../../../auth/index.ts';
import { createIntegration } from '../../../index.ts';
import { createFakePlatform, testCredentials } from '../../testing/index.ts';
import type { DemoConsole } from './console.ts';

/** Plays a phone call during which the billing API is down: its circuit breaker opens, and the console shows it. */
export const playOutage = async (local: DemoConsole): Promise<void> => {
  const platform = createFakePlatform();
  await using _platform = platform;
  platform.fault(
    'billing.customers.find',
    Array.from({ length: 20 }, () => ({ status: 503 })),
  );
  const { billing: baseUrl } = await platform.listen();
  const integration = createIntegration({
    billing: {
      baseUrl,
      authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
      version: { path: 'v1' },
      // Opens after the first look-up, and stays open while the console is looked at.
      circuit: { minimumVolume: 3, openMs: 600_000 },
    },
    appName: 'demo',
    // The console shows what fails.
    onError: () => {},
  });
  const phoneCall = integration.startPhoneCall({ callId: 'CA-5001', direction: 'inbound', phone: '+14155550199' });
  for (const heard of ['What do I owe?', 'Can you try again?'])
    await phoneCall.turn({ heard }).tools.run('lookup_customer_invoices', {});
  local.showOutage(integration);
};
