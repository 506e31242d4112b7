import { createServer, type IncomingMessage, request as httpRequest } from 'node:http';
import { type AddressInfo, connect as connectSocket, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { proxiesOf, type ProxyQuestion } from '../../../src/http/transport/proxy-environment.ts';
import { undiciTransport } from '../../../src/http/transport/undici.ts';
import { createAuthority } from '../../support/certificates.ts';
import { failureOf } from '../../support/connect.ts';
import { answer, faultServerOverTls, startFaultServer } from '../../support/fault-server.ts';
import { networkSummary } from '../../support/network-summary.ts';
import { aRequest } from '../../support/request.ts';

const authority = await createAuthority();
const startTlsServer = faultServerOverTls(await authority.issue());
const trusting = { tls: { ca: authority.certificate } };
const body = JSON.stringify('from the API');

/** A proxy that does as it is asked, unless it refuses all. */
const startProxy = async ({ refuses = false } = {}) => {
  const asked: string[] = [];
  const emit = (request: IncomingMessage) =>
    asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? 'without credentials'}`);
  const sockets = new Set<Socket>();

  const server = createServer((request, response) => {
    emit(request);
    const { hostname, port, pathname } = new URL(request.url ?? '');
    const onward = httpRequest({ hostname, port, path: pathname, method: request.method }, (incoming) => {
      response.writeHead(incoming.statusCode ?? 0);
      incoming.pipe(response);
    });
    request.pipe(onward);
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request, socket) => {
    emit(request);
    if (refuses) return socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
    const [host = '', port] = (request.url ?? '').split(':');
    const onward = connectSocket(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    for (const end of [socket, onward]) end.on('error', () => onward.destroy());
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://agent:word@127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.dispose]: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};

const basic = `Basic ${Buffer.from('agent:word').toString('base64')}`;

const setEnvironment = (variables: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
};

afterEach(() => void vi.unstubAllEnvs());

test('http goes through HTTP_PROXY, with the credentials of its address', async () => {
  await using server = await startFaultServer(answer({ body }));
  using proxy = await startProxy();
  setEnvironment({ HTTP_PROXY: proxy.url });
  const transport = undiciTransport({ proxy: 'environment' });
  expect((await transport(aRequest({ url: `${server.origin}/contacts` }))).text).toBe(body);
  expect(proxy.asked).toEqual([`GET ${server.origin}/contacts ${basic}`]);
});

test('https goes through a tunnel of HTTPS_PROXY, which is kept', async () => {
  await using server = await startTlsServer(answer({ body }));
  using proxy = await startProxy();
  setEnvironment({ HTTPS_PROXY: proxy.url });
  const transport = undiciTransport({ proxy: 'environment', ...trusting });
  for (const path of ['/1', '/2']) {
    expect((await transport(aRequest({ url: server.origin + path }))).text).toBe(body);
  }
  expect(proxy.asked).toEqual([`CONNECT ${new URL(server.origin).host} ${basic}`]);
});

test('a host of NO_PROXY is asked directly', async () => {
  await using server = await startTlsServer(answer({ body }));
  using proxy = await startProxy();
  setEnvironment({ HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' });
  const transport = undiciTransport({ proxy: 'environment', ...trusting });
  expect((await transport(aRequest({ url: server.origin }))).text).toBe(body);
  expect(proxy.asked).toEqual([]);
});

test('a proxy that opens no tunnel has let nothing through', async () => {
  await using server = await startTlsServer(answer({ body }));
  using proxy = await startProxy({ refuses: true });
  setEnvironment({ HTTPS_PROXY: proxy.url });
  const transport = undiciTransport({ proxy: 'environment', ...trusting });
  const error = await failureOf(transport(aRequest({ url: server.origin, method: 'POST', body: '{}' })));
  expect(networkSummary(error)).toEqual({ reason: 'network', networkCode: 'UND_ERR_ABORTED', outcome: 'not_sent' });
  expect(error.message).toContain('the proxy did not lead to the API; see HTTPS_PROXY and NO_PROXY');
  expect(server.connections()).toBe(0);
});

test('a proxy that is not there was sent nothing', async () => {
  await using server = await startFaultServer(answer({ body }));
  const proxy = await startProxy();
  proxy[Symbol.dispose]();
  setEnvironment({ HTTP_PROXY: proxy.url });
  const error = await failureOf(undiciTransport({ proxy: 'environment' })(aRequest({ url: server.origin })));
  expect(networkSummary(error)).toEqual({ reason: 'network', networkCode: 'ECONNREFUSED', outcome: 'not_sent' });
});

const env = { HTTPS_PROXY: 'http://proxy.test:3128' };
const question: ProxyQuestion = { proxy: undefined, env, execArgv: [] };

test.each<[what: string, question: Partial<ProxyQuestion>]>([
  ['are used when asked for', { proxy: 'environment' }],
  ['are used with NODE_USE_ENV_PROXY=1', { env: { ...env, NODE_USE_ENV_PROXY: '1' } }],
  ['are used with --use-env-proxy', { execArgv: ['--use-env-proxy'] }],
  [
    'are used with --use-env-proxy in NODE_OPTIONS',
    { env: { ...env, NODE_OPTIONS: '--use-env-proxy --trace-warnings' } },
  ],
])('proxies %s', (_what, different) => {
  expect(proxiesOf({ ...question, ...different })).toEqual({
    httpProxy: '',
    httpsProxy: 'http://proxy.test:3128',
    noProxy: '',
  });
});

test.each<[what: string, question: Partial<ProxyQuestion>]>([
  ['as with fetch, unless Node has to', {}],
  ['when they are not wanted', { proxy: 'none', env: { ...env, NODE_USE_ENV_PROXY: '1' } }],
  ['when there are none', { proxy: 'environment', env: {} }],
])('no proxy is used %s', (_what, different) => {
  expect(proxiesOf({ ...question, ...different })).toBeUndefined();
});
