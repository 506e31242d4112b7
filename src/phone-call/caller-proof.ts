import { createSharedCallMemory } from '../tools/call-memory.ts';
import type { Report } from '../tools/on-error.ts';
import { storeOf, type StoreOption } from '../tools/store-option.ts';
import { createSpokenSecrets } from '../tools/verification/spoken-secrets.ts';
import { forgetProof, startVerification, type Verification } from '../tools/verification/verification.ts';
import type { LineCaller } from './line-phone.ts';

/** The proof of who is calling, as one phone call has it. */
export interface CallerProof {
  readonly verification: Verification;
  /** Takes what other processes know of the proof. If the store is down, there is none. */
  sync(): Promise<void>;
  /** Someone else may be on the phone. */
  forget(): void;
  /** Returns the words of a record without the codes and answers of this phone call. */
  masked<Value>(value: Value): Promise<Value>;
  /** The same with what this process knows. */
  maskedHere<Value>(value: Value): Value;
}

interface ProofOptions {
  readonly callId: string;
  readonly tenant: string | undefined;
  readonly store: StoreOption | undefined;
  readonly caller: LineCaller;
  readonly report: Report;
}

export const createCallerProof = ({ callId, tenant, store, caller, report }: ProofOptions): CallerProof => {
  const memory = createSharedCallMemory({
    name: 'verification',
    start: startVerification,
    // Without what is `undefined`.
    toJson: (state) => JSON.parse(JSON.stringify(state)) as object,
    store: storeOf(store),
  });
  // Of the phone call alone, like its limits: another caller under its id has no tries of their own.
  const call = { callId, tenant };
  const secrets = createSpokenSecrets();
  let forgotten: Promise<unknown> = Promise.resolve();
  const failed = (error: unknown) => report(error, { part: 'store', callId, tenant });

  return {
    verification: {
      read: (use) => memory.read(call, use),
      change: (change) => memory.change(call, change),
      line: () => caller.line() ?? null,
      prove: caller.prove,
      hideCode: secrets.hideCode,
      hideAnswer: secrets.hideAnswer,
    },
    sync: async () => {
      await forgotten;
      const line = caller.line();
      if (line === undefined) return;
      try {
        const proof = await memory.read(call, (state) => state.proof);
        if (proof?.line === line) caller.prove(proof.person);
        else caller.disprove();
      } catch (error) {
        caller.disprove();
        failed(error);
      }
    },
    forget: () => {
      forgotten = forgotten.then(() => memory.change(call, forgetProof)).catch(failed);
    },
    masked: async (value) => {
      const lengths = await memory.read(call, (state) => state.lengths).catch(() => []);
      return secrets.maskIn(value, lengths);
    },
    maskedHere: (value) => secrets.maskIn(value),
  };
};
