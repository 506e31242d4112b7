import { describe, expect, it, test, vi } from 'vitest';
import { apiKey, bearer, combined, fromEnv } from '../../src/auth/index.ts';
import { answer, type Reply, startFaultServer } from '../support/fault-server.ts';
import { connect, failureOf, getContact } from '../support/connect.ts';
import { aContext } from '../support/credential-context.ts';

const gateway = apiKey('X-Gateway-Key', () => 'key-1');

test('a refusal names the headers and the variables that were sent', async () => {
  vi.stubEnv('GATEWAY_KEY', 'key-1');
  await using server = await startFaultServer(answer({ status: 401 }));
  const { client } = connect(server, {
    authenticate: combined(
      apiKey('X-Gateway-Key', fromEnv('GATEWAY_KEY')),
      bearer(() => 'token-1'),
    ),
  });

  const { message } = await failureOf(client.request(getContact));
  expect(message).toContain(
    '401: it does not take the credential in x-gateway-key and authorization (check GATEWAY_KEY)',
  );
  vi.unstubAllEnvs();
});

describe('combined credentials', () => {
  it('go onto each request together', async () => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    const { client, audit } = connect(server, {
      authenticate: combined(
        gateway,
        bearer(() => 'token-1'),
      ),
    });

    await client.request(getContact);

    expect(server.requests[0]?.headers).toMatchObject({ 'x-gateway-key': 'key-1', authorization: 'Bearer token-1' });
    expect(audit).toMatchObject([{ type: 'credential-used', credential: 'api-key+bearer', state: 'first' }]);
  });

  it('are sent again after a 401 with the one that has changed', async () => {
    let token = 'token-1';
    const rotate: Reply = (socket, request) => {
      token = 'token-2';
      return answer({ status: 401 })(socket, request);
    };
    await using server = await startFaultServer(rotate, answer({ body: '{}' }));
    const { client } = connect(server, {
      authenticate: combined(
        gateway,
        bearer(() => token),
      ),
    });

    await client.request(getContact);

    expect(server.requests.map(({ headers }) => [headers['x-gateway-key'], headers.authorization])).toEqual([
      ['key-1', 'Bearer token-1'],
      ['key-1', 'Bearer token-2'],
    ]);
  });

  it('end with the 401 when none of them has another', async () => {
    await using server = await startFaultServer(answer({ status: 401 }));
    const { client } = connect(server, {
      authenticate: combined(
        gateway,
        bearer(() => 'token-1'),
      ),
    });

    expect(await failureOf(client.request(getContact))).toMatchObject({ code: 'client_error', status: 401 });
    expect(server.requests).toHaveLength(1);
  });

  it('are none at all for an API that knows the client by its certificate', async () => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    const { client } = connect(server, { authenticate: combined() });

    await client.request(getContact);

    const { authorization, 'x-api-key': key } = server.requests[0]?.headers ?? {};
    expect([authorization, key]).toEqual([undefined, undefined]);
  });

  it('are masked wherever the API repeats one of them', async () => {
    await using server = await startFaultServer(answer({ status: 400, body: '{"error":"key-1-long token-1-long"}' }));
    const one = apiKey('X-Gateway-Key', () => 'key-1-long');
    const { client } = connect(server, {
      authenticate: combined(
        one,
        bearer(() => 'token-1-long'),
      ),
    });

    const error = await failureOf(client.request(getContact));

    expect(JSON.stringify(error)).not.toMatch(/key-1-long|token-1-long/);
  });

  it('cannot both use one header', async () => {
    await expect(
      combined(
        bearer(() => 'a'),
        bearer(() => 'b'),
      ).read(aContext()),
    ).rejects.toMatchObject({
      code: 'invalid_argument',
      problem: 'has two credentials for the header authorization',
    });
  });

  it('must be credentials', () => {
    // @ts-expect-error what a JavaScript caller might pass
    expect(() => combined('token-1')).toThrow(/^credentials must be made by functions of/);
  });
});
