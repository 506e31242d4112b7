import type { HttpResponse, Transport } from '../../src/http/request.ts';
import { logNormal, type Random } from './random.ts';

export interface SimulatedApiOptions {
  readonly random: Random;
  /** How long one request is worked on. */
  readonly workMs: (random: Random) => number;
  /** Requests that are worked on at once. @defaultValue no end of them */
  readonly atOnce?: number;
  /** Requests that wait for that; those beyond are answered with 503. @defaultValue 1000 */
  readonly queueLength?: number;
}

/** What is sent to the API, and what it makes of it. */
export interface SimulatedApi {
  readonly transport: Transport;
  /** When each request arrived, in order. */
  readonly arrivals: readonly number[];
  /** `up`; `failing`: answers 503 at once; `silent`: never answers. */
  become(state: 'up' | 'failing' | 'silent'): void;
}

/**
 * A server with so many hands and a queue in front of them. It works on a request also when its caller has stopped
 * waiting, as servers do: this is what keeps an overloaded one overloaded.
 */
export const createSimulatedApi = (options: SimulatedApiOptions): SimulatedApi => {
  const { random, workMs, atOnce = Number.POSITIVE_INFINITY, queueLength = 1_000 } = options;
  const arrivals: number[] = [];
  let state: 'up' | 'failing' | 'silent' = 'up';
  let working = 0;
  let queue: (() => void)[] = [];
  let served = 0;

  const wayMs = () => logNormal(10, 0.3, random);

  const work = (answer: (response: HttpResponse) => void) => {
    working += 1;
    setTimeout(() => {
      working -= 1;
      answer(ok);
      queue[served]?.();
      served += 1;
      if (served >= queue.length) {
        queue = [];
        served = 0;
      }
    }, workMs(random));
  };

  const arrive = (answer: (response: HttpResponse) => void) => {
    arrivals.push(performance.now());
    if (state === 'silent') return;
    if (state === 'failing') return answer(unavailable);
    if (working < atOnce) return work(answer);
    if (queue.length - served >= queueLength) return answer(unavailable);
    queue.push(() => work(answer));
  };

  return {
    transport: ({ signal }) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        setTimeout(() => arrive((response) => void setTimeout(() => resolve(response), wayMs())), wayMs());
      }),
    arrivals,
    become: (next) => {
      state = next;
    },
  };
};

const ok: HttpResponse = { status: 200, headers: new Map(), text: '{}' };
const unavailable: HttpResponse = { status: 503, headers: new Map(), text: '{}' };
