/** The key under which a method carries what it was made of. The same in every copy of this package. */
export const endpointOf: unique symbol = Symbol.for('voice-agent-integrations.endpoint');
