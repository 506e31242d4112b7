import { serve } from '@hono/node-server';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { Agent, createServer, request as httpRequest, type Server } from 'node:http';
import { describe, expect, it } from 'vitest';
import { webhook as forExpress } from '../../../src/webhooks/adapters/express.ts';
import { webhook as forFastify } from '../../../src/webhooks/adapters/fastify.ts';
import { webhook as forHono } from '../../../src/webhooks/adapters/hono.ts';
import { webhook as forNode } from '../../../src/webhooks/adapters/node.ts';
import type { WebhookReceiver } from '../../../src/webhooks/receiver.ts';
import { delivery, payment, seen } from '../receiver-parts.ts';
import { listening, makeMounted } from './mounted.ts';

const servers: Readonly<Record<string, (receive: WebhookReceiver) => Promise<Server>>> = {
  'node:http': async (receive) => createServer(forNode(receive)),
  'Express 5': async (receive) => {
    const app = express();
    app.all('/hook/billing', forExpress(receive));
    app.use(express.json());
    return createServer(app);
  },
  'Fastify 5': async (receive) => {
    const app = Fastify();
    await app.register(forFastify(receive, { url: '/hook/billing' }));
    await app.ready();
    return app.server;
  },
  Hono: async (receive) => {
    const app = new Hono();
    app.all('/hook/billing', forHono(receive));
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false });
    await new Promise((resolve) => server.close(resolve));
    // Of this library's two kinds of server, it is the one for HTTP/1.
    return server as Server;
  },
};

describe.each(Object.entries(servers))('a receiver in %s', (_, make) => {
  it('takes a delivery over a real socket, byte for byte', async () => {
    const { receive, handled, peers } = makeMounted();
    await using server = await listening(await make(receive));
    const body = '{ "type":"payment.confirmed",\n"payment_id": "pay_ü",  "amount": 12.50 }';

    const answer = await fetch(delivery(body, { url: `${server.url}/hook/billing` }));

    expect(await seen(answer)).toEqual({ status: 200, body: { noted: 'pay_ü' } });
    expect(handled).toEqual(['pay_ü']);
    expect(peers).toEqual([{ address: '127.0.0.1' }]);
  });

  it('answers HEAD', async () => {
    const { receive } = makeMounted();
    await using server = await listening(await make(receive));

    expect((await fetch(`${server.url}/hook/billing`, { method: 'HEAD' })).status).toBe(200);
  });

  it('answers what is too large', async () => {
    const { receive } = makeMounted();
    await using server = await listening(await make(receive));

    expect(await overOneConnection(server.url, [tooLarge])).toEqual([413]);
  });

  it('survives a sender that hangs up within the body', async () => {
    const { receive, handled } = makeMounted();
    await using server = await listening(await make(receive));

    await hangUp(`${server.url}/hook/billing`);
    const answer = await fetch(delivery(payment(), { url: `${server.url}/hook/billing` }));

    expect([answer.status, handled]).toEqual([200, ['pay_1']]);
  });
});

// The receiver refuses it, whichever server hands it over: one on Node's requests, and one on those of the web.
describe.each(Object.entries(servers).filter(([name]) => ['node:http', 'Hono'].includes(name)))(
  'a receiver in %s',
  (_, make) => {
    it('refuses a forged one', async () => {
      const { receive, handled } = makeMounted();
      await using server = await listening(await make(receive));

      const answer = await fetch(delivery(payment(), { secret: 'other', url: `${server.url}/hook/billing` }));

      expect(await seen(answer)).toEqual({ status: 401, body: { error: 'unauthorized' } });
      expect(handled).toEqual([]);
    });
  },
);

// Hono's server closes the connection after a body that was not read to its end.
it.each(Object.entries(servers).filter(([name]) => name !== 'Hono'))(
  'after a refusal, %s goes on with the same connection',
  async (_, make) => {
    const { receive } = makeMounted();
    await using server = await listening(await make(receive));

    expect(await overOneConnection(server.url, [tooLarge, payment(), tooLarge, payment()])).toEqual([
      413, 200, 413, 200,
    ]);
  },
);

const tooLarge = payment({ padding: 'x'.repeat(600_000) });

describe('when a body parser ran first', () => {
  it('Express gets an error with the fix when only an object is left', async () => {
    const { receive, handled } = makeMounted();
    const caught: unknown[] = [];
    const app = express();
    app.use(express.json());
    app.post('/hook/billing', forExpress(receive));
    app.use((error: unknown, _request: express.Request, response: express.Response, _next: express.NextFunction) => {
      caught.push(error);
      response.sendStatus(500);
    });
    await using server = await listening(createServer(app));

    const answer = await fetch(delivery(payment(), { url: `${server.url}/hook/billing` }));

    expect([answer.status, handled]).toEqual([500, []]);
    expect(String(caught[0])).toContain('express.raw({ type: () => true }) in place of express.json()');
  });

  it.each([
    ['express.raw', express.raw({ type: () => true })],
    ['express.text', express.text({ type: () => true })],
    ['express.json that keeps the bytes', express.json({ verify: keepRawBody })],
  ])('Express hands on the bytes that %s has', async (_, parser) => {
    const { receive, handled } = makeMounted();
    const app = express();
    app.use(parser);
    app.post('/hook/billing', forExpress(receive));
    await using server = await listening(createServer(app));

    expect((await fetch(delivery(payment(), { url: `${server.url}/hook/billing` }))).status).toBe(200);
    expect(handled).toEqual(['pay_1']);
  });

  it('Express is content with a router below a path', async () => {
    const { receive, peers } = makeMounted();
    const router = express.Router();
    router.post('/billing', forExpress(receive));
    const app = express();
    app.use('/hook', router);
    await using server = await listening(createServer(app));

    expect((await fetch(delivery(payment(), { url: `${server.url}/hook/billing?a=1` }))).status).toBe(200);
    expect(peers.length).toBe(1);
  });

  it('node:http answers 500 and gives the developer the error', async () => {
    const { receive } = makeMounted();
    const errors: unknown[] = [];
    const listener = forNode(receive, { onError: (error) => errors.push(error) });
    const app = createServer(async (incoming, outgoing) => {
      for await (const chunk of incoming) void chunk;
      listener(incoming, outgoing);
    });
    await using server = await listening(app);

    expect((await fetch(delivery(payment(), { url: server.url }))).status).toBe(500);
    expect(String(errors[0])).toContain('was read already, by a body parser that ran first');
  });

  it('Fastify keeps its parsers for all other routes', async () => {
    const { receive, handled } = makeMounted();
    const app = Fastify();
    app.post('/other', (request, reply) => reply.send({ got: request.body }));
    await app.register(forFastify(receive, { url: '/hook/billing' }));
    await app.ready();
    await using server = await listening(app.server);

    const other = await fetch(delivery({ a: 1 }, { url: `${server.url}/other` }));
    const own = await fetch(delivery(payment(), { url: `${server.url}/hook/billing` }));

    expect(await other.json()).toEqual({ got: { a: 1 } });
    expect([own.status, handled]).toEqual([200, ['pay_1']]);
  });

  it('Hono’s own copy of the text is used', async () => {
    const { receive, handled } = makeMounted();
    const app = new Hono();
    app.use(async (context, next) => {
      await context.req.json();
      await next();
    });
    app.post('/hook/billing', forHono(receive, { peer: () => ({ address: '192.0.2.1' }) }));

    const answer = await app.fetch(
      delivery('{ "type": "payment.confirmed", "payment_id": "pay_1" }', { url: 'http://hook.test/hook/billing' }),
    );

    expect([answer.status, handled]).toEqual([200, ['pay_1']]);
  });
});

function keepRawBody(request: object, _response: object, rawBody: Buffer) {
  Object.assign(request, { rawBody });
}

/** Sends these one after the other, without announcing their lengths, and gives the statuses. */
const overOneConnection = async (url: string, bodies: readonly object[]): Promise<number[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses: number[] = [];
  try {
    for (const body of bodies) {
      const text = JSON.stringify(body);
      const headers = Object.fromEntries(delivery(text).headers);
      statuses.push(
        await new Promise<number>((resolve, reject) => {
          const request = httpRequest(`${url}/hook/billing`, { method: 'POST', headers, agent }, (response) => {
            response.resume().on('end', () => resolve(response.statusCode ?? 0));
          });
          request.on('error', reject);
          for (let at = 0; at < text.length; at += 50_000) request.write(text.slice(at, at + 50_000));
          request.end();
        }),
      );
    }
  } finally {
    agent.destroy();
  }
  return statuses;
};

const hangUp = (url: string): Promise<void> =>
  new Promise((resolve) => {
    const request = httpRequest(url, { method: 'POST', headers: { 'content-length': '1000' } });
    request.on('error', () => resolve());
    request.on('close', () => resolve());
    request.write('{"type":', () => request.destroy());
  });
