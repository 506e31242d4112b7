import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { apiKey } from '../../src/auth/index.ts';
import { type BillingFunctions, billingFrom, type OwnBilling } from '../../src/billing/index.ts';
import { createApiClient } from '../../src/index.ts';
import type { ConnectionOptions } from '../../src/http/operation.ts';

/** What the server does with the next request to a path: `lose` does the work and closes the connection. */
export type LedgerFault = 'lose' | 'hang' | 'reset' | { readonly status: number; readonly body?: unknown };

interface Account {
  readonly acct_no: string;
  readonly display_name: string;
  readonly msisdn: string;
  readonly mail: string;
  readonly card: string | null;
}

interface Bill {
  readonly bill_no: string;
  readonly acct_no: string;
  readonly cents_open: number;
  readonly due_on: string;
}

/** A billing API unlike every other: other names, cents, its own header for keys. It charges whenever it isn't told the key. */
export interface Ledger extends AsyncDisposable {
  readonly origin: string;
  readonly accounts: Account[];
  readonly bills: Bill[];
  readonly charges: { readonly bill: string; readonly cents: number; readonly key: string | undefined }[];
  readonly requests: { readonly path: string; readonly key: string | undefined }[];
  /** The faults of the next requests to paths that begin so. */
  readonly fail: (path: string, ...faults: readonly LedgerFault[]) => void;
  /** Resolves once a request to this path hangs. */
  readonly hanging: (path: string) => Promise<void>;
  /** Answers the requests that hang, after doing their work. */
  readonly release: () => void;
}

export const startLedger = async (): Promise<Ledger> => {
  const accounts: Account[] = [
    { acct_no: 'A-1', display_name: 'Jane', msisdn: '+14155550100', mail: 'jane@example.com', card: 'card_1' },
  ];
  const bills: Bill[] = [
    { bill_no: 'B-1', acct_no: 'A-1', cents_open: 12050, due_on: '2026-10-01' },
    { bill_no: 'B-2', acct_no: 'A-1', cents_open: 900, due_on: '2026-10-02' },
  ];
  const charges: Ledger['charges'] = [];
  const requests: Ledger['requests'] = [];
  const kept = new Map<string, object>();
  const faults: { readonly path: string; readonly fault: LedgerFault }[] = [];
  const held: { readonly path: string; readonly answer: () => void }[] = [];
  const waiting = new Set<() => void>();

  const charge = (body: string, key: string | undefined): object => {
    const before = key === undefined ? undefined : kept.get(key);
    if (before) return before;
    const { bill, cents, card } = JSON.parse(body) as { bill: string; cents: number; card: string };
    if (card === 'card_poor') return { state: 'refused' };
    if (card === 'card_slow') return { state: 'pending' };
    charges.push({ bill, cents, key });
    const at = bills.findIndex(({ bill_no }) => bill_no === bill);
    if (at >= 0) bills.splice(at, 1);
    const answer = { state: 'paid', receipt: `R-${charges.length}` };
    if (key !== undefined) kept.set(key, answer);
    return answer;
  };

  const work = (url: URL, body: string, key: string | undefined): object | undefined => {
    const [, , account = ''] = url.pathname.split('/');
    if (url.pathname === '/accounts') {
      const [msisdn, mail] = [url.searchParams.get('msisdn'), url.searchParams.get('mail')];
      return { accounts: accounts.filter((one) => one.msisdn === msisdn || one.mail === mail) };
    }
    if (url.pathname === '/charges') return charge(body, key);
    if (url.pathname === '/notes') return {};
    if (!/^\/accounts\/[^/]+\/bills$/.test(url.pathname)) return undefined;
    return { bills: bills.filter(({ acct_no }) => acct_no === account) };
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const url = new URL(request.url ?? '', 'http://ledger');
    const key = request.headers['x-request-key'] as string | undefined;
    requests.push({ path: url.pathname, key });
    const say = (status: number, answer: unknown) =>
      response
        .writeHead(answer === undefined ? 404 : status, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer ?? { reason: 'nothing here' }));
    if (request.headers['x-key'] !== 'ledger-key') return say(401, { reason: 'who are you' });
    const at = faults.findIndex(({ path }) => url.pathname.startsWith(path));
    const [{ fault } = { fault: undefined }] = at < 0 ? [] : faults.splice(at, 1);
    if (fault === 'reset') return request.socket.resetAndDestroy();
    if (typeof fault === 'object') return say(fault.status, fault.body ?? { reason: 'no' });
    if (fault === 'hang') {
      held.push({ path: url.pathname, answer: () => say(200, work(url, body, key)) });
      for (const check of waiting) check();
      return undefined;
    }
    const answer = work(url, body, key);
    return fault === 'lose' ? request.socket.resetAndDestroy() : say(200, answer);
  };

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accounts,
    bills,
    charges,
    requests,
    fail: (path, ...more) => void faults.push(...more.map((fault) => ({ path, fault }))),
    hanging: (path) =>
      new Promise((resolve) => {
        const check = () => {
          if (!held.some((one) => one.path === path)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    release: () => {
      for (const { answer } of held.splice(0)) answer();
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const account = z.object({
  acct_no: z.string(),
  display_name: z.string(),
  msisdn: z.string(),
  mail: z.string(),
  card: z.string().nullable(),
});
const bill = z.object({ bill_no: z.string(), cents_open: z.int(), due_on: z.iso.date() });

/** The client of a ledger, as an application writes it. */
export const ledgerClient = (origin: string, more: Partial<ConnectionOptions> = {}) =>
  createApiClient({
    name: 'ledger',
    baseUrl: origin,
    authenticate: apiKey('X-Key', () => 'ledger-key'),
    idempotency: { header: 'X-Request-Key' },
    backoff: { minimumMs: 0, maximumMs: 0 },
    ...more,
    endpoints: {
      accounts: {
        method: 'GET',
        path: '/accounts',
        query: z.object({ msisdn: z.string().optional(), mail: z.string().optional() }),
        returns: z.object({ accounts: z.array(account) }),
      },
      bills: {
        method: 'GET',
        path: '/accounts/{id}/bills?state=due',
        returns: z.object({ bills: z.array(bill) }),
      },
      note: { method: 'POST', path: '/notes', body: z.object({ text: z.string() }) },
      charge: {
        method: 'POST',
        path: '/charges',
        body: z.object({ bill: z.string(), cents: z.int(), card: z.string() }),
        returns: z.object({ state: z.enum(['paid', 'refused', 'pending']), receipt: z.string().nullish() }),
        effect: 'payment',
      },
    },
  });

export type LedgerClient = ReturnType<typeof ledgerClient>;

/** The four functions over it, some of them perhaps others. */
export const ledgerBilling = (client: LedgerClient, other: Partial<BillingFunctions<LedgerClient>> = {}): OwnBilling =>
  billingFrom(client, {
    currency: 'EUR',
    findByPhone: async (phone, api) => {
      const { accounts } = await api.accounts({ msisdn: phone });
      return accounts.map((one) => ({ id: one.acct_no, name: one.display_name, phone: one.msisdn, card: one.card }));
    },
    findByEmail: async (email, api) => {
      const { accounts } = await api.accounts({ mail: email });
      return accounts.map((one) => ({ id: one.acct_no, name: one.display_name, email: one.mail, card: one.card }));
    },
    listOpen: async (customerId, api) => {
      const { bills } = await api.bills({ id: customerId });
      return bills.map((one) => ({ id: one.bill_no, amount: one.cents_open / 100, due_date: one.due_on }));
    },
    pay: async ({ invoice_id, minor_amount, payment_method_id }, api) => {
      const body = { bill: invoice_id, cents: minor_amount, card: payment_method_id };
      const { state, receipt } = await api.charge({ body });
      if (state === 'paid') return { status: 'completed', confirmation_number: receipt };
      return state === 'pending' ? { status: 'pending' } : { status: 'declined' };
    },
    ...other,
  });
