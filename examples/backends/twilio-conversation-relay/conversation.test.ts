import OpenAI from 'openai';
import { expect, test, vi } from 'vitest';
import { createIntegration } from 'voice-agent-integrations';
import { apiKey } from 'voice-agent-integrations/auth';
import { startFakeChatModel } from '../support/fake-chat-model.ts';
import { startConversation } from './conversation.ts';

test('a model that stops in the middle of an answer is not waited for without end', async () => {
  const errors = vi.spyOn(console, 'error').mockReturnValue();
  await using scripted = await startFakeChatModel();
  await using integration = createIntegration({
    billing: { baseUrl: 'http://127.0.0.1:9', authenticate: apiKey('X-Api-Key', () => 'test') },
    payments: { below: 5000 },
  });
  const sent: object[] = [];
  const { hear } = startConversation({
    call: integration.liveCalls().of({ callId: 'CA1', phone: '+14155550100' }),
    model: new OpenAI({ apiKey: 'test', baseURL: scripted.baseUrl, maxRetries: 0 }),
    send: (message) => sent.push(message),
    answerMs: 300,
  });

  // It begins, and does not come to its end.
  hear('Tell me a story.');

  const apology = 'I am sorry, something went wrong here. Could you say that again?';
  await vi.waitUntil(() => sent.some((message) => 'last' in message && message.last));
  expect(sent.at(-1)).toEqual({ type: 'text', token: apology, last: true });
  expect(errors).toHaveBeenCalledOnce();
  errors.mockRestore();
});
