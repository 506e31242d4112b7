/**
 * A local page over what the agent did: phone calls, limits, the outbox, tools. For development only.
 *
 * @module
 */
export { type Console, type ConsoleOptions, createConsole } from './console.ts';
export type { ConsoleHandler, Listening } from './listen.ts';
export type { ConsoleSources } from './sources.ts';
