import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type Anthropic from '@anthropic-ai/sdk';
import { type DialogueEntry, nextStep } from '../support/scripted-model.ts';

/** The scripted model behind Anthropic's Messages. */
export interface FakeClaude extends AsyncDisposable {
  /** For `ANTHROPIC_BASE_URL`. */
  readonly baseUrl: string;
}

export const startFakeClaude = async (): Promise<FakeClaude> => {
  const server = createServer((request, response) => {
    // Only Anthropic's package sends here.
    void json(request).then((body) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answerTo(body as { readonly messages: readonly Anthropic.MessageParam[] })));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const answerTo = ({ messages }: { readonly messages: readonly Anthropic.MessageParam[] }) => {
  const step = nextStep(messages.flatMap(toDialogue));
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    stop_reason: 'calls' in step ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
    content:
      'calls' in step
        ? step.calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }))
        : [{ type: 'text', text: step.says }],
  };
};

const toDialogue = ({ role, content }: Anthropic.MessageParam): DialogueEntry[] => {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return blocks.flatMap((block): DialogueEntry[] => {
    if (block.type === 'text') return [role === 'user' ? { caller: block.text } : { agent: block.text }];
    return block.type === 'tool_result' && typeof block.content === 'string' ? [{ result: block.content }] : [];
  });
};
