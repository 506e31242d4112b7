import { createHash } from 'node:crypto';
import type { Lane } from '../../src/stores/ports/rate-limiter.ts';
import type { RedisClient } from '../../src/stores/redis/client.ts';
import { pauseScript } from '../../src/stores/redis/permit-script.ts';
import { logNormal, type Random } from './random.ts';

/** One Redis for all simulated processes. */
export interface SimulatedRedis {
  readonly client: RedisClient;
  /** Commands are lost for as long as it is unreachable, as on a network that drops them. */
  beAway(isAway: boolean): void;
  /** How many it has answered. */
  commands(): number;
}

/** Answers the commands of the shared rate limiter after a round trip; what they do, they do in the middle of it. */
export const createSimulatedRedis = ({
  random,
  roundTripMs = 1,
}: {
  readonly random: Random;
  /** The median. */
  readonly roundTripMs?: number;
}): SimulatedRedis => {
  const runScript = createPermitScript(() => performance.now());
  let isAway = false;
  let commands = 0;

  const run = (command: string, args: readonly string[]): unknown => {
    commands += 1;
    if (command === 'PING') return 'PONG';
    const [digest, , ...rest] = args;
    if (digest !== pauseDigest) return runScript.ask(rest.at(-1) ?? '');
    runScript.pause(Number(rest.at(-1)));
    return 0;
  };

  return {
    client: {
      call: (command, ...args) =>
        new Promise((resolve) => {
          const halfMs = () => logNormal(roundTripMs / 2, 0.3, random);
          setTimeout(() => {
            if (isAway) return;
            const answer = run(command, args);
            setTimeout(() => resolve(answer), halfMs());
          }, halfMs());
        }),
    },
    beAway: (next) => {
      isAway = next;
    },
    commands: () => commands,
  };
};

const pauseDigest = createHash('sha1').update(pauseScript).digest('hex');

/**
 * The permit script of the Redis rate limiter, line by line, for one app without limits of its tenants, on a clock that is
 * never set back. A test runs both side by side.
 */
export const createPermitScript = (now: () => number) => {
  /** In the order in which they were taken. */
  let places: { readonly name: string; readonly at: number }[] = [];
  let pausedUntil = 0;
  let reservedUntil = 0;
  let liveUntil = 0;

  const inMicroseconds = () => Math.floor(now() * 1_000) / 1_000;

  const take = (name: string, weight: number, at: number) => {
    for (let unit = 1; unit <= weight; unit += 1) places.push({ name: `${name}:${unit}`, at });
  };

  const needed = ({ limit, reserve }: Question['app'], { lane, weight }: Question, at: number) =>
    lane === 'background' && at < reservedUntil ? Math.min(limit, weight + reserve) : weight;

  /** What the server has is not counted twice. */
  const report = (grants: Question['grants'], at: number) => {
    const known = new Set(places.map(({ name }) => name));
    for (const [name, weight, ageMs] of grants) if (!known.has(`${name}:1`)) take(name, weight, at - ageMs);
    places = places.toSorted((one, other) => one.at - other.at);
  };

  const freeIn = (units: number, { limit, holdMs }: Question['app'], at: number) => {
    const place = places.length + units;
    if (place <= limit) return 0;
    const rounds = Math.ceil(place / limit) - 1;
    const takenAt = places[place - rounds * limit - 1]?.at ?? at;
    return Math.max(0, takenAt + holdMs - at) + (rounds - 1) * holdMs;
  };

  const ask = (question: Question): readonly [reason: number, waitMs: number] => {
    const { app, weight, ahead, lane, maxWaitMs } = question;
    const at = inMicroseconds();
    const firstKept = places.findIndex((place) => place.at > at - app.holdMs);
    if (firstKept !== 0) places = firstKept === -1 ? [] : places.slice(firstKept);

    if (lane === 'live') reservedUntil = at + Math.ceil(app.holdMs);

    const pausedMs = Math.max(0, Math.ceil(pausedUntil - at));
    const freeMs = freeIn(ahead + needed(app, question, at), app, at);
    const appMs = lane === 'background' ? Math.max(freeMs, liveUntil - at) : freeMs;
    const waitMs = Math.max(pausedMs, appMs);
    if (waitMs <= 0) {
      take(question.name, weight, at);
      return [0, 0];
    }
    if (lane === 'live' && ahead === 0 && waitMs <= maxWaitMs)
      liveUntil = Math.max(liveUntil, at + Math.ceil(waitMs) + 100);
    return [appMs > pausedMs ? 1 : 3, Math.ceil(waitMs)];
  };

  return {
    ask: (written: string): readonly [reason: number, waitMs: number] => {
      const question = JSON.parse(written) as Question;
      const { mode, name, weight } = question;
      if (mode === 'acquire') return ask(question);
      if (mode === 'release') places = places.filter((place) => !isOf(place.name, name, weight));
      else report(question.grants, inMicroseconds());
      return [0, 0];
    },
    pause: (ms: number) => {
      pausedUntil = Math.max(pausedUntil, inMicroseconds() + ms);
    },
  };
};

/** As the limiter writes it. */
interface Question {
  readonly mode: 'acquire' | 'release' | 'report';
  readonly name: string;
  readonly weight: number;
  readonly ahead: number;
  readonly lane: Lane;
  readonly maxWaitMs: number;
  readonly app: { readonly limit: number; readonly holdMs: number; readonly reserve: number };
  readonly grants: readonly (readonly [name: string, weight: number, ageMs: number])[];
}

const isOf = (place: string, name: string, weight: number) =>
  place.startsWith(`${name}:`) && Number(place.slice(name.length + 1)) <= weight;
