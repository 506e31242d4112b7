import { expect, test } from 'vitest';
import {
  createPlatformHandler,
  type PlatformHandlerOptions,
  toolboxOf,
} from '../../../src/tools/providers/platform-handler.ts';
import { createPlatformTools } from '../../support/platform-tools.ts';
import { serve } from '../../support/serve.ts';

/** A platform that asks for a tool by name and shows what it knows. */
const handlerOf = (options: PlatformHandlerOptions) =>
  createPlatformHandler(
    {
      isGenuine: async ({ headers }) => headers.get('x-forged') === null,
      answer: async (body) => {
        const { tool } = body;
        if (typeof tool !== 'string') return undefined;
        const toolbox = await toolboxOf(options, { callId: 'call_1', phone: '+14155550100', body });
        return (await toolbox.run(tool, {})).value;
      },
    },
    options,
  );

test.each([
  ['a GET', '', { method: 'GET' }, 405, ''],
  ['a forged request', '{"tool":"who_is_calling"}', { headers: { 'x-forged': 'yes' } }, 401, { error: 'unauthorized' }],
  ['what is no JSON', '{"tool":', {}, 400, { error: 'malformed_body' }],
  ['a list', '[]', {}, 400, { error: 'malformed_body' }],
  ['what is nested too deeply', `{"tool":${'['.repeat(300)}${']'.repeat(300)}}`, {}, 400, { error: 'malformed_body' }],
  ['what the platform never asks', '{}', {}, 400, { error: 'malformed_body' }],
  ['an empty body', '', {}, 400, { error: 'malformed_body' }],
  ['more than four megabytes', ' '.repeat(4 * 1024 * 1024 + 1), {}, 413, { error: 'body_too_large' }],
])('%s is refused', async (_, body, options, status, answered) => {
  await using server = await serve(handlerOf({ toolbox: createPlatformTools().toolbox }));

  expect(await server.post(body, options)).toEqual({ status, body: answered });
});

test('one toolbox for all gets the phone call and its caller', async () => {
  await using server = await serve(handlerOf({ toolbox: createPlatformTools().toolbox }));

  expect(await server.post({ tool: 'who_is_calling' })).toEqual({
    status: 200,
    body: { callId: 'call_1', phone: '+14155550100', verified: 'caller-id' },
  });
});

test('what the application knows about the phone call wins over what the platform says', async () => {
  const { toolbox } = createPlatformTools();
  const seen: unknown[] = [];
  await using server = await serve(
    handlerOf({
      toolbox: async (call) => {
        seen.push(call);
        return toolbox.bind({ callId: 'CA1', caller: { phone: '+14155550199', verified: 'strong' } });
      },
    }),
  );

  expect(await server.post({ tool: 'who_is_calling' })).toEqual({
    status: 200,
    body: { callId: 'CA1', phone: '+14155550199', verified: 'strong' },
  });
  expect(seen).toEqual([{ callId: 'call_1', phone: '+14155550100', body: { tool: 'who_is_calling' } }]);
});

test('what the application throws is reported to the application alone', async () => {
  const errors: unknown[] = [];
  const problem = new Error('pg://root:hunter2@db.internal refused');
  await using server = await serve(
    handlerOf({ toolbox: () => Promise.reject(problem), onError: (error) => errors.push(error) }),
  );

  expect(await server.post({ tool: 'who_is_calling' })).toEqual({ status: 500, body: { error: 'failed' } });
  expect(errors).toEqual([problem]);
});

test('an application without onError is answered too', async () => {
  await using server = await serve(handlerOf({ toolbox: () => Promise.reject(new Error('no')) }));

  expect(await server.post({ tool: 'who_is_calling' })).toEqual({ status: 500, body: { error: 'failed' } });
});
