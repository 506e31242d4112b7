/** Under this, an integration has the clients that are configured: its own properties throw for the others. */
export const configuredClients: unique symbol = Symbol.for('voice-agent-integrations.clients');

/** The clients of an integration, or of an object that has some of them itself. */
export const clientsOf = <Clients extends object>(given: Clients): Clients => {
  const { [configuredClients]: configured = given }: { readonly [configuredClients]?: Clients } = Object(given);
  return configured;
};
