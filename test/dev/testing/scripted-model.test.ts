import { expect, test } from 'vitest';
import { createScriptedModel } from '../../../src/dev/testing/index.ts';

const asked = (token: string) => ({ error: 'confirmation_required', summary: 'Shall I?', confirmation_token: token });
const payment = { call: 'create_payment', args: { amount: 120.5 }, confirmed: true };
const parameters = { name: 'create_payment', parameters: { type: 'object' } };

/** The same conversation as the vendors write it: two questions, and the caller's yes. */
const conversations = {
  '/v1/chat/completions': {
    messages: ['t1.x', 't2.x-y'].map((token) => ({ role: 'tool', content: JSON.stringify(asked(token)) })),
    tools: [{ type: 'function', function: parameters }],
  },
  '/v1/responses': {
    input: ['t1.x', 't2.x-y'].map((token) => ({ type: 'function_call_output', output: JSON.stringify(asked(token)) })),
    tools: [{ type: 'function', ...parameters }],
  },
  '/v1beta/models/any:generateContent': {
    contents: ['t1.x', 't2.x-y'].map((token) => ({
      parts: [{ functionResponse: { name: 'create_payment', response: { output: JSON.stringify(asked(token)) } } }],
    })),
    tools: [{ functionDeclarations: [parameters] }],
  },
};

const post = async (url: string, body: object) =>
  (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).text();

test.each(Object.entries(conversations))(
  'over %s, confirmed sends the token of the last question',
  async (path, body) => {
    await using model = createScriptedModel([payment]);

    const answer = await post(`${await model.listen()}${path}`, body);

    expect(answer).toContain('t2.x-y');
    expect(answer).not.toContain('t1.x');
  },
);

test('a confirmation that no tool has asked for is refused, with the step', async () => {
  await using model = createScriptedModel([payment]);
  const { tools } = conversations['/v1/chat/completions'];

  const answer = await post(`${await model.listen()}/v1/chat/completions`, { messages: [], tools });

  expect(answer).toContain('Step 1 confirms create_payment, and no tool has asked for a confirmation.');
});
