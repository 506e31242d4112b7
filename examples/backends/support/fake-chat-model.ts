import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type DialogueEntry, nextStep } from './scripted-model.ts';

/** The scripted model behind OpenAI's Chat Completions, streamed. */
export interface FakeChatModel extends AsyncDisposable {
  /** For `OPENAI_BASE_URL`. */
  readonly baseUrl: string;
}

export const startFakeChatModel = async (): Promise<FakeChatModel> => {
  const server = createServer((request, response) => {
    // Such as a request that only opens the connection.
    if (request.method !== 'POST') return void response.writeHead(404).end();
    // Only the package of the model sends here.
    void json(request).then((body) => stream((body as ChatRequest).messages, response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content?: string | null }[];
}

const stream = (messages: ChatRequest['messages'], response: ServerResponse): void => {
  const step = nextStep(messages.flatMap(toDialogue));
  const isStory = 'says' in step && step.says.startsWith('Well');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (delta: object, finish_reason: string | null = null) =>
    response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason }] })}\n\n`);

  if ('calls' in step) {
    const tool_calls = step.calls.map(({ id, name, args }, index) => ({
      index,
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }));
    write({ role: 'assistant', content: null, tool_calls });
    write({}, 'tool_calls');
  } else {
    // A story begins and does not come to its end, so that the caller can talk over it.
    const words = step.says.split(/(?<= )/);
    for (const content of isStory ? words.slice(0, 1) : words) write({ role: 'assistant', content });
    if (isStory) return;
    write({}, 'stop');
  }
  response.end('data: [DONE]\n\n');
};

const chunk = { id: 'chatcmpl_1', object: 'chat.completion.chunk', created: 1, model: 'scripted' };

const toDialogue = ({ role, content }: ChatRequest['messages'][number]): DialogueEntry[] => {
  const words = content ?? '';
  if (role === 'user') return [{ caller: words }];
  if (role === 'tool') return [{ result: words }];
  return role === 'assistant' ? [{ agent: words }] : [];
};
