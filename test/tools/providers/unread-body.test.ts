import { request } from 'node:http';
import { expect, test } from 'vitest';
import { webhook } from '../../../src/tools/providers/elevenlabs.ts';
import { retell } from '../../../src/tools/providers/retell.ts';
import { vapi } from '../../../src/tools/providers/vapi.ts';
import { createPlatformTools } from '../../support/platform-tools.ts';
import { serve } from '../../support/serve.ts';

const secret = () => 'the-secret';
const { toolbox } = createPlatformTools();

test.each<[string, (request: Request) => Promise<Response>, Readonly<Record<string, string>>]>([
  ['Vapi', vapi.handler({ toolbox, secret }), { 'x-vapi-secret': 'wrong' }],
  ['ElevenLabs', webhook.handler({ toolbox, secret }), { 'x-tools-secret': 'wrong', 'x-conversation-id': 'c1' }],
  ['Retell', retell.handler({ toolbox, apiKey: secret }), {}],
])('a request without the secret of %s is refused before its body is read', async (_platform, handle, headers) => {
  let read = 0;
  await using server = await serve((incoming) => {
    const counted = new Proxy(incoming, {
      get: (target, name) => {
        if (name === 'body') read += 1;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    return handle(counted);
  });

  // The body never comes.
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sent = request(
      `${server.url}/tools/pay`,
      { method: 'POST', headers: { ...headers, 'content-type': 'application/json', 'content-length': 4_000_000 } },
      (response) => {
        resolve(response.statusCode);
        sent.destroy();
      },
    );
    sent.once('error', reject);
    sent.write('{"amount":');
  });

  expect({ status, read }).toEqual({ status: 401, read: 0 });
});
