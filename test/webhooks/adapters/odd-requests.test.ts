import express from 'express';
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { WebhookReceivedEvent } from '../../../src/observability/events.ts';
import { type ProxyEvent, webhook as onLambda } from '../../../src/webhooks/adapters/aws-lambda.ts';
import { webhook as onExpress } from '../../../src/webhooks/adapters/express.ts';
import { webhook as onNode } from '../../../src/webhooks/adapters/node.ts';
import { mutualTls } from '../../../src/webhooks/authentication/mutual-tls.ts';
import type { WebhookReceiver } from '../../../src/webhooks/receiver.ts';
import { makeReceiver } from '../receiver-parts.ts';
import { listening } from './mounted.ts';

/** What a server answers to bytes that no client library would send. */
const answerTo = async (url: string, head: string): Promise<string> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`${head}\r\nHost: hook.test\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`);
  return text(socket);
};

const mounts: readonly (readonly [string, (receive: WebhookReceiver) => RequestListener])[] = [
  ['node', (receive) => onNode(receive)],
  ['express', (receive) => express().all('/{*path}', onExpress(receive))],
];

const toldOf = (told: readonly WebhookReceivedEvent[]) =>
  told.map(({ outcome, reason, status }) => [outcome, reason, status]);

describe.each(mounts)('a receiver on %s', (_, mount) => {
  it('answers 405 to a method that no Request can hold', async () => {
    const { receive, told } = makeReceiver();
    await using server = await listening(createServer(mount(receive)));

    const answer = await answerTo(server.url, 'TRACE / HTTP/1.1');

    expect(answer).toMatch(/^HTTP\/1\.1 405 [\s\S]*{"error":"method_not_allowed"}/);
    expect(toldOf(told)).toEqual([['refused', 'method_not_allowed', 405]]);
  });

  it.each(['http://hook.test:99999/', 'http://user:pass@hook.test/'])(
    'answers 400 to the address %s, and shows no stack',
    async (target) => {
      const { receive, told } = makeReceiver();
      await using server = await listening(createServer(mount(receive)));

      const answer = await answerTo(server.url, `POST ${target} HTTP/1.1`);

      expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*{"error":"malformed_request"}/);
      expect(answer).not.toMatch(/node_modules|\/src\//);
      expect(toldOf(told)).toEqual([['refused', 'malformed_request', 400]]);
    },
  );
});

describe('a receiver on Lambda', () => {
  it.each<[string, ProxyEvent, number, string]>([
    ['a method that no Request can hold', { httpMethod: 'TRACE', path: '/' }, 405, 'method_not_allowed'],
    ['an impossible address', { httpMethod: 'POST', path: 'http://hook.test:99999/' }, 400, 'malformed_request'],
    ['a header that is none', { httpMethod: 'POST', headers: { 'x a': 'b' } }, 400, 'malformed_request'],
  ])('answers %s', async (_, event, status, reason) => {
    const { receive, told } = makeReceiver();

    expect(await onLambda(receive)(event)).toMatchObject({
      statusCode: status,
      body: JSON.stringify({ error: reason }),
    });
    expect(toldOf(told)).toEqual([['refused', reason, status]]);
  });

  it('takes a certificate that cannot be read for none', async () => {
    const { receive, told } = makeReceiver({
      authentication: [mutualTls({ allow: { commonNames: ['hooks.partner.example'] } })],
    });
    const clientCert = { clientCertPem: 'no certificate', subjectDN: 'CN=hooks.partner.example' };

    const answer = await onLambda(receive)({ body: '{}', requestContext: { identity: { clientCert } } });

    expect(answer.statusCode).toBe(401);
    expect(toldOf(told)).toEqual([['refused', 'certificate_missing', 401]]);
  });
});
