/**
 * A local page over what the agent did: phone calls, limits, the outbox, tools. For development only.
 *
 * @module
 */
export type { IntegrationStatus } from '../integration.ts';
export type { RedactOptions } from '../observability/redactor.ts';
export { type Console, type ConsoleOptions, createConsole } from './console.ts';
export type { ConsoleHandler, Listening, ListenOptions } from './listen.ts';
export type { ConsoleSources, NamedToolboxes, OutboxSource, StatusSource } from './sources.ts';
