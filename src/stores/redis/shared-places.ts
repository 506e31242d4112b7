/** The one door to rate-limiter-flexible, an optional peer: it is loaded when the first limiter is made. */
import type { RateLimiterRes } from 'rate-limiter-flexible';
import { InvalidArgumentError } from '../../errors.ts';
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
  /** Rejects with `InvalidArgumentError` when rate-limiter-flexible is not installed. */
  readonly ready: Promise<unknown>;
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

/**
 * Asks rate-limiter-flexible, with a script of ours: its own counts in fixed windows, which let twice the limit through
 * around their borders.
 */
export const createSharedPlaces = (options: SharedPlacesOptions): SharedPlaces => {
  const { send, prefix, app, tenant, newName, process, onGrant, onReturn } = options;
  const runPause = createScript(send, pauseScript);
  const runPlaces = createScript(send, placeScript);
  const ofAll = ['pause', ...registryOf('live'), ...registryOf('background'), 'app', 'live:seen'].map(
    (name) => prefix + name,
  );
  const keysFor = (key: string) => (tenant ? [...ofAll, `${prefix}tenant:${key}`] : ofAll);

  const load = async () => {
    const { RateLimiterRedis } = await import('rate-limiter-flexible').catch((cause: unknown) => {
      throw new InvalidArgumentError(
        'rate-limiter-flexible',
        'must be installed to share a limit: npm install rate-limiter-flexible',
        { cause },
      );
    });
    // What it calls a key is all that it passes on, so the whole request stands in it.
    const storeClient = {
      eval: (_script: string, { keys: [request = ''] }: { readonly keys: readonly string[] }) =>
        runPlaces(keysFor((JSON.parse(request) as { readonly key: string }).key), [request]),
    };
    return new RateLimiterRedis({
      storeClient,
      useRedisPackage: true,
      customIncrTtlLuaScript: placeScript,
      keyPrefix: '',
      points: app.limit,
      duration: 1,
    });
  };
  const loading = load();
  // Told to whoever asks.
  loading.catch(() => undefined);

  const limits = { app: withReserve(app), tenant: tenant && withReserve(tenant) };
  const write = (request: object) => JSON.stringify({ ...request, process, ...limits, graceMs });

  return {
    ready: loading,
    ask: async (request) => {
      const limiter = await loading;
      const name = newName();
      const { key, weight } = request;
      try {
        const maxWaitMs = Math.min(request.maxWaitMs, longestWaitMs);
        await limiter.consume(write({ ...request, maxWaitMs, mode: 'ask', name }), weight);
      } catch (refusal) {
        return toAnswer(refusal, app.limit);
      }
      onGrant({ name, key, weight });
      const giveBack = () => {
        onReturn(name);
        void limiter.reward(write({ mode: 'return', key, name, weight })).catch(() => undefined);
      };
      return { granted: true, giveBack };
    },
    report: async (grants) => {
      const limiter = await loading;
      const byKey = Map.groupBy(grants, ({ key }) => (tenant ? key : ''));
      for (const [key, some] of byKey) {
        const named = some.map(({ name, weight, ageMs }) => [name, weight, ageMs]);
        await limiter.penalty(write({ mode: 'report', key, grants: named }));
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

/** A refusal is thrown as an object that says how much was asked for over the limit: what stands in the way. */
const toAnswer = (refusal: unknown, limit: number): PlaceAnswer => {
  if (refusal instanceof Error) throw refusal;
  const { consumedPoints, msBeforeNext } = refusal as RateLimiterRes;
  return {
    granted: false,
    waitMs: msBeforeNext,
    by: (['app', 'tenant', 'pause'] as const)[consumedPoints - limit - 1] ?? 'app',
  };
};
