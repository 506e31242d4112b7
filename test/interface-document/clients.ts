import { apiKey, bearer } from '../../src/auth/index.ts';
import type { IntegrationOptions } from '../../src/integration.ts';
import { type ApiName, testCredentials } from '../../src/dev/testing/index.ts';

/** The three clients, at these addresses. */
export const optionsOf = (baseUrls: Readonly<Record<ApiName, string>>) =>
  ({
    messaging: {
      baseUrl: baseUrls.messaging,
      authenticate: bearer(() => testCredentials.messaging),
      platform: 'Acme',
      version: '2.11',
      adminId: 'admin_1',
    },
    crm: { baseUrl: baseUrls.crm, authenticate: bearer(() => testCredentials.crm), version: '60.0' },
    billing: {
      baseUrl: baseUrls.billing,
      authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
      version: { path: 'v1' },
    },
    payments: { below: 5000, confirm: false },
  }) as const satisfies IntegrationOptions;

/** All three at one server that knows only the interface document's words. */
export const optionsAt = (baseUrl: string) => optionsOf({ messaging: baseUrl, crm: baseUrl, billing: baseUrl });
