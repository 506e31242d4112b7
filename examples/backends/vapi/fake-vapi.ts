/** A stand-in for Vapi: it has the telephone, and sends a backend the messages that Vapi sends. */
import type { Line, Offline } from '../support/offline.ts';
import { type DialogueEntry, type ModelCall, nextStep } from '../support/scripted-model.ts';
import { startServerProcess } from '../support/server-process.ts';

const secret = 'secret-of-this-example';
/** The public address of the backend. */
const publicUrl = 'https://agent.example.com';

export interface OfflineVapi extends Offline {
  /** Posts a message, as Vapi wraps and authenticates it. */
  readonly post: (path: string, message: object, given?: string) => Promise<Posted>;
}

export interface Posted {
  readonly status: number;
  readonly body: string;
}

export interface FakeVapiOptions {
  /** The backend's server. */
  readonly file: URL;
  readonly env: Readonly<Record<string, string>>;
  /** What Vapi's model, or the model that it asks, does with what the caller said: ends when there is an answer. */
  readonly think?: Think;
}

/** Adds to `dialogue` until the agent has answered. */
export type Think = (turn: {
  readonly dialogue: DialogueEntry[];
  readonly assistant: Assistant;
  readonly call: object;
  /** Posts to an address that the assistant names. */
  readonly send: (url: string, message: object) => Promise<Posted>;
  /** The real address of the backend. */
  readonly localUrl: (url: string) => string;
}) => Promise<void>;

export const startFakeVapi = async ({ file, env, think = callTools }: FakeVapiOptions): Promise<OfflineVapi> => {
  const server = await startServerProcess(file, { ...env, VAPI_SECRET: secret, PUBLIC_URL: publicUrl });

  const postTo = async (url: string, message: object, given = secret): Promise<Posted> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-vapi-secret': given },
      body: JSON.stringify({ message: { timestamp: Date.now(), ...message } }),
    });
    return { status: response.status, body: await response.text() };
  };
  const post = (path: string, message: object, given?: string) =>
    postTo(`http://127.0.0.1:${server.port}${path}`, message, given);

  const ring = async ({ callId, phone }: { readonly callId: string; readonly phone: string }): Promise<Line> => {
    const call = { id: callId, type: 'inboundPhoneCall', customer: { number: phone } };
    const startedAt = new Date().toISOString();
    const { body } = await post('/vapi/events', { type: 'assistant-request', call });
    const { assistant } = JSON.parse(body) as { readonly assistant: Assistant };
    const dialogue: DialogueEntry[] = [{ agent: assistant.firstMessage }];

    let { port } = server;
    const localUrl = (url: string) => url.replace(publicUrl, `http://127.0.0.1:${port}`);
    const send = (url: string, message: object) =>
      postTo(localUrl(url), { call, artifact: { transcript: dialogue.flatMap(spoken).join('\n') }, ...message });
    const tell = (message: object) => send(assistant.server.url, message);
    await tell({ type: 'status-update', status: 'in-progress' });

    return {
      dialogue: () => dialogue.flatMap((entry) => ('agent' in entry ? [entry.agent] : [])),
      say: async (words) => {
        dialogue.push({ caller: words });
        await think({ dialogue, assistant, call, send, localUrl });
        const last = dialogue.at(-1);
        return last && 'agent' in last ? last.agent : '';
      },
      hangUp: async () => {
        const endedReason = 'customer-ended-call';
        await tell({ type: 'status-update', status: 'ended', endedReason });
        await tell({
          type: 'end-of-call-report',
          endedReason,
          analysis: { summary: 'Ann Lee asked what she owes.' },
          startedAt,
          endedAt: new Date().toISOString(),
        });
      },
      // The report of it gets lost.
      drop: () => void tell({ type: 'status-update', status: 'ended', endedReason: 'worker-shutdown' }),
      goOnAt: (other) => {
        port = other;
      },
    };
  };

  return {
    port: server.port,
    ring,
    forge: async () => {
      const call = { id: 'CA1', type: 'inboundPhoneCall', customer: { number: '+14155550100' } };
      const answers = [
        await post('/vapi/events', { type: 'assistant-request', call }, 'a guess'),
        await post('/vapi/events', { type: 'end-of-call-report', call }, 'a guess'),
      ];
      return answers.map(({ status }) => status);
    },
    post,
    stop: server.stop,
    printed: server.printed,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  };
};

/** A model at Vapi: it asks where the assistant says that its tools are. */
const callTools: Think = async ({ dialogue, assistant, send }) => {
  const run = async ({ id, name, args }: ModelCall): Promise<DialogueEntry> => {
    const tool = assistant.model.tools?.find((known) => known.function.name === name);
    if (!tool) throw new Error(`the assistant has no tool ${name}`);
    const toolCallList = [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }];
    const { body } = await send(tool.server.url, { type: 'tool-calls', toolCallList });
    const [answer] = (JSON.parse(body) as { readonly results: readonly ToolAnswer[] }).results;
    return { result: answer?.result ?? answer?.error ?? '' };
  };
  for (;;) {
    const step = nextStep(dialogue);
    if ('says' in step) return void dialogue.push({ agent: step.says });
    dialogue.push(...(await Promise.all(step.calls.map(run))));
  }
};

/** What is read of the assistant that answers. */
export interface Assistant {
  readonly firstMessage: string;
  readonly server: { readonly url: string };
  readonly model: {
    /** Where a model of one's own is. */
    readonly url?: string;
    readonly model: string;
    readonly tools?: readonly {
      readonly function: { readonly name: string };
      readonly server: { readonly url: string };
    }[];
  };
}

interface ToolAnswer {
  readonly result?: string;
  readonly error?: string;
}

const spoken = (entry: DialogueEntry): readonly string[] => {
  if ('caller' in entry) return [`User: ${entry.caller}`];
  return 'agent' in entry ? [`AI: ${entry.agent}`] : [];
};
