/** The tokens that the org has issued. */
export interface Sessions {
  readonly issue: () => string;
  /** Whether a token opens the org. Each use keeps it open for as long again. */
  readonly isOpen: (token: string) => boolean;
  readonly endAll: () => void;
}

/** A session ends after a time without a request, not at a time that its token contains. */
export const createSessions = ({ idleMs }: { readonly idleMs: number }): Sessions => {
  const lastUsed = new Map<string, number>();
  let issued = 0;
  return {
    issue: () => {
      issued += 1;
      const token = `00D000000000001!SESSION.${issued}`;
      lastUsed.set(token, performance.now());
      return token;
    },
    isOpen: (token) => {
      const at = lastUsed.get(token);
      if (at === undefined || performance.now() - at >= idleMs) return false;
      lastUsed.set(token, performance.now());
      return true;
    },
    endAll: () => lastUsed.clear(),
  };
};
