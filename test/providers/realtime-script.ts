import type { ScriptedConnection, SocketMessage } from './scripted-socket.ts';
import { asText, type ModelCall, type ModelResult } from './suite.ts';

/** OpenAI's end of a Realtime session: makes the calls turn by turn, and records the results that it gets. */
export const runRealtimeScript = async (
  { send, receive }: ScriptedConnection,
  turns: readonly (readonly ModelCall[])[],
  results: ModelResult[],
): Promise<void> => {
  send({ type: 'session.created', event_id: 'e', session: { type: 'realtime', id: 'sess_1' } });
  await receive(isOfType('session.update'));
  send({ type: 'session.updated', event_id: 'e', session: { type: 'realtime', id: 'sess_1' } });
  await receive(isOfType('response.create'));
  for (const [turn, calls] of turns.entries()) {
    const response = {
      id: `resp_${turn}`,
      object: 'realtime.response',
      output: calls.map((call) => toItem(call, turn)),
    };
    send({ type: 'response.created', event_id: 'e', response: { ...response, status: 'in_progress', output: [] } });
    for (const [output_index, item] of response.output.entries()) {
      const place = { event_id: 'e', response_id: response.id, output_index };
      send({ type: 'response.output_item.added', ...place, item: { ...item, status: 'in_progress' } });
      send({
        type: 'response.function_call_arguments.done',
        ...place,
        item_id: item.id,
        call_id: item.call_id,
        name: item.name,
        arguments: item.arguments,
      });
      send({ type: 'response.output_item.done', ...place, item });
    }
    send({ type: 'response.done', event_id: 'e', response: { ...response, status: 'completed' } });
    const told: ModelResult[] = [];
    for (const _ of calls) told.push(toModelResult(await receive(isToolResult)));
    const order = calls.map(({ id }) => id);
    results.push(...told.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id)));
    await receive(isOfType('response.create'));
  }
};

const isOfType = (type: string) => (message: SocketMessage) => message['type'] === type;

const toItem = (call: ModelCall, turn: number) => ({
  type: 'function_call',
  object: 'realtime.item',
  id: `item_${turn}_${call.id}`,
  call_id: call.id,
  name: call.name,
  arguments: asText(call),
  status: 'completed',
});

interface FunctionCallOutput {
  readonly type: string;
  readonly call_id: string;
  readonly output: string;
}

const itemIn = (message: SocketMessage) => message['item'] as FunctionCallOutput | undefined;

const isToolResult = (message: SocketMessage) => itemIn(message)?.type === 'function_call_output';

const toModelResult = (message: SocketMessage): ModelResult => ({
  id: itemIn(message)?.call_id ?? '',
  text: itemIn(message)?.output ?? '',
});
