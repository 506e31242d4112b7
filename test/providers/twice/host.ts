import type { Shop } from './shop.ts';

/** One tool call of a model. */
export interface ModelCall {
  readonly id: string;
  /** The caller wants a second one. */
  readonly second?: boolean;
  /** The idempotency key that the model has made up. */
  readonly key?: string;
}

/** One run of an agent: the calls that its model makes, one list after the other. */
export interface Run {
  /** The phone call. @defaultValue 'CA1' */
  readonly callId?: string;
  readonly steps: readonly (readonly ModelCall[])[];
  /** The caller's words. */
  readonly says?: string;
  /** The host ends the run. */
  readonly signal?: AbortSignal;
  /** The next answer of the model is an error, after the tools have run. */
  readonly modelFails?: boolean;
}

/** A process of the application. Gives what its model read, one text for each tool call. */
export interface Host {
  readonly run: (run: Run) => Promise<readonly string[]>;
  /** Runs until the tool waits for a person, and keeps that as a text. Absent where there are no approvals. */
  readonly save?: () => Promise<string>;
  /** Goes on with the person's yes. */
  readonly resume?: (saved: string) => Promise<readonly string[]>;
}

/** A way to give a model the tool that charges, or writes the deal. */
export interface Way {
  /** With the version of what it is made of. */
  readonly name: string;
  /** `ours`: a tool of this package. */
  readonly isOurs: boolean;
  /** Starts the processes of one row: they share what a deployment shares. */
  readonly start: (shop: Shop) => Promise<Deployment>;
}

export interface Deployment extends AsyncDisposable {
  /** Each is a process of its own. */
  readonly process: () => Promise<Host>;
}

/** The words for what the model of a run reads that the host has ended. */
export const nothingRead = '(nothing: the run was ended)';
