/** Vapi with a model of one's own, and the model of OpenAI behind that. */
import { startFakeChatModel } from '../support/fake-chat-model.ts';
import { type OfflineVapi, startFakeVapi, type Think } from '../vapi/fake-vapi.ts';

const token = 'token-of-this-example';

/** Asks the custom LLM what to say, with everything that was said so far. */
const askCustomLlm: Think = async ({ dialogue, assistant, call, localUrl }) => {
  const messages = dialogue.flatMap((entry) => {
    if ('caller' in entry) return [{ role: 'user', content: entry.caller }];
    return 'agent' in entry ? [{ role: 'assistant', content: entry.agent }] : [];
  });
  const { status, text } = await complete(localUrl(`${assistant.model.url}/chat/completions`), {
    model: assistant.model.model,
    messages: [{ role: 'system', content: 'Of the dashboard.' }, ...messages],
    stream: true,
    call,
  });
  if (status !== 200) throw new Error(`the custom LLM answered ${status}: ${text}`);
  dialogue.push({ agent: spokenIn(text) });
};

/** A request of Vapi's to a custom LLM. */
const complete = async (url: string, body: object, given = token) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${given}` },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
};

/** What is said of a stream that came to its end. */
const spokenIn = (stream: string): string => {
  const events = stream.split('\n\n').flatMap((event) => (event.startsWith('data: ') ? [event.slice(6)] : []));
  if (events.at(-1) !== '[DONE]') throw new Error(`the stream has no end: ${stream}`);
  const chunks = events.slice(0, -1).map((event) => JSON.parse(event) as Chunk);
  return chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
};

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}

export interface OfflineCustomLlm extends OfflineVapi {
  /** Asks for an answer as Vapi does. Resolves with what is said. */
  readonly ask: (body: object) => Promise<string>;
}

export const startOffline = async (
  env: Readonly<Record<string, string>>,
  { modelUrl }: { readonly modelUrl?: string } = {},
): Promise<OfflineCustomLlm> => {
  const model = await startFakeChatModel();
  const backend = await startFakeVapi({
    file: new URL('server.ts', import.meta.url),
    env: { ...env, LLM_TOKEN: token, OPENAI_API_KEY: 'test', OPENAI_BASE_URL: modelUrl ?? model.baseUrl },
    think: askCustomLlm,
  });
  const url = `http://127.0.0.1:${backend.port}/llm/chat/completions`;
  return {
    ...backend,
    ask: async (body) => spokenIn((await complete(url, body)).text),
    forge: async () => [...(await backend.forge()), (await complete(url, { messages: [] }, 'guess')).status],
    [Symbol.asyncDispose]: async () => {
      await backend[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
};
