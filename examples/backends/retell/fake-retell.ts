/** A stand-in for Retell: it has the telephone and the model, and sends this backend the requests that Retell sends. */
import { createHmac } from 'node:crypto';
import { startRecordingServer } from '../../../test/support/recording-server.ts';
import type { Line, Offline } from '../support/offline.ts';
import { type DialogueEntry, type ModelCall, nextStep } from '../support/scripted-model.ts';
import { startServerProcess } from '../support/server-process.ts';

const apiKey = 'key-of-this-example';
const publicUrl = 'https://agent.example.com';

export interface OfflineRetell extends Offline {
  /** Posts what Retell posts, signed. */
  readonly post: (path: string, body: object) => Promise<Posted>;
}

export interface Posted {
  readonly status: number;
  readonly text: string;
}

export const startOffline = async (env: Readonly<Record<string, string>>): Promise<OfflineRetell> => {
  const api = await startRecordingServer();
  const server = await startServerProcess(new URL('server.ts', import.meta.url), {
    ...env,
    RETELL_API_KEY: apiKey,
    RETELL_LLM_ID: 'llm_1',
    RETELL_BASE_URL: api.baseUrl,
    PUBLIC_URL: publicUrl,
  });
  // The server listens only when it has registered its tools.
  const llm = api.requests[0]?.body as RetellLlm;

  const post = async (path: string, body: object, { key = apiKey, port = server.port } = {}): Promise<Posted> => {
    const text = JSON.stringify(body);
    const now = Date.now();
    const digest = createHmac('sha256', key)
      .update(text + now)
      .digest('hex');
    const headers = { 'content-type': 'application/json', 'x-retell-signature': `v=${now},d=${digest}` };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: text });
    return { status: response.status, text: await response.text() };
  };

  return {
    port: server.port,
    ring: async ({ callId, phone }) => {
      const call_inbound = { agent_id: 'agent_1', from_number: phone, to_number: '+18005550101' };
      await post('/retell/events', { event: 'call_inbound', call_inbound });
      const line = talk({ callId, phone, llm, post, port: server.port });
      await line.tell('call_started');
      return line;
    },
    forge: async () => {
      const call = { call_id: 'CA1', call_type: 'phone_call', direction: 'inbound', from_number: '+14155550100' };
      const payment = { name: 'create_payment', args: { invoice_id: 'inv_1', amount: 120.5 }, call };
      const answers = [
        await post('/retell/tools', payment, { key: 'a guess' }),
        await post('/retell/events', { event: 'call_analyzed', call }, { key: 'a guess' }),
      ];
      return answers.map(({ status }) => status);
    },
    post,
    stop: server.stop,
    printed: server.printed,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
    },
  };
};

interface Talk {
  readonly callId: string;
  readonly phone: string;
  readonly llm: RetellLlm;
  readonly post: (path: string, body: object, to: { readonly port: number }) => Promise<Posted>;
  readonly port: number;
}

const talk = ({ callId, phone, llm, post, port }: Talk) => {
  const startedAt = Date.now();
  const dialogue: DialogueEntry[] = [{ agent: llm.begin_message }];
  let to = { port };

  /** As Retell has it at this moment. */
  const call = () => ({
    call_id: callId,
    call_type: 'phone_call',
    direction: 'inbound',
    from_number: phone,
    to_number: '+18005550101',
    transcript: dialogue.flatMap(spoken).join('\n'),
  });
  const over = { disconnection_reason: 'user_hangup', duration_ms: Date.now() - startedAt };
  const tell = (event: string, more: object = {}) =>
    post('/retell/events', { event, call: { ...call(), ...more } }, to);

  /** Asks where the tool is registered. */
  const runTool = async ({ name, args }: ModelCall): Promise<string> => {
    const tool = llm.general_tools.find((known) => known.name === name);
    if (!tool) throw new Error(`the Retell LLM has no tool ${name}`);
    const { text } = await post(tool.url.replace(publicUrl, ''), { name, args, call: call() }, to);
    return text;
  };

  return {
    tell,
    dialogue: () => dialogue.flatMap((entry) => ('agent' in entry ? [entry.agent] : [])),
    say: async (words: string) => {
      dialogue.push({ caller: words });
      for (;;) {
        const step = nextStep(dialogue);
        if ('says' in step) {
          dialogue.push({ agent: step.says });
          return step.says;
        }
        const results = await Promise.all(step.calls.map(runTool));
        dialogue.push(...results.map((result) => ({ result })));
      }
    },
    hangUp: async () => {
      await tell('call_ended', over);
      await tell('call_analyzed', { ...over, call_analysis: { call_summary: 'Ann Lee asked what she owes.' } });
    },
    // Nothing is analysed.
    drop: () => void tell('call_ended', { disconnection_reason: 'error_retell' }),
    goOnAt: (other: number) => {
      to = { port: other };
    },
  } satisfies Line & { readonly tell: unknown };
};

/** What was registered. */
interface RetellLlm {
  readonly begin_message: string;
  readonly general_tools: readonly { readonly name: string; readonly url: string }[];
}

const spoken = (entry: DialogueEntry): readonly string[] => {
  if ('caller' in entry) return [`User: ${entry.caller}`];
  return 'agent' in entry ? [`Agent: ${entry.agent}`] : [];
};
