import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { createCrmClient } from '../../src/crm/index.ts';
import { connectPlatform, operationsOf } from '../support/connected-platform.ts';
import { eventually, passing } from '../support/until.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { connectVault } from '../../examples/recipes/connect-vault.ts';

const lifetimeMs = 600_000;

/** A vault on loopback, which renews a token only when it's near its end or when it's forced to. */
const startVault = async () => {
  const asked: string[] = [];
  const issued: string[] = [];
  const comeBack = () => {
    vault.mode = 'up';
    server.closeAllConnections();
  };
  const vault = { mode: 'up' as 'up' | 'revoked' | 'down' | 'silent', comeBack, issued, asked, url: '' };
  let expiresAt = 0;
  const issue = () => {
    issued.push(`token-${issued.length + 1}`);
    expiresAt = Date.now() + lifetimeMs;
  };
  const server = createServer((request, response) => {
    asked.push(String(request.url));
    if (vault.mode === 'silent') return;
    const status = { up: 200, revoked: 424, down: 503 }[vault.mode];
    const isForced = request.url?.includes('force_refresh=true') === true;
    if (status === 200 && (isForced || expiresAt - Date.now() <= 60_000)) issue();
    const body = { token: issued.at(-1), expires_at: new Date(expiresAt).toISOString() };
    response.writeHead(request.headers.authorization === 'Bearer vault-key' ? status : 401);
    response.end(JSON.stringify(status === 200 ? body : { error: { code: 'invalid_credentials' } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  vault.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return vault;
};

const start = async () => {
  const clock = createVirtualClock();
  const vault = await startVault();
  const connected = await connectPlatform({ crm: { credentials: ['token-1', 'token-2', 'token-3'] } });
  onTestFinished(() => connected[Symbol.asyncDispose]());
  const { platform } = connected;
  const tokenOf = connectVault(vault.url, () => 'vault-key');
  const options = { ...connected.clientOptions.crm, authenticate: bearer(tokenOf('acme/crm')) };
  const crm = createCrmClient(options);
  onTestFinished(() => crm.close());
  const search = () => passing(clock, crm.leads.search({ phone: '+14155550100' }));
  return { clock, vault, platform, crm, options, search };
};

test('many calls ask the vault once, and again a minute before the end of the token', async () => {
  const { clock, vault, search } = await start();

  await Promise.all(Array.from({ length: 20 }, search));
  await clock.advance(lifetimeMs - 60_001);
  await search();
  expect(vault.asked).toEqual(['/connections/acme%2Fcrm?force_refresh=false']);
  await clock.advance(1);
  await search();

  expect([vault.asked.length, vault.issued]).toEqual([2, ['token-1', 'token-2']]);
});

test('a refused token is not answered by what was asked before the refusal', async () => {
  const { vault } = await start();
  const read = connectVault(vault.url, () => 'vault-key')('acme/crm');

  const tokens = await Promise.all([read({}), read({ refused: 'token-1' }), read({ refused: 'token-1' })]);

  expect(tokens).toEqual(['token-1', 'token-2', 'token-2']);
});

test('a token that the API refuses is renewed once for all calls, which are sent again', async () => {
  const { vault, platform, search } = await start();
  await search();
  platform.crm.acceptOnly('token-2');

  await Promise.all(Array.from({ length: 5 }, search));

  expect(vault.asked.slice(1)).toEqual(['/connections/acme%2Fcrm?force_refresh=true']);
  const statuses = platform.requests.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(6);
});

test('a revoked connection is an error of its own, sends nothing, and works once it is connected again', async () => {
  const { clock, vault, platform, search } = await start();
  vault.mode = 'revoked';

  await expect(search()).rejects.toMatchObject({
    code: 'authentication_failed',
    reason: 'revoked',
    outcome: 'not_sent',
    operation: 'crm.leads.search',
  });
  expect(operationsOf(platform)).toEqual([]);
  vault.mode = 'up';
  await search();

  // Near its end a token isn't used on, as in an outage.
  await clock.advance(lifetimeMs - 30_000);
  vault.mode = 'revoked';
  await expect(search()).rejects.toMatchObject({ reason: 'revoked' });
});

test.each(['down', 'silent'] as const)(
  'while the vault is %s a token serves to its end, then nothing is sent, and the circuit stays closed',
  async (mode) => {
    const { clock, vault, platform, crm, search } = await start();
    await search();
    vault.mode = mode;
    await clock.advance(lifetimeMs - 30_000);
    if (mode === 'down') await search();
    await clock.advance(30_000);
    const before = platform.requests.length;

    for (let calls = 0; calls < 12; calls += 1) {
      const error = await search().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'authentication_failed', outcome: 'not_sent' });
      expect(JSON.stringify(error)).not.toMatch(/token-|vault-key/);
    }
    expect([platform.requests.length, crm.status().circuit]).toEqual([before, 'closed']);
    vault.comeBack();
    // The request that hung ends first.
    await eventually(() =>
      search().then(
        () => true,
        () => false,
      ),
    );
  },
);
