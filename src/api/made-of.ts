/** The key under which a client of `createApiClient` carries the options that made it. The same in every copy of this package. */
export const madeOf: unique symbol = Symbol.for('voice-agent-integrations.made-of');
