import { type PermitAnswer, type PermitLimit, type PermitRequest, reserveOf } from '../permits.ts';
import { createScript, type SendCommand } from './client.ts';
import { pauseScript, permitScript } from './permit-script.ts';

/** A grant of this process, by its name in Redis. */
export interface Grant {
  readonly name: string;
  readonly key: string;
  readonly weight: number;
}

/** The permits of all processes. */
export interface SharedPermits {
  tryAcquire(request: PermitRequest): Promise<PermitAnswer>;
  /** Counts grants that were made without Redis, or that it may have forgotten. Counts a grant once, however often it's reported. */
  report(grants: readonly (Grant & { readonly ageMs: number })[]): Promise<void>;
  pause(ms: number): Promise<void>;
}

export interface SharedPermitsOptions {
  readonly send: SendCommand;
  /** Begins all keys, with braces, so that a cluster keeps them on one node. */
  readonly prefix: string;
  readonly app: PermitLimit;
  readonly tenant: PermitLimit | undefined;
  /** Makes the name of a new grant. */
  readonly newName: () => string;
  readonly onGrant: (grant: Grant) => void;
  readonly onRelease: (name: string) => void;
}

/** Runs the permit script in Redis, one command per request. */
export const createSharedPermits = (options: SharedPermitsOptions): SharedPermits => {
  const { send, prefix, app, tenant, newName, onGrant, onRelease } = options;
  const runPause = createScript(send, pauseScript);
  const runPermits = createScript(send, permitScript);
  const appKeys = ['pause', 'live:until', 'app', 'live:seen'].map((name) => prefix + name);
  const keysFor = (key: string) => (tenant ? [...appKeys, `${prefix}tenant:${key}`] : appKeys);

  const limits = { app: withReserve(app), tenant: tenant && withReserve(tenant) };
  const run = (mode: 'acquire' | 'release' | 'report', key: string, request: object) =>
    runPermits(keysFor(key), [JSON.stringify({ ...request, mode, key, ...limits })]);

  return {
    tryAcquire: async ({ key, weight, lane, ahead, ...request }) => {
      const name = newName();
      const maxWaitMs = Math.min(request.maxWaitMs, longestWaitMs);
      const reply = await run('acquire', key, { name, weight, lane, ahead: ahead.app, maxWaitMs });
      const refusal = toRefusal(reply);
      if (refusal) return refusal;
      onGrant({ name, key, weight });
      const release = () => {
        onRelease(name);
        void run('release', key, { name, weight }).catch(() => undefined);
      };
      return { granted: true, release };
    },
    report: async (grants) => {
      const byKey = Map.groupBy(grants, ({ key }) => (tenant ? key : ''));
      for (const [key, some] of byKey) {
        const named = some.map(({ name, weight, ageMs }) => [name, weight, ageMs]);
        await run('report', key, { grants: named });
      }
    },
    pause: async (ms) => void (await runPause(appKeys.slice(0, 1), [Math.ceil(ms)])),
  };
};

const withReserve = (limit: PermitLimit) => ({ ...limit, reserve: reserveOf(limit.limit) });

/** JSON has no infinity. */
const longestWaitMs = 1e9;

/** `undefined`: the permits are granted. The script returns a reason, 0 for none, and for how long. */
const toRefusal = (reply: unknown): PermitAnswer | undefined => {
  // The script is the only writer of these replies.
  const [reason, waitMs] = reply as readonly [reason: number, waitMs: number];
  const by = reasons[reason - 1];
  return by && { granted: false, waitMs, by };
};

const reasons = ['app', 'tenant', 'pause'] as const;
