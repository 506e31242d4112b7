import type { Claim, KeptWork } from '../../ports/idempotency-store.ts';

/** The book of an idempotency store: every method is one atomic step. Results and notes are JSON as text. */
export interface ClaimLedger {
  claim(request: ClaimRequest): WrittenClaim;
  read(request: { readonly key: string; readonly now: number }): WrittenWork | undefined;
  settle(settlement: {
    readonly key: string;
    readonly claim: string;
    readonly now: number;
    readonly kind: 'result' | 'note';
    readonly text: string;
  }): boolean;
  release(request: { readonly key: string; readonly claim: string; readonly now: number }): void;
}

export interface ClaimRequest {
  readonly key: string;
  readonly fingerprint: string;
  /** What the claim will be called if it is given. */
  readonly claim: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly retainMs: number;
  readonly reopen?: boolean | undefined;
}

export type WrittenClaim =
  | Exclude<Claim, { readonly state: 'unknown' | 'finished' }>
  | { readonly state: 'unknown'; readonly claim: string; readonly note: string }
  | { readonly state: 'finished'; readonly result: string; readonly claim?: string };

export type WrittenWork =
  | Extract<KeptWork, { readonly state: 'in-progress' }>
  | { readonly state: 'unknown'; readonly note: string }
  | { readonly state: 'finished'; readonly result: string };
