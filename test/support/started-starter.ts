import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { sampleRecords } from '../../src/dev/cli/demo/calls.ts';
import { choosePlatforms } from '../../src/dev/cli/demo/platforms.ts';
import { fillPlatform } from '../../src/dev/cli/demo/systems.ts';
import { writeStarter } from '../../src/dev/cli/create/write-starter.ts';
import type { IntegrationOptions } from '../../src/integration.ts';
import {
  createFakePlatform,
  type FakePlatform,
  testConnectedApp,
  testCredentials,
} from '../../src/dev/testing/index.ts';

/** The systems that a starter was created for. */
export interface ChosenPlatforms {
  readonly messaging: 'default' | 'intercom' | 'zendesk';
  readonly crm: 'default' | 'salesforce' | 'hubspot';
  readonly billing: 'default' | 'stripe';
}

export interface StartedStarter extends AsyncDisposable {
  /** The export of the starter's own `voice-agent.config.ts`. */
  readonly options: IntegrationOptions;
  readonly platform: FakePlatform;
}

/** Writes a starter as `create` does, and points its own configuration at a fake platform with the sample records. */
export const startStarter = async (chosen: ChosenPlatforms): Promise<StartedStarter> => {
  // A module is read once, and this one opens its database then.
  const name = `full-${Object.values(chosen).join('-')}-${randomUUID()}`;
  const folder = fileURLToPath(new URL(`../starters/out/${name}`, import.meta.url));
  await writeStarter(folder, name, { framework: 'express', model: 'openai', ...chosen });
  const systems = choosePlatforms(
    Object.values(chosen)
      .filter((dialect) => dialect !== 'default')
      .join(','),
  );
  const platform = createFakePlatform({
    messaging: systems.messaging.fake,
    crm: systems.crm.fake,
    billing: systems.billing.fake,
  });
  fillPlatform(platform, systems, sampleRecords());
  const urls = await platform.listen();
  const { clientId, clientSecret = '' } = testConnectedApp;
  const env = {
    MESSAGING_BASE_URL: chosen.messaging === 'zendesk' ? `${urls.messaging}/api/v2` : urls.messaging,
    MESSAGING_TOKEN: testCredentials.messaging,
    MESSAGING_CLIENT_ID: clientId,
    MESSAGING_CLIENT_SECRET: clientSecret,
    MESSAGING_PLATFORM: 'Acme',
    MESSAGING_VERSION: '2.11',
    MESSAGING_ADMIN_ID: systems.messaging.adminId?.(platform) ?? 'admin_1',
    CRM_BASE_URL: urls.crm,
    CRM_TOKEN: testCredentials.crm,
    CRM_CLIENT_ID: clientId,
    CRM_CLIENT_SECRET: clientSecret,
    CRM_VERSION: '60.0',
    BILLING_BASE_URL: chosen.billing === 'stripe' ? `${urls.billing}/v1` : urls.billing,
    BILLING_API_KEY: testCredentials.billing,
    BILLING_CURRENCY: 'EUR',
    STORE_FILE: `${folder}/store.db`,
  };
  for (const [variable, value] of Object.entries(env)) vi.stubEnv(variable, value);
  const config: { readonly default: () => IntegrationOptions } = await import(`${folder}/voice-agent.config.ts`);
  return {
    options: config.default(),
    platform,
    [Symbol.asyncDispose]: async () => {
      await platform.close();
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
