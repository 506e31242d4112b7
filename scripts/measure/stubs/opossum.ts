import { EventEmitter } from 'node:events';

/** opossum whose circuit never opens. */
export default class AlwaysClosed extends EventEmitter {
  readonly opened = false;
  readonly closed = true;
  readonly halfOpen = false;
  readonly pendingClose = false;
  readonly isShutdown = false;
  readonly enabled = true;
  readonly #action: (...args: unknown[]) => Promise<unknown>;

  constructor(action: (...args: unknown[]) => Promise<unknown>) {
    super();
    this.#action = action;
  }

  fire = (...args: unknown[]): Promise<unknown> => this.#action(...args);
  open = (): void => {};
  close = (): void => {};
  shutdown = (): void => {};
}
