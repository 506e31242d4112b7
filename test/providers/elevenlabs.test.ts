import { EventEmitter } from 'node:events';
import {
  AudioInterface,
  ClientTools,
  Conversation,
} from '@elevenlabs/elevenlabs-js/api/resources/conversationalAi/conversation/index.js';
import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js/Client.js';
import { ToolRequestModel } from '@elevenlabs/elevenlabs-js/serialization/index.js';
import { expect, test } from 'vitest';
import { client, webhook } from '../../src/tools/providers/elevenlabs.ts';
import { createPaymentTools } from '../support/payment-tools.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { type Driven, describeTarget, type ModelCall, type ModelResult } from './suite.ts';

/** Sends no audio and plays none. */
class Silence extends AudioInterface {
  override start() {}
  override stop() {}
  override output() {}
  override interrupt() {}
}

/** The connection of the package's own conversation, with ElevenLabs' side in the hands of the test. */
class ScriptedSocket extends EventEmitter {
  readonly readyState = 1;
  readonly sent: Awaited<ReturnType<typeof client.run>>[] = [];

  send(text: string) {
    // What a conversation sends is JSON with a type.
    const event = JSON.parse(text) as Awaited<ReturnType<typeof client.run>>;
    if (event.type === 'client_tool_result') this.sent.push(event);
    this.emit('sent');
  }

  close() {
    this.emit('close', 1000, Buffer.from(''));
  }

  /** Asks for the calls of one turn and waits for as many results. */
  async ask(calls: readonly ModelCall[]): Promise<ModelResult[]> {
    this.sent.length = 0;
    for (const { id, name, args } of calls) {
      const client_tool_call = { tool_name: name, tool_call_id: id, parameters: args };
      this.emit('message', JSON.stringify({ type: 'client_tool_call', client_tool_call }));
    }
    while (this.sent.length < calls.length) await new Promise((resolve) => this.once('sent', resolve));
    return calls.flatMap(({ id }) =>
      this.sent
        .filter((event) => event.tool_call_id === id)
        .map((event) => ({ id, text: event.result, isError: event.is_error })),
    );
  }
}

describeTarget({
  name: 'ElevenLabs, client tools in a conversation of its package',
  flagsErrors: true,
  sendsText: false,
  drive: async (toolbox, turns): Promise<Driven> => {
    const clientTools = new ClientTools();
    for (const [name, handle] of Object.entries(client.functions(toolbox))) clientTools.register(name, handle);
    const socket = new ScriptedSocket();
    const conversation = new Conversation({
      client: new ElevenLabsClient({ apiKey: 'test' }),
      agentId: 'agent_1',
      requiresAuth: false,
      audioInterface: new Silence(),
      clientTools,
      webSocketFactory: {
        create: () => {
          setImmediate(() => socket.emit('open'));
          return socket;
        },
      },
    });
    await conversation.startSession();
    const results: ModelResult[] = [];
    for (const calls of turns) results.push(...(await socket.ask(calls)));
    conversation.endSession();
    return { sent: JSON.stringify([client.tools(toolbox), results]), results };
  },
});

test.each([
  [
    'webhook tools',
    webhook.tools(createPaymentTools().toolbox, { url: 'https://voice.test/tools', secretId: 'sec_1' }),
  ],
  ['client tools', client.tools(createPaymentTools().toolbox)],
])('%s are what its package sends to create them', async (_, definitions) => {
  await using server = await startRecordingServer();
  const elevenLabs = new ElevenLabsClient({ apiKey: 'test', baseUrl: server.baseUrl, maxRetries: 0 });

  for (const tool_config of definitions) {
    const request = ToolRequestModel.parse({ tool_config }, { unrecognizedObjectKeys: 'fail' });
    // Its answer is not what is looked at here.
    if (request.ok) await elevenLabs.conversationalAi.tools.create(request.value).catch(() => {});
  }

  expect(server.requests.map(({ line, body }) => ({ line, body }))).toEqual(
    definitions.map((tool_config) => ({ line: 'POST /v1/convai/tools', body: { tool_config } })),
  );
});
