/** Four workspaces in one server, one of them down: `npm run example tenants`. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TenantUnavailableError, createTenants } from 'voice-agent-integrations';
import { bearer } from 'voice-agent-integrations/auth';
import { createFakePlatform } from 'voice-agent-integrations/testing';

/** Plays the workspaces: each has its own platform, token and people. `west` speaks a newer version already. */
const platforms = await Promise.all(
  ['north', 'south', 'west', 'down'].map(async (id) => {
    const version = id === 'west' ? '2.12' : '2.11';
    const platform = createFakePlatform({ messaging: { credentials: [`token-of-${id}`], version } });
    platform.messaging.addContact({ phone: '+14155550100', name: `Ada of ${id}` });
    if (id === 'down') platform.fault('messaging', [{ status: 503, times: 100 }]);
    return { id, platform, version, baseUrl: (await platform.listen()).messaging };
  }),
);

await using tenants = createTenants({
  max: 100,
  resolve: async (tenantId) => {
    const workspace = platforms.find(({ id }) => id === tenantId);
    return (
      workspace && {
        messaging: {
          baseUrl: workspace.baseUrl,
          authenticate: bearer(() => `token-of-${tenantId}`),
          platform: 'Acme',
          version: workspace.version,
          adminId: 'admin_1',
        },
      }
    );
  },
});

/** The number that was dialled, and nothing that a model says, decides whose phone call it is. */
const dialled: Record<string, string> = {
  '/+14155551000': 'north',
  '/+14155552000': 'south',
  '/+14155553000': 'west',
  '/+14155554000': 'down',
};

const answer = async (tenantId: string, response: ServerResponse): Promise<void> => {
  try {
    await using tenant = await tenants.open(tenantId);
    const phoneCall = tenant.startPhoneCall({ callId: 'CA123', direction: 'inbound', phone: '+14155550100' });
    try {
      const { contact } = await phoneCall.identifyCaller();
      response.end(`Hello ${contact.name}.`);
    } finally {
      // Until then the phone call keeps its tenant from being closed.
      await phoneCall.finish({ summary: 'Said hello.' });
    }
  } catch (error) {
    const isUnknown = error instanceof TenantUnavailableError && error.reason === 'unknown';
    response.writeHead(isUnknown ? 404 : 503).end(isUnknown ? 'No such number.' : 'Someone will call you back.');
  }
};

const server = createServer((request, response) => void answer(dialled[request.url ?? ''] ?? 'unknown', response));
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const numbers = ['+14155551000', '+14155554000', '+14155552000', '+14155553000', '+14155559000'];
const answers = await Promise.all(numbers.map(async (number) => (await fetch(`${origin}/${number}`)).text()));
for (const [index, number] of numbers.entries()) console.log(`${number}: ${answers[index]}`);

const { open, inUse, tenants: held } = tenants.status();
console.log(`${open} workspaces are open, ${inUse} in use`);
for (const { tenantId, apis } of held) console.log(`${tenantId}: circuit ${apis.messaging?.circuit}`);

server.close();
server.closeAllConnections();
await Promise.all(platforms.map(({ platform }) => platform.close()));
