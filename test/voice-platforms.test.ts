import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runPage } from './support/run-page.ts';
import { serve } from './support/serve.ts';
import { serveSocket, type ServedSocket, type SocketScript } from './support/serve-socket.ts';
import { freePort } from './support/server-process.ts';

const folder = fileURLToPath(new URL('../docs/voice-platforms/', import.meta.url));
const textOf = (page: string) => readFileSync(`${folder}${page}`, 'utf8');

const sessions = ['deepgram.md', 'gemini-live.md', 'nova-sonic.md', 'ultravox.md'];
/** Tested with the backends that they play. */
const played = ['livekit.md', 'twilio.md'];
const guides = globSync('*.md', { cwd: folder })
  .filter((page) => page !== 'README.md' && ![...sessions, ...played].includes(page) && textOf(page).includes('```'))
  .toSorted();

/** Where a guide registers the tools. */
const platforms: Readonly<Record<string, string>> = {
  'agora.md': 'https://api.agora.io',
  'bland.md': 'https://api.bland.ai',
  'cartesia.md': 'https://api.cartesia.ai',
  'elevenlabs.md': 'https://api.elevenlabs.io',
  'retell.md': 'https://api.retellai.com',
  'telnyx.md': 'https://api.telnyx.com',
  'vapi.md': 'https://api.vapi.ai',
};

test.each(guides)('after the index, %s does and prints what it says', async (page) => {
  const registered: string[] = [];
  await using platform = await serve(async (request) => {
    registered.push(await request.text());
    return Response.json({ id: 'tool_1' });
  });

  const ran = await runPage(`${textOf('README.md')}\n${textOf(page)}`, {
    replace: { 3000: String(await freePort()), '…': 'test', [platforms[page] ?? 'no platform']: platform.url },
  });

  const compared = ran.flatMap(({ printed, shown }) =>
    shown ? [{ printed: printed.trim(), shown: shown.trim() }] : [],
  );
  expect(compared.length).toBeGreaterThan(0);
  for (const { printed, shown } of compared) expect(printed).toMatch(asShown(shown));
  // What isn't sent to the platform is printed for its form.
  const definitions = registered.length > 0 ? registered.join() : ran.at(-1)?.printed;
  expect(definitions).toContain('lookup_customer_invoices');
  expect(definitions).toContain('create_payment');
  expect(registered.length > 0).toBe(page in platforms);
});

/** What the model of a platform asks for, in two steps. */
const asked = [
  { name: 'lookup_customer_invoices', args: {} },
  { name: 'create_payment', args: { invoice_id: 'inv_101', amount: 120.5 } },
] as const;

/** Each platform asks for the first tool, then for the second one, then it hangs up. */
const scripts: Readonly<Record<string, (answered: unknown[], sent: string[]) => SocketScript>> = {
  'deepgram.md': (answered, sent) => {
    const left = [...asked];
    return {
      onOpen: ({ send }) => send({ type: 'Welcome' }),
      onMessage: (message, { send, close }) => {
        if (message['type'] === 'Settings') {
          sent.push(JSON.stringify(message));
          send({ type: 'SettingsApplied' });
        } else answered.push(message['content']);
        const next = left.shift();
        if (!next) return close();
        const call = { id: next.name, name: next.name, arguments: JSON.stringify(next.args), client_side: true };
        send({ type: 'FunctionCallRequest', functions: [call] });
      },
    };
  },
  'gemini-live.md': (answered, sent) => {
    const left = [...asked];
    return {
      frames: 'binary',
      onMessage: (message, { send, close }) => {
        if ('setup' in message) {
          sent.push(JSON.stringify(message));
          send({ setupComplete: {} });
        } else answered.push(outputIn(message));
        const next = left.shift();
        if (!next) return close();
        send({ toolCall: { functionCalls: [{ id: next.name, name: next.name, args: next.args }] } });
      },
    };
  },
  'nova-sonic.md': (answered, sent) => {
    const left = [...asked];
    const ask = ({ send, close }: ServedSocket) => {
      const next = left.shift();
      if (next) {
        const { name, args } = next;
        send({
          event: { toolUse: { promptName: 'call_1', toolUseId: name, toolName: name, content: JSON.stringify(args) } },
        });
      } else {
        send({ event: { completionEnd: {} } });
        close();
      }
    };
    return {
      onOpen: ({ send }) => send({ event: { completionStart: {} } }),
      onMessage: ({ event }, socket) => {
        const { promptStart, contentStart, toolResult } = event as Partial<Record<string, Record<string, unknown>>>;
        if (promptStart) sent.push(JSON.stringify(promptStart));
        if (toolResult) answered.push(toolResult['content']);
        if (toolResult || contentStart?.['type'] === 'AUDIO') ask(socket);
      },
    };
  },
  'ultravox.md': (answered, sent) => {
    const left = [...asked];
    const ask = ({ send, close }: ServedSocket) => {
      const next = left.shift();
      if (!next) return close();
      const { name, args } = next;
      send({ type: 'client_tool_invocation', toolName: name, invocationId: name, parameters: args });
    };
    return {
      answer: (body, joinUrl) => {
        sent.push(body);
        return { joinUrl };
      },
      onOpen: (socket) => {
        socket.send({ type: 'call_started' });
        ask(socket);
      },
      onMessage: (message, socket) => {
        answered.push(message['result'] ?? message['errorMessage']);
        ask(socket);
      },
    };
  },
};

/** Bedrock's package, whose stream is a WebSocket here. */
const bedrock = (url: string) => `
export class InvokeModelWithBidirectionalStreamCommand {
  constructor(input) {
    this.input = input;
  }
}
export class BedrockRuntimeClient {
  async send({ input }) {
    const socket = new WebSocket('${url}');
    const body = new ReadableStream({
      start: (to) => {
        socket.onmessage = ({ data }) => to.enqueue({ chunk: { bytes: new TextEncoder().encode(data) } });
        socket.onclose = () => to.close();
      },
    });
    await new Promise((resolve) => (socket.onopen = resolve));
    (async () => {
      for await (const { chunk } of input.body) socket.send(new TextDecoder().decode(chunk.bytes));
    })();
    return { body };
  }
}`;

const outputIn = (message: object): string => {
  const { toolResponse } = message as {
    toolResponse: { functionResponses: [{ response: { output?: object; error?: object } }] };
  };
  const { output, error = output } = toolResponse.functionResponses[0].response;
  return JSON.stringify(error);
};

test.each(sessions)(
  'after the index, %s holds a conversation in which a caller is asked before they pay',
  async (page) => {
    const answered: unknown[] = [];
    const sent: string[] = [];
    await using platform = await serveSocket(scripts[page]?.(answered, sent) ?? { onMessage: () => {} });

    const ran = await runPage(`${textOf('README.md')}\n${textOf(page)}`, {
      packages: { '@aws-sdk/client-bedrock-runtime': bedrock(platform.url.replace('http:', 'ws:')) },
      replace: {
        '…': 'test',
        'wss://agent.deepgram.com': platform.url.replace('http:', 'ws:'),
        'wss://generativelanguage.googleapis.com': platform.url.replace('http:', 'ws:'),
        'https://api.ultravox.ai': platform.url,
      },
    });

    expect(ran.at(-1)?.printed).toBe(ran.at(-1)?.shown);
    expect(sent.join()).toContain('create_payment');
    expect(answered).toEqual([
      expect.stringContaining('"invoice_count":2'),
      expect.stringContaining('Shall I charge 120 euros and 50 cents to the card on file?'),
    ]);
  },
);

/** Where a page shows `…`, anything may be. */
const asShown = (text: string) =>
  new RegExp(
    `^${text
      .split('…')
      .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('.*')}$`,
  );
