import { expectTypeOf, test } from 'vitest';
import type { Integration } from 'voice-agent-integrations';
import {
  type Console,
  type ConsoleHandler,
  createConsole,
  type Listening,
  type ConsoleSources,
} from 'voice-agent-integrations/console';
import type { Outbox } from 'voice-agent-integrations/outbox';
import type { Toolbox } from 'voice-agent-integrations/tools';

declare const integration: Integration;
declare const outbox: Outbox;
declare const toolbox: Toolbox;

test('it takes integrations, outboxes and toolboxes as they are', () => {
  expectTypeOf<Integration>().toExtend<ConsoleSources['integration']>();
  expectTypeOf<Outbox>().toExtend<ConsoleSources['outbox']>();
  createConsole({ integration, outbox, toolboxes: { agent: toolbox }, allowActions: true });
  createConsole({ toolboxes: () => ({ agent: toolbox }) });
  createConsole();
  // @ts-expect-error: toolboxes have names
  createConsole({ toolboxes: [toolbox] });
});

test('it mounts as a function from Request to Response, and listens', () => {
  expectTypeOf(createConsole).returns.toEqualTypeOf<Console>();
  expectTypeOf<Console['handle']>().toEqualTypeOf<ConsoleHandler>();
  expectTypeOf<ConsoleHandler>().toExtend<(request: Request) => Promise<Response>>();
  expectTypeOf<Console['listen']>().returns.resolves.toEqualTypeOf<Listening>();
  expectTypeOf<Console>().toExtend<AsyncDisposable>();
});

test('a toolbox says what is wrong with arguments', () => {
  expectTypeOf(toolbox.validate('note', {})).resolves.toExtend<{ readonly ok: boolean }>();
});
