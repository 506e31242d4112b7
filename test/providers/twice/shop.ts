/** A shop with one customer and one invoice, whose answers can be lost. It speaks as far as the tools of the table need. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A charge or deal whose answer waits. */
export interface Waiting {
  /** Resolves when the request has arrived and, unless it is late, was done. */
  readonly reached: Promise<void>;
  readonly letGo: () => void;
}

export interface Shop extends AsyncDisposable {
  readonly origin: string;
  /** Charges and deals that were made since the last reset. */
  readonly made: () => number;
  readonly reset: () => void;
  /** From now on every write is done, and its connection is cut before the answer. */
  readonly cut: () => void;
  /** From now on every write is answered. */
  readonly answer: () => void;
  /** The next write is done, or with `late` only then, and is answered when it's let go. */
  readonly hold: (options?: { readonly late?: boolean }) => Waiting;
}

export const phone = '+14155550100';

export const openShop = async (): Promise<Shop> => {
  let mode: 'answer' | 'cut' = 'answer';
  let held: { readonly late: boolean; readonly reached: () => void; readonly letGo: Promise<void> } | undefined;
  let effects: string[] = [];
  let answers = new Map<string, Promise<object>>();
  let inProgress = new Set<string>();

  const write = async (what: string, key: string | undefined): Promise<object> => {
    const hold = held;
    held = undefined;
    if (hold?.late) {
      hold.reached();
      await hold.letGo;
    }
    effects.push(what);
    const answer = answerTo(what, effects.length);
    if (key !== undefined) answers.set(key, Promise.resolve(answer));
    if (hold && !hold.late) {
      hold.reached();
      await hold.letGo;
    }
    return answer;
  };

  /** A key that comes again gets the first answer, and 409 as long as there's none, as Stripe's documentation says. */
  const writeOnce = async (what: string, key: string | undefined): Promise<Answer> => {
    if (key === undefined) return { status: 201, body: await write(what, key) };
    if (inProgress.has(key)) return { status: 409, body: { error: { message: 'A request with this key goes on.' } } };
    const known = answers.get(key);
    if (known) return { status: 201, body: await known };
    inProgress.add(key);
    const [keysBefore] = [inProgress];
    try {
      return { status: 201, body: await write(what, key) };
    } finally {
      keysBefore.delete(key);
    }
  };

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://shop');
    const body = await text(request);
    const key = request.headers['idempotency-key']?.toString();
    const what = request.method === 'POST' ? writes[url.pathname] : undefined;
    if (!what) {
      const found = read(url, effects, body);
      if (url.pathname.startsWith('/crm/')) await indexed();
      return void send(response, found);
    }
    const isCut = mode === 'cut';
    const answer = await writeOnce(what, what === 'deal' ? undefined : key);
    if (isCut) request.socket.destroy();
    else send(response, answer);
  };

  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    made: () => effects.length,
    reset: () => {
      [mode, held, effects, answers, inProgress] = ['answer', undefined, [], new Map(), new Set()];
    },
    cut: () => void (mode = 'cut'),
    answer: () => void (mode = 'answer'),
    hold: ({ late = false } = {}) => {
      const [reached, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      held = { late, reached: reached.resolve, letGo: letGo.promise };
      return { reached: reached.promise, letGo: letGo.resolve };
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/** A search shows what was there when it began. */
const indexed = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 500));

interface Answer {
  readonly status: number;
  readonly body: object;
}

const send = (response: ServerResponse, { status, body }: Answer): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** The paths of a billing API, of Stripe and of HubSpot. */
const writes: Readonly<Record<string, 'payment' | 'intent' | 'deal'>> = {
  '/payments': 'payment',
  '/v1/payment_intents': 'intent',
  '/crm/v3/objects/deals/batch/create': 'deal',
};

const answerTo = (what: string, count: number): object => {
  if (what === 'intent') return { id: `pi_${count}`, object: 'payment_intent', status: 'succeeded' };
  if (what === 'payment') return { id: `pay_${count}`, status: 'completed', confirmation_number: `C-${count}` };
  const at = '2026-11-27T12:00:00.000Z';
  const results = [{ id: `${count}`, properties: { dealname: 'Repair' }, createdAt: at, updatedAt: at }];
  return { status: 'COMPLETE', results, requestedAt: at, startedAt: at, completedAt: at };
};

const read = ({ pathname }: URL, effects: readonly string[], body: string): Answer => {
  if (pathname === '/customers/search') return { status: 200, body: { id: 'cus_1', name: 'Ada Park', phone } };
  if (pathname === '/invoices') {
    const amount_due = 120 - 40 * effects.length;
    return { status: 200, body: [{ id: 'inv_1', customer_id: 'cus_1', amount: 120, amount_due, status: 'open' }] };
  }
  if (pathname === '/crm/v3/objects/deals/search' && body !== '') {
    const results = effects.map((_, index) => ({ id: `${index + 1}`, properties: { dealname: 'Repair' } }));
    return { status: 200, body: { total: results.length, results } };
  }
  return { status: 404, body: { message: 'There is no such thing.' } };
};
