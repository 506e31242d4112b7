/** How long nobody asks for a token after so many failures in a row: half a second, doubled, at most five. */
export const pauseMs = (failures: number): number => Math.min(500 * 2 ** Math.max(0, failures - 1), 5_000);

/** How often an API may refuse a token and get a new one, within the cool-down, before a 401 is final. */
export const maximumRenewals = 3;

/** When a token is renewed while it still works, and how long it is used at most; in milliseconds from now. */
export interface TokenLife {
  readonly renewAfterMs: number;
  readonly usableForMs: number;
}

/**
 * A token without a known expiry is used until it is refused. Others are renewed between half of `renewBeforeMs` and all
 * of it before their end, drawn anew for each, so that processes that share a token do not renew it at the same moment;
 * but never before three quarters of their life. They are not used for their last moments, which a request may outlive.
 */
export const lifeOf = (
  token: { readonly lifetimeMs: number; readonly leftMs: number } | undefined,
  { renewBeforeMs, random }: { renewBeforeMs: number; random: number },
): TokenLife => {
  if (!token) return { renewAfterMs: Infinity, usableForMs: Infinity };
  const { lifetimeMs, leftMs } = token;
  const earlyMs = Math.min(renewBeforeMs, lifetimeMs / 4) * (0.5 + random / 2);
  return { renewAfterMs: leftMs - earlyMs, usableForMs: leftMs - Math.min(5_000, earlyMs / 2) };
};
