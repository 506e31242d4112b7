import { AuthenticationError } from 'voice-agent-integrations';
import type { ReadSecret } from 'voice-agent-integrations/auth';

interface Kept {
  readonly token: string;
  readonly expiresAt: number;
}

/** Reads tokens of connections from a vault: `bearer(tokenOf('hubspot'))`. */
export const connectVault = (url: string, key: () => string) => {
  const tokens = new Map<string, Kept>();
  const asking = new Map<string, Promise<Kept>>();

  const ask = async (connection: string, isRefused: boolean): Promise<Kept> => {
    const path = `connections/${encodeURIComponent(connection)}?force_refresh=${isRefused}`;
    const headers = { authorization: `Bearer ${key()}` };
    const answer = await fetch(`${url}/${path}`, { headers, signal: AbortSignal.timeout(3_000) });
    if ([404, 424].includes(answer.status)) {
      tokens.delete(connection);
      throw new AuthenticationError(`${connection}: connect it again`, { reason: 'revoked' });
    }
    if (!answer.ok) throw new Error(`the vault answered ${answer.status}`);
    const given: { token: string; expires_at: string } = JSON.parse(await answer.text());
    const kept = { token: given.token, expiresAt: Date.parse(given.expires_at) };
    tokens.set(connection, kept);
    return kept;
  };

  const read = async (connection: string, refused: string | undefined): Promise<string> => {
    const kept = tokens.get(connection);
    const leftMs = kept && kept.token !== refused ? kept.expiresAt - Date.now() : 0;
    if (kept && leftMs > 60_000) return kept.token;
    const isRefused = refused !== undefined;
    const question = `${connection} ${isRefused}`; // one that was asked before the refusal may bring the same token
    let pending = asking.get(question);
    pending ??= ask(connection, isRefused).finally(() => asking.delete(question));
    asking.set(question, pending);
    try {
      return (await pending).token;
    } catch (error) {
      // In an outage a token serves to its end.
      if (kept && leftMs > 0 && !(error instanceof AuthenticationError)) return kept.token;
      throw error;
    }
  };

  return (connection: string): ReadSecret =>
    ({ refused }) =>
      read(connection, refused);
};
