/** A client of an API of your own, and a tool over it: `npm run example own-apis`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApiClient } from 'voice-agent-integrations';
import { apiKey, bearer, combined, fromEnv } from 'voice-agent-integrations/auth';
import { createToolbox, toolFrom } from 'voice-agent-integrations/tools';
import * as z from 'zod';

// Plays the API of a shop. Its first answer is a failure.
let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  const url = new URL(request.url ?? '', 'http://shop');
  const page =
    url.searchParams.get('cursor') === 'p2'
      ? { data: [{ id: 'A-19', total: 9 }] }
      : {
          data: [
            { id: 'A-17', total: 42 },
            { id: 'A-18', total: 7 },
          ],
          cursor: 'p2',
        };
  const known = url.pathname === '/orders/A-17' ? { id: 'A-17', total: 42 } : undefined;
  const answer = url.pathname === '/orders' ? page : known;
  response.writeHead(requests === 1 ? 503 : answer ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer ?? { error: 'not found' }));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
Object.assign(process.env, { SHOP_KEY: 'shop-key', GATEWAY_TOKEN: 'gateway-token' });

const order = z.object({ id: z.string(), total: z.number() });

const orders = createApiClient({
  name: 'orders',
  baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  // Two credentials at once, as a gateway in front of the shop may want.
  authenticate: combined(apiKey('X-Key', fromEnv('SHOP_KEY')), bearer(fromEnv('GATEWAY_TOKEN'))),
  endpoints: {
    find: { method: 'GET', path: '/orders/{id}', returns: order, absentOn404: true },
    list: {
      method: 'GET',
      path: '/orders',
      query: z.object({ customer: z.string() }),
      returns: z.object({ data: z.array(order) }),
      next: 'cursor',
    },
  },
});

const found = await orders.find({ id: 'A-17' });
console.log(`A-17 costs ${found?.total}, after ${requests} requests`);
console.log('A-99 is', await orders.find({ id: 'A-99' }));
const { response } = await orders.find({ id: 'A-17' }).withResponse();
console.log(`answered with ${response.status}`);

for await (const { id, total } of orders.list({ customer: 'c_1' })) console.log(`c_1 ordered ${id} for ${total}`);

const findOrder = toolFrom(orders.find, { description: 'Finds an order by its number.' });
const toolbox = createToolbox({ tools: [findOrder], context: { callId: 'call-1' } });
console.log('The model reads', (await toolbox.run('orders_find', { id: 'A-17' })).text);

await orders.close();
server.close();
