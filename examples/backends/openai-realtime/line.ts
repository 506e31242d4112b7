import type OpenAI from 'openai';
import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import { realtime } from 'voice-agent-integrations/tools/openai';
import { WebSocket } from 'ws';
import { greeting } from '../instructions.ts';
import type { OpenCall } from '../phone-calls.ts';

/** The WebSocket of a phone call that was accepted: the tools run on it, and what is said is kept. */
export const openLine = (openai: OpenAI, call: OpenCall): void => {
  const { callId, tools } = call.phoneCall;
  const address = `${openai.baseURL.replace(/^http/, 'ws')}/realtime?call_id=${encodeURIComponent(callId)}`;
  const socket = new WebSocket(address, {
    headers: { authorization: `Bearer ${openai.apiKey}` },
    handshakeTimeout: 5_000,
  });
  realtime.connect(tools, { socket, onError: console.error });

  /** Corrects what a caller has said: the words come later than the answer to them. */
  const corrections = new Map<string, (words: string) => void>();
  const hear = (event: RealtimeServerEvent): void => {
    switch (event.type) {
      case 'input_audio_buffer.committed':
        corrections.set(event.item_id, call.hear('Caller', ''));
        break;
      case 'conversation.item.input_audio_transcription.completed':
        corrections.get(event.item_id)?.(event.transcript);
        break;
      case 'response.output_audio_transcript.done':
        call.hear('Agent', event.transcript);
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
    void call.end(code === 1000 ? 'caller hung up' : 'connection lost');
    // The caller must not go on speaking with a model whose tools do nothing. That the call may be over is no error.
    if (code !== 1000) openai.realtime.calls.hangup(callId).catch(() => undefined);
  });
  call.hungUp.addEventListener('abort', () => socket.close(1000));
};
