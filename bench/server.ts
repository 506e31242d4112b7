/** The other side, in a process of its own so that its cost is not counted: quick answers, and the ways to be slow. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { contactJson, customerJson, invoicesJson, paymentJson } from './answers.ts';

type Answer = (response: ServerResponse) => void;

const dripEveryMs = 20;
const slowMs = 200;
const billingMs = 20;

const json =
  (text: string): Answer =>
  (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      .end(text);

const drip = (response: ServerResponse, drop: () => void): void => {
  const timer = setInterval(drop, dripEveryMs);
  response.once('close', () => clearInterval(timer));
};

/** By the first two segments of the path, or the first. */
const answers: Readonly<Record<string, Answer>> = {
  contacts: json(contactJson),
  v1: json(paymentJson),
  'v1/customers': json(contactJson),
  models: json(contactJson),
  chat: json(paymentJson),
  'services/data': (response) => json(response.req.method === 'GET' ? contactJson : paymentJson)(response),
  slow: (response) => void setTimeout(() => json(contactJson)(response), slowMs),
  'voice/customers': (response) =>
    void setTimeout(() => {
      const isList = response.req.url?.includes('/invoices') ?? false;
      json(isList ? invoicesJson : customerJson)(response);
    }, billingMs),
  'voice/invoices': (response) => void setTimeout(() => json(invoicesJson)(response), billingMs),
  silent: () => {},
  'informational-drip': (response) => drip(response, () => response.writeProcessing()),
  'stalled-body': (response) =>
    void response.writeHead(200, { 'content-length': contactJson.length }).write(contactJson.slice(0, 100)),
  'byte-drip': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    drip(response, () => response.write(' '));
  },
  'retry-after': (response) => response.writeHead(429, { 'retry-after': '120', 'content-length': 0 }).end(),
};

const answer = (request: IncomingMessage, response: ServerResponse): void => {
  request.resume();
  const [, first = '', second = ''] = (request.url ?? '').split('?')[0]?.split('/') ?? [];
  (answers[`${first}/${second}`] ?? answers[first] ?? json('{}'))(response);
};

const [cert, key] = process.argv.slice(2);
const keepAliveTimeout = 60_000;
const server = cert
  ? createTlsServer({ cert, key, keepAliveTimeout }, answer)
  : createServer({ keepAliveTimeout }, answer);
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
