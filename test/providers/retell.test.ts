import { Retell } from 'retell-sdk';
import { createPaymentTools } from '../support/payment-tools.ts';
import { serve } from '../support/serve.ts';
import { expect, test } from 'vitest';
import { retell } from '../../src/tools/providers/retell.ts';
import { type Driven, describeTarget, type ModelResult } from './suite.ts';

const apiKey = 'key_1';

describeTarget({
  name: 'Retell, signed by its package',
  flagsErrors: false,
  sendsText: false,
  drive: async (toolbox, turns): Promise<Driven> => {
    await using server = await serve(retell.handler({ toolbox, apiKey: () => apiKey }));
    const results: ModelResult[] = [];
    for (const calls of turns) {
      const answers = calls.map(async ({ id, name, args }) => {
        const body = JSON.stringify({ name, call: { call_id: 'retell_1', call_type: 'web_call' }, args });
        const headers = { 'x-retell-signature': await Retell.sign(body, apiKey) };
        return { id, text: JSON.stringify((await server.post(body, { headers })).body) };
      });
      results.push(...(await Promise.all(answers)));
    }
    return { sent: JSON.stringify([retell.tools(toolbox, { url: server.url }), results]), results };
  },
});
