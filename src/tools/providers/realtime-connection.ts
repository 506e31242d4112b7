/** The connection of a realtime session: by a socket, or by a function that sends. */
import { InvalidArgumentError } from '../../core/errors.ts';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import type { ToolCallContext } from '../context.ts';
import type { RealtimeEvent } from './realtime-events.ts';

/** The connection of a session: by its socket, or by a function that sends one event. */
export type RealtimeConnection = RealtimeOptions &
  (
    | {
        /** A connection to the API, open or still opening: a WebSocket, or the `OpenAIRealtimeWS` of the package. */
        readonly socket: RealtimeSocket | PackageConnection;
        readonly send?: undefined;
      }
    | {
        /** Sends one event over a connection that is open. Give what comes over it to `handle` of the session. */
        readonly send: (event: RealtimeEvent) => void;
        readonly socket?: undefined;
      }
  );

/** The options of a session besides its tools. */
interface RealtimeOptions {
  /** Other settings for `session.update`, such as `instructions`. The tools are added to those in its `tools`, which you run. */
  readonly session?: object | undefined;
  /** The context of every run; the id of the tool call is added. With an `onSlow` of yours, nothing is said for slow tools. */
  readonly context?: ToolCallContext | undefined;
  /**
   * Gets each error of the API (its own fields are the `cause`), of the socket, and of `send`. The session goes on after
   * an error of the API.
   */
  readonly onError: (error: Error) => void;
}

/** A session that runs tools. */
export interface RealtimeSession {
  /** Takes one event of the API, parsed or as text; events about other things change nothing. Not needed with `socket`. */
  readonly handle: (event: unknown) => void;
  /** Sends nothing more, and ends look-ups that are in flight; a write goes on. Your connection stays open. */
  readonly close: () => void;
}

/** The part of a WebSocket that is used: that of Node, of a browser, and of `ws` are one. */
export interface RealtimeSocket {
  readonly readyState: number;
  send(text: string): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'open' | 'close' | 'error', listener: (event: object) => void): void;
  removeEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  removeEventListener(type: 'open' | 'close' | 'error', listener: (event: object) => void): void;
}

/** The part of the package's `OpenAIRealtimeWS` and `OpenAIRealtimeWebSocket` that is used. */
export interface PackageConnection {
  readonly socket: RealtimeSocket;
  on(type: 'error', listener: (error: Error) => void): unknown;
  off(type: 'error', listener: (error: Error) => void): unknown;
}

/** The events of a connection. */
interface Listeners {
  readonly open: () => void;
  readonly handle: (data: unknown) => void;
  readonly close: () => void;
}

/** A connection in use. */
interface OpenConnection {
  /** Never throws. `false`: it could not be sent. */
  readonly post: (event: RealtimeEvent) => boolean;
  /** Listens and sends no more. */
  readonly stop: () => void;
  /** It was open from the start. */
  readonly isOpen: boolean;
}

/** Throws `InvalidArgumentError` for what is no connection. */
export const toConnection = (connection: RealtimeConnection, { open, handle, close }: Listeners): OpenConnection => {
  const { socket: connected, send, onError } = connection;
  const ofPackage = connected && 'socket' in connected ? connected : undefined;
  const socket = connected && 'socket' in connected ? connected.socket : connected;
  if (typeof (socket ? socket.addEventListener : send) !== 'function') throw new InvalidArgumentError('socket', needed);
  let isStopped = false;
  let hasClosed = false;
  const fail = (message: string, cause: unknown) =>
    ignoreErrors(() => onError(new Error(`Realtime: ${message}`, { cause })));
  const post = (event: RealtimeEvent) => {
    if (isStopped) return false;
    try {
      if (socket) socket.send(JSON.stringify(event));
      else send?.(event);
    } catch (error) {
      fail(`${event.type} could not be sent`, error);
      return false;
    }
    return true;
  };
  const onMessage = ({ data }: { readonly data: unknown }) => handle(data);
  const onClosed = () => {
    hasClosed = !isStopped;
    close();
  };
  const onFailed = (event: object) => fail('the connection failed', causeOf(event));
  /** The API's own errors come as messages too, and what the socket says comes here. */
  const onPackageError = (error: Error) => {
    if (!('error' in error && error.error)) fail('the connection failed', error.cause ?? error);
  };
  // Without a listener the package rejects a promise that nothing awaits, which ends the process.
  ofPackage?.on('error', onPackageError);
  const onReconnecting = () => {
    recovering?.off('reconnecting', onReconnecting);
    if (!isStopped || hasClosed) fail(reconnects, undefined);
  };
  // Versions of the package that can't reconnect never emit it.
  const recovering = ofPackage as RecoveringConnection | undefined;
  recovering?.on('reconnecting', onReconnecting);
  socket?.addEventListener('open', open);
  socket?.addEventListener('message', onMessage);
  socket?.addEventListener('close', onClosed);
  if (!ofPackage) socket?.addEventListener('error', onFailed);
  const stop = () => {
    isStopped = true;
    socket?.removeEventListener('open', open);
    socket?.removeEventListener('message', onMessage);
    socket?.removeEventListener('close', onClosed);
    socket?.removeEventListener('error', onFailed);
  };
  const isOpen = !socket || socket.readyState === openState;
  return { post, stop, isOpen };
};

/** A connection that was opened with `reconnect`. */
interface RecoveringConnection {
  on(type: 'reconnecting', listener: () => void): unknown;
  off(type: 'reconnecting', listener: () => void): unknown;
}

const reconnects =
  "the package replaces its socket, which ends the session: call realtime.connect again on 'reconnected', or open the connection without `reconnect`";

/** The same number in all of them. */
const openState = 1;

const needed = "must be a WebSocket, or the package's OpenAIRealtimeWS; without one, `send` must be a function";

/** `ws` and undici say what went wrong; browsers don't. */
const causeOf = (event: object): unknown => ('error' in event && event.error) || event;
