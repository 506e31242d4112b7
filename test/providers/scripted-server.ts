import { type RecordingServer, startRecordingServer } from '../support/recording-server.ts';
import type { ModelCall } from './suite.ts';

/** A model behind a provider's HTTP API: makes the calls of one turn after the other, then says that it is done. */
export interface ScriptedServer extends RecordingServer {
  /** Every byte that it was sent. */
  sent(): string;
}

/** `answerWith` writes one answer of the provider; it is given no calls for the last one. */
export const startScriptedServer = async (
  turns: readonly (readonly ModelCall[])[],
  answerWith: (calls: readonly ModelCall[], index: number) => object,
): Promise<ScriptedServer> => {
  const server = await startRecordingServer();
  const [first = {}, ...rest] = [...turns, []].map((calls, index) => ({ json: answerWith(calls, index) }));
  server.answer(first, ...rest);
  return { ...server, sent: () => JSON.stringify(server.requests.map(({ body }) => body)) };
};
