import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import { expect, test, vi } from 'vitest';
import { createIntegration } from 'voice-agent-integrations';
import { apiKey } from 'voice-agent-integrations/auth';
import { defineTool } from 'voice-agent-integrations/tools';
import * as z from 'zod';
import { answer, type Spoken, startConversation } from './conversations.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const streamOf = (part: 'calls the tool' | 'says Fine.') => ({
  stream: convertArrayToReadableStream([
    { type: 'stream-start' as const, warnings: [] },
    ...(part === 'calls the tool'
      ? [{ type: 'tool-call' as const, toolCallId: 'call_1', toolName: 'find_invoice', input: '{}' }]
      : [
          { type: 'text-start' as const, id: 'text' },
          { type: 'text-delta' as const, id: 'text', delta: 'Fine.' },
          { type: 'text-end' as const, id: 'text' },
        ]),
    {
      type: 'finish' as const,
      finishReason: {
        unified: part === 'calls the tool' ? ('tool-calls' as const) : ('stop' as const),
        raw: undefined,
      },
      usage,
    },
  ]),
});

const findInvoice = defineTool({
  name: 'find_invoice',
  description: 'Finds the open invoice.',
  parameters: z.object({}),
  effect: 'read',
  run: () => ({ invoice_id: 'inv_1' }),
  compact: (invoice) => invoice,
});

/** A phone call that goes on, with what the agent says to the caller. Nothing asks its billing API. */
const ring = (model: MockLanguageModelV4, answerMs?: number) => {
  const integration = createIntegration({
    billing: { baseUrl: 'http://127.0.0.1:9', authenticate: apiKey('X-Api-Key', () => 'test') },
    payments: { below: 5000 },
    phoneCalls: { tools: { own: [findInvoice] } },
  });
  const call = integration.liveCalls({ state: startConversation }).of({ callId: 'CA1' });
  const { signal } = new AbortController();
  const ask = async (spoken: readonly Spoken[]): Promise<string> => {
    let words = '';
    const write = async (piece: string) => void (words += piece);
    await answer(call, spoken, { model, signal, write, answerMs });
    return words;
  };
  return { call, ask };
};

test('a later answer knows what the tools said before, in words that the platform never had', async () => {
  const model = new MockLanguageModelV4({
    doStream: [streamOf('calls the tool'), streamOf('says Fine.'), streamOf('says Fine.')],
  });
  const { ask } = ring(model);
  const first = [
    { role: 'system', content: 'Of the dashboard.' },
    { role: 'user', content: 'What do I owe?' },
  ];
  const second = [...first, { role: 'assistant', content: 'Fine' }, { role: 'user', content: 'Pay it.' }];

  expect(await ask(first)).toBe('Fine.');
  expect(await ask(second)).toBe('Fine.');

  const prompt = model.doStreamCalls.at(-1)?.prompt ?? [];
  // The part of the first answer that was spoken, and not what was written.
  expect(prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
  expect(JSON.stringify(prompt[3])).toContain('inv_1');
  expect(JSON.stringify(prompt[4])).not.toContain('Fine.');
  expect(JSON.stringify(prompt[0])).not.toContain('Of the dashboard.');
});

test('a model that says nothing is not waited for without end', async () => {
  const errors = vi.spyOn(console, 'error').mockReturnValue();
  const model = new MockLanguageModelV4({ doStream: async () => ({ stream: new ReadableStream() }) });
  const { ask } = ring(model, 20);

  expect(await ask([{ role: 'user', content: 'What do I owe?' }])).toBe(
    'I am sorry, something went wrong here. Could you say that again?',
  );
  expect(errors).toHaveBeenCalledExactlyOnceWith(new Error('the model took too long'));
  errors.mockRestore();
});
