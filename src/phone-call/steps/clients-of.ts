/** Under this, an integration has the clients that are configured: its own properties throw for the others. */
export const configuredClients: unique symbol = Symbol.for('voice-agent-integrations.clients');

/** The clients of an integration, or of an object that has some of them itself. */
export const clientsOf = <Clients extends object>(source: Clients): Clients => {
  const { [configuredClients]: configured = source }: { readonly [configuredClients]?: Clients } = Object(source);
  return configured;
};
