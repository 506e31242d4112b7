import { expect, test, vi } from 'vitest';
import { apiKey, fromEnv } from '../../src/auth/index.ts';
import { createIntegration } from '../../src/integration.ts';
import { createTenants } from '../../src/tenants/create-tenants.ts';

const authenticate = apiKey('X-Key', () => 'key');

const options = {
  messaging: {
    baseUrl: fromEnv('MESSAGING_BASE_URL'),
    authenticate,
    platform: 'Acme',
    version: '2.11',
    adminId: fromEnv('MESSAGING_ADMIN_ID'),
  },
  billing: { baseUrl: fromEnv('BILLING_BASE_URL'), authenticate, version: { path: 'v1' } },
  payments: { below: 100, confirm: false },
} as const;

test('names every missing variable in one error, each with its option', () => {
  const missing = (option: string, variable: string) =>
    `${option} can't be read: ${variable} must be set in the environment, such as with node --env-file=.env: it is missing or empty`;

  expect(() => createIntegration(options)).toThrow(
    [
      missing('messaging.adminId', 'MESSAGING_ADMIN_ID'),
      missing('messaging.baseUrl', 'MESSAGING_BASE_URL'),
      missing('billing.baseUrl', 'BILLING_BASE_URL'),
    ].join('; '),
  );
});

test('reads address and admin once, from the environment', async () => {
  vi.stubEnv('MESSAGING_BASE_URL', 'https://messaging.example.com');
  vi.stubEnv('MESSAGING_ADMIN_ID', 'admin_7');
  vi.stubEnv('BILLING_BASE_URL', 'https://billing.example.com');
  const sent: { url: string; body: string }[] = [];
  const send = async (request: Request) => {
    sent.push({ url: request.url, body: await request.text() });
    return Response.json({ type: 'conversation', id: 'conv_1', created_at: 1, updated_at: 1, state: 'closed' });
  };
  await using integration = createIntegration({ ...options, fetch: send as typeof fetch });
  vi.unstubAllEnvs();
  await integration.messaging.conversations.close('conv_1', {}).catch(() => undefined);

  expect(sent).toHaveLength(1);
  expect(sent[0]?.url).toMatch(/^https:\/\/messaging\.example\.com\//);
  expect(sent[0]?.body).toContain('"admin_id":"admin_7"');
});

test('the limit that tenants share reads the address once', async () => {
  const read = vi.fn(() => 'https://messaging.example.com');
  const fetch = async () => Response.json({ type: 'admin.list', admins: [] });
  const tenants = createTenants({
    resolve: () => ({ messaging: { ...options.messaging, adminId: 'admin_7', baseUrl: read, fetch } }),
  });
  const list = () => tenants.use('acme', ({ messaging }) => messaging.admins.list());
  await list();
  const times = read.mock.calls.length;
  await list();
  await tenants.close();

  expect(read).toHaveBeenCalledTimes(times);
});
