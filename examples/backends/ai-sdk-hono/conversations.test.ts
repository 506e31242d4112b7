import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import { expect, test, vi } from 'vitest';
import { startPhoneCall } from 'voice-agent-integrations';
import { defineTool } from 'voice-agent-integrations/tools';
import * as z from 'zod';
import { createLiveCalls } from '../live-calls.ts';
import { createConversations } from './conversations.ts';

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

const wordsOf = async (pieces: AsyncIterable<string>): Promise<string> => {
  let words = '';
  for await (const piece of pieces) words += piece;
  return words;
};

test('a later answer knows what the tools said before, in words that the platform never had', async () => {
  const model = new MockLanguageModelV4({
    doStream: [streamOf('calls the tool'), streamOf('says Fine.'), streamOf('says Fine.')],
  });
  const conversations = createConversations({ model });
  const calls = createLiveCalls({
    startPhoneCall: (options) => startPhoneCall({}, { ...options, tools: { own: [findInvoice] } }),
  });
  const call = calls.of({ callId: 'CA1', direction: 'Inbound' });
  const { signal } = new AbortController();
  const first = [
    { role: 'system', content: 'Of the dashboard.' },
    { role: 'user', content: 'What do I owe?' },
  ];
  const second = [...first, { role: 'assistant', content: 'Fine' }, { role: 'user', content: 'Pay it.' }];

  expect(await wordsOf(conversations.answer(call, first, signal))).toBe('Fine.');
  expect(await wordsOf(conversations.answer(call, second, signal))).toBe('Fine.');

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
  const conversations = createConversations({ model, answerMs: 20 });
  const calls = createLiveCalls({ startPhoneCall: (options) => startPhoneCall({}, options) });
  const call = calls.of({ callId: 'CA1', direction: 'Inbound' });
  const spoken = [{ role: 'user', content: 'What do I owe?' }];

  const answer = conversations.answer(call, spoken, new AbortController().signal);

  expect(await wordsOf(answer)).toBe('I am sorry, something went wrong here. Could you say that again?');
  expect(errors).toHaveBeenCalledExactlyOnceWith(new Error('the model took too long'));
  errors.mockRestore();
});
