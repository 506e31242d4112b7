/** A stand-in for Vapi: it has the telephone and the model, and sends this backend the messages that Vapi sends. */
import { type Heard, type ModelCall, nextStep } from '../support/scripted-model.ts';
import type { Line, Offline } from '../support/offline.ts';
import { startServerProcess } from '../support/server-process.ts';

const secret = 'secret-of-this-example';
/** What the world knows the backend by. */
const publicUrl = 'https://agent.example.com';

/** What else the stand-in can do, for tests. */
export interface OfflineVapi extends Offline {
  /** Posts a message of Vapi's, as it is. */
  readonly post: (path: string, message: object) => Promise<{ readonly status: number; readonly body: string }>;
}

export const startOffline = async (env: Readonly<Record<string, string>>): Promise<OfflineVapi> => {
  const server = await startServerProcess(new URL('server.ts', import.meta.url), {
    ...env,
    VAPI_SECRET: secret,
    PUBLIC_URL: publicUrl,
  });

  const post = async (path: string, message: object, given = secret, port = server.port) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-vapi-secret': given },
      body: JSON.stringify({ message: { timestamp: Date.now(), ...message } }),
    });
    return { status: response.status, body: await response.text() };
  };

  const ring = async ({ callId, phone }: { readonly callId: string; readonly phone: string }): Promise<Line> => {
    const call = { id: callId, type: 'inboundPhoneCall', customer: { number: phone } };
    const startedAt = new Date().toISOString();
    const { body } = await post('/vapi/events', { type: 'assistant-request', call });
    const { assistant } = JSON.parse(body) as Answer;
    const heard: Heard[] = [{ agent: assistant.firstMessage }];
    const artifact = () => ({ transcript: heard.flatMap(spoken).join('\n') });
    let port = server.port;
    const send = (path: string, message: object) =>
      post(path, { call, artifact: artifact(), ...message }, secret, port);
    const tell = (message: object) => send('/vapi/events', message);
    await tell({ type: 'status-update', status: 'in-progress' });

    /** Asks where the assistant says that the tool is. */
    const runTool = async ({ id, name, args }: ModelCall): Promise<string> => {
      const tool = assistant.model.tools.find(({ function: { name: known } }) => known === name);
      if (!tool) throw new Error(`the assistant has no tool ${name}`);
      const path = tool.server.url.replace(publicUrl, '');
      const toolCallList = [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }];
      const answer = await send(path, { type: 'tool-calls', toolCallList });
      const [result] = (JSON.parse(answer.body) as { results: readonly ToolAnswer[] }).results;
      return result?.result ?? result?.error ?? '';
    };

    const hangUp = async () => {
      await tell({ type: 'status-update', status: 'ended', endedReason: 'customer-ended-call' });
      await tell({
        type: 'end-of-call-report',
        endedReason: 'customer-ended-call',
        analysis: { summary: 'Ann Lee asked what she owes.' },
        startedAt,
        endedAt: new Date().toISOString(),
      });
    };

    return {
      heard: () => heard.flatMap((entry) => ('agent' in entry ? [entry.agent] : [])),
      say: async (words) => {
        heard.push({ caller: words });
        for (;;) {
          const step = nextStep(heard);
          if ('says' in step) {
            heard.push({ agent: step.says });
            return step.says;
          }
          const results = await Promise.all(step.calls.map(runTool));
          heard.push(...results.map((result) => ({ result })));
        }
      },
      hangUp,
      // The line is gone, and the report of it gets lost.
      drop: () => void tell({ type: 'status-update', status: 'ended', endedReason: 'customer-did-not-answer' }),
      goOnAt: (other) => {
        port = other;
      },
    };
  };

  return {
    ring,
    forge: async () => {
      const call = { id: 'CA1', type: 'inboundPhoneCall', customer: { number: '+14155550100' } };
      const pay = { id: 'call_1', name: 'create_payment', arguments: { invoice_id: 'inv_1', amount: 120.5 } };
      const answers = [
        await post('/vapi/tools', { type: 'tool-calls', toolCallList: [pay], call }, 'a guess'),
        await post('/vapi/events', { type: 'end-of-call-report', call }, 'a guess'),
      ];
      return answers.map(({ status }) => status);
    },
    post,
    port: server.port,
    stop: server.stop,
    printed: server.printed,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  };
};

/** What the stand-in reads of the answer to an assistant-request. */
interface Answer {
  readonly assistant: {
    readonly firstMessage: string;
    readonly model: {
      readonly tools: readonly {
        readonly function: { readonly name: string };
        readonly server: { readonly url: string };
      }[];
    };
  };
}

interface ToolAnswer {
  readonly result?: string;
  readonly error?: string;
}

const spoken = (entry: Heard): readonly string[] => {
  if ('caller' in entry) return [`User: ${entry.caller}`];
  return 'agent' in entry ? [`AI: ${entry.agent}`] : [];
};
