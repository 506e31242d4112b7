/** What the stand-in of every platform can do, so that one phone call is played, and tested, the same way on each. */

/** The phone of a caller. */
export interface Line {
  /** What the agent has said so far, the greeting first. */
  readonly dialogue: () => readonly string[];
  /** Says something and listens until the agent has answered. */
  readonly say: (words: string) => Promise<string>;
  /** Hangs up in order. */
  readonly hangUp: () => Promise<void>;
  /** The connection breaks, without a word to the backend. */
  readonly drop: () => void;
  /** Where the platform itself holds the phone call: from now on it sends what happens to the process on this port. */
  readonly goOnAt?: (port: number) => void;
}

/** A backend with its platform and model on this machine. */
export interface Offline extends AsyncDisposable {
  /** Where the backend listens, if it does. */
  readonly port?: number;
  readonly ring: (caller: { readonly callId: string; readonly phone: string }) => Promise<Line>;
  /** Sends requests that are not from the platform. Resolves with the status of each answer. */
  readonly forge: () => Promise<readonly number[]>;
  /** Stops the backend as its host would. Resolves with its exit code. */
  readonly stop: () => Promise<number | null>;
  readonly printed: () => string;
}

/** Starts a backend; `env` says where the three systems are. */
export type StartOffline = (env: Readonly<Record<string, string>>) => Promise<Offline>;
