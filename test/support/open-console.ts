import { type Console, type ConsoleOptions, createConsole } from '../../src/dev/console/index.ts';

/** A console and a way to ask it as a command line does. */
export interface OpenConsole extends AsyncDisposable {
  readonly local: Console;
  /** The answer to a GET, or to a POST of what is given. */
  readonly ask: (path: string, body?: object) => Promise<Response>;
  readonly askJson: (path: string, body?: object) => Promise<unknown>;
}

export const openConsole = (options: ConsoleOptions = {}): OpenConsole => {
  const local = createConsole(options);
  const ask = (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${local.token}`, 'content-type': 'application/json' };
    const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return local.handle(new Request(`http://127.0.0.1/${path}`, { headers, ...post }), { address: '127.0.0.1' });
  };
  return {
    local,
    ask,
    askJson: async (path, body) => (await ask(path, body)).json(),
    [Symbol.asyncDispose]: () => local.close(),
  };
};
