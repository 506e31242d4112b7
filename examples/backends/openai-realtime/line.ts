import type OpenAI from 'openai';
import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import type { LiveCall } from 'voice-agent-integrations';
import { realtime } from 'voice-agent-integrations/tools/openai';
import { WebSocket } from 'ws';
import { greeting } from '../instructions.ts';

/** The WebSocket of a phone call that was accepted: the tools run on it, and what is said is kept. */
export const openLine = (openai: OpenAI, call: LiveCall): void => {
  const { callId, heard, said } = call.phoneCall;
  const address = `${openai.baseURL.replace(/^http/, 'ws')}/realtime?call_id=${encodeURIComponent(callId)}`;
  const socket = new WebSocket(address, {
    headers: { authorization: `Bearer ${openai.apiKey}` },
    handshakeTimeout: 5_000,
  });
  realtime.connect(call, { socket, onError: console.error });

  /** Both sides' words in their order. The caller's come later than the answer to them. */
  const spoken: { readonly item?: string; words: string }[] = [];
  const hear = (event: RealtimeServerEvent): void => {
    switch (event.type) {
      case 'input_audio_buffer.committed':
        spoken.push({ item: event.item_id, words: '' });
        break;
      case 'conversation.item.input_audio_transcription.completed':
        for (const line of spoken) if (line.item === event.item_id) line.words = event.transcript;
        break;
      case 'response.output_audio_transcript.done':
        spoken.push({ words: event.transcript });
        break;
      default:
    }
  };

  socket.on('open', () => {
    socket.send(JSON.stringify({ type: 'response.create', response: { instructions: `Say: ${greeting}` } }));
  });
  // What the API sends has the types of its package.
  socket.on('message', (data: Buffer) => hear(JSON.parse(data.toString()) as RealtimeServerEvent));
  socket.on('close', (code) => {
    void call.end({ outcome: code === 1000 ? 'caller hung up' : 'connection lost' });
    // The caller must not go on speaking with a model whose tools do nothing. That the call may be over is no error.
    if (code !== 1000) openai.realtime.calls.hangup(callId).catch(() => undefined);
  });
  call.signal.addEventListener('abort', () => {
    socket.close(1000);
    // The transcript is written after this.
    for (const { item, words } of spoken) (item === undefined ? said : heard)(words);
  });
};
