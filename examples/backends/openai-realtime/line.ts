import type OpenAI from 'openai';
import type { RealtimeClientEvent, RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import { realtime } from 'voice-agent-integrations/tools/openai';
import { WebSocket } from 'ws';
import { greeting } from '../instructions.ts';
import type { OpenCall } from '../phone-calls.ts';

/** The WebSocket of a phone call that was accepted: it receives what is said, and runs what the model asks for. */
export const openLine = (openai: OpenAI, call: OpenCall): void => {
  const { callId } = call.phoneCall;
  const address = `${openai.baseURL.replace(/^http/, 'ws')}/realtime?call_id=${encodeURIComponent(callId)}`;
  const socket = new WebSocket(address, {
    headers: { authorization: `Bearer ${openai.apiKey}` },
    handshakeTimeout: 5_000,
  });
  const send = (event: RealtimeClientEvent) => {
    // A result that comes after the end is not sent; a payment that was made stays made.
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(event));
  };

  /** Corrects what a caller has said: the words come later than the answer to them. */
  const corrections = new Map<string, (words: string) => void>();
  // OpenAI refuses a second answer while the model gives one, such as to a caller who spoke while a tool ran.
  let isAnswering = false;
  let owesAnswer = false;
  const goOn = () => {
    if (isAnswering || !owesAnswer) return;
    owesAnswer = false;
    send({ type: 'response.create' });
  };

  const hear = async (event: RealtimeServerEvent): Promise<void> => {
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
      case 'response.created':
        isAnswering = true;
        break;
      case 'response.done': {
        isAnswering = false;
        // All requests of one answer share one deadline: the caller is waiting.
        const { tools } = call.phoneCall.turn({ signal: call.hungUp });
        for (const message of await realtime.runAll(tools, event)) {
          if (message.type === 'response.create') owesAnswer = true;
          else send(message);
        }
        goOn();
        break;
      }
      case 'error':
        console.error(event.error);
        break;
      default:
    }
  };

  socket.on('open', () => send({ type: 'response.create', response: { instructions: `Say: ${greeting}` } }));
  socket.on('message', (data: Buffer) => {
    // What the API sends has the types of its package.
    hear(JSON.parse(data.toString()) as RealtimeServerEvent).catch(console.error);
  });
  // A close follows each error.
  socket.on('error', console.error);
  socket.on('close', (code) => {
    void call.end(code === 1000 ? 'caller hung up' : 'connection lost');
    // The caller must not go on speaking with a model whose tools do nothing. That the call may be over is no error.
    if (code !== 1000) openai.realtime.calls.hangup(callId).catch(() => undefined);
  });
  call.hungUp.addEventListener('abort', () => socket.close(1000));
};
