import { createToolbox } from '../../src/tools/index.ts';
import { realtime } from '../../src/tools/providers/openai.ts';
import { expectTypeOf, test } from 'vitest';

const toolbox = createToolbox({ tools: [] });
const onError = (error: Error) => console.error(error.cause);

test('a session takes a WebSocket, or a function that sends, and not both', () => {
  const session = realtime.connect(toolbox, { socket: new WebSocket('wss://api.openai.com/v1/realtime'), onError });
  const byHand = realtime.connect(toolbox, { send: ({ type }) => console.log(type), onError });

  expectTypeOf(session).toEqualTypeOf(byHand);
  expectTypeOf(session.handle).toEqualTypeOf<(event: unknown) => void>();
  // @ts-expect-error it has no connection
  realtime.connect(toolbox, { onError });
  // @ts-expect-error it has two
  realtime.connect(toolbox, { socket: new WebSocket('wss://example.com'), send: () => {}, onError });
  // @ts-expect-error errors must go somewhere
  realtime.connect(toolbox, { send: () => {} });
});

test('what is sent is one of four events, each with its fields', () => {
  type Sent = Parameters<NonNullable<Parameters<typeof realtime.connect>[1]['send']>>[0];

  expectTypeOf<Sent['type']>().toEqualTypeOf<
    'session.update' | 'conversation.item.create' | 'response.create' | 'response.cancel'
  >();
});
