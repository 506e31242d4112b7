import { setTimer } from '../../core/timers.ts';
import type { Recorded, Recorder } from './records.ts';

export interface EventStreamOptions {
  readonly recorder: Recorder;
  /** Part of the ids: those of another process mean nothing here. */
  readonly boot: string;
  /** `Last-Event-ID`, or the page's position when it connects first. */
  readonly after: string | undefined;
  /** Ends it, such as when the console is closed. */
  readonly signal: AbortSignal;
}

/**
 * The events as a stream of server-sent events (WHATWG HTML, 9.2): first what the page has missed, then what happens. A
 * page that missed more than is kept gets `reset`: it reads everything again.
 */
export const createEventStream = ({
  recorder,
  boot,
  after,
  signal,
}: EventStreamOptions): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  let end = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const send = (text: string) => {
          // A page that does not read, such as one in a sleeping tab, comes back with its Last-Event-ID.
          if ((controller.desiredSize ?? 0) <= 0) return close();
          controller.enqueue(encoder.encode(text));
        };
        const stop = recorder.listen((recorded) => send(message(boot, recorded)));
        let cancelTimer = () => {};
        const keepAlive = () => {
          cancelTimer = setTimer(() => {
            send(': still here\n\n');
            keepAlive();
          }, keepAliveMs);
        };
        end = () => {
          stop();
          cancelTimer();
          signal.removeEventListener('abort', close);
        };
        const close = () => {
          end();
          controller.close();
          end = () => {};
        };
        if (signal.aborted) return close();
        signal.addEventListener('abort', close, { once: true });
        keepAlive();
        const missed = missedAfter(recorder, boot, after);
        const opening = missed ? missed.map((recorded) => message(boot, recorded)).join('') : reset(boot, recorder);
        send(`retry: ${reconnectMs}\n\n${opening}`);
      },
      cancel: () => end(),
    },
    { highWaterMark: maximumUnread },
  );
};

const reconnectMs = 500;
const keepAliveMs = 15_000;

/** Chunks that may wait for a page to read them. */
const maximumUnread = 2_000;

const message = (boot: string, recorded: Recorded): string =>
  `id: ${boot}-${recorded.seq}\ndata: ${JSON.stringify(recorded)}\n\n`;

const reset = (boot: string, recorder: Recorder): string =>
  `id: ${boot}-${recorder.lastSeq()}\nevent: reset\ndata: {}\n\n`;

const missedAfter = (recorder: Recorder, boot: string, after: string | undefined): readonly Recorded[] | undefined => {
  const [ownBoot, seq] = (after ?? '').split('-');
  return ownBoot === boot && /^\d{1,15}$/.test(seq ?? '') ? recorder.since(Number(seq)) : undefined;
};
