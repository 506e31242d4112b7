import type { Lane } from '../../ports/rate-limiter.ts';
import { reserveOf } from '../live-reserve.ts';
import type { LocalLimit } from '../local-places.ts';
import type { PlaceAnswer, Places } from '../places.ts';
import { createScript, type SendCommand } from './client.ts';
import { pauseScript, placeScript } from './place-script.ts';

/** A grant of this process, by the name under which the server has it. */
export interface Grant {
  readonly name: string;
  readonly key: string;
  readonly weight: number;
}

/** The places of all processes. */
export interface SharedPlaces extends Places {
  /** Counts grants that were made without the server, or that it may have forgotten. Counting one twice counts it once. */
  report(grants: readonly (Grant & { readonly ageMs: number })[]): Promise<void>;
  pause(ms: number): Promise<void>;
}

export interface SharedPlacesOptions {
  readonly send: SendCommand;
  /** Stands before all keys, with braces, so that a cluster keeps them on one node. */
  readonly prefix: string;
  readonly app: LocalLimit;
  readonly tenant: LocalLimit | undefined;
  /** A name for a new grant. */
  readonly newName: () => string;
  readonly process: string;
  readonly onGrant: (grant: Grant) => void;
  /** The place of this name was given back. */
  readonly onReturn: (name: string) => void;
}

/** Runs the script of the places in Redis, one command for each question. */
export const createSharedPlaces = (options: SharedPlacesOptions): SharedPlaces => {
  const { send, prefix, app, tenant, newName, process, onGrant, onReturn } = options;
  const runPause = createScript(send, pauseScript);
  const runPlaces = createScript(send, placeScript);
  const ofAll = ['pause', ...registryOf('live'), ...registryOf('background'), 'app', 'live:seen'].map(
    (name) => prefix + name,
  );
  const keysFor = (key: string) => (tenant ? [...ofAll, `${prefix}tenant:${key}`] : ofAll);

  const limits = { app: withReserve(app), tenant: tenant && withReserve(tenant) };
  const run = (mode: 'ask' | 'return' | 'report', key: string, request: object) =>
    runPlaces(keysFor(key), [JSON.stringify({ ...request, mode, key, process, ...limits, graceMs })]);

  return {
    ask: async (request) => {
      const name = newName();
      const { key, weight } = request;
      const maxWaitMs = Math.min(request.maxWaitMs, longestWaitMs);
      const answer = toAnswer(await run('ask', key, { ...request, maxWaitMs, name }));
      if (answer) return answer;
      onGrant({ name, key, weight });
      const giveBack = () => {
        onReturn(name);
        void run('return', key, { name, weight }).catch(() => undefined);
      };
      return { granted: true, giveBack };
    },
    report: async (grants) => {
      const byKey = Map.groupBy(grants, ({ key }) => (tenant ? key : ''));
      for (const [key, some] of byKey) {
        const named = some.map(({ name, weight, ageMs }) => [name, weight, ageMs]);
        await run('report', key, { grants: named });
      }
    },
    pause: async (ms) => void (await runPause(ofAll.slice(0, 1), [Math.ceil(ms)])),
  };
};

/** What is written down of the processes that wait: whose turn it is, until when, and how much they want. */
const registryOf = (lane: Lane) => [`${lane}:turns`, `${lane}:ends`, `${lane}:wants`];

const withReserve = (limit: LocalLimit) => ({ ...limit, reserve: reserveOf(limit.limit) });

/** JSON has no infinity. */
const longestWaitMs = 1e9;

/** How much later than told a process may come back and still have its turn. */
const graceMs = 100;

/** `undefined`: the place is granted. The script answers what stands in the way, 0 for nothing, and for how long. */
const toAnswer = (reply: unknown): PlaceAnswer | undefined => {
  const [reason, waitMs] = reply as readonly [reason: number, waitMs: number];
  const by = reasons[reason - 1];
  return by && { granted: false, waitMs, by };
};

const reasons = ['app', 'tenant', 'pause'] as const;
