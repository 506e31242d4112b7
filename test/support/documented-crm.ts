import { bearer } from '../../src/auth/index.ts';
import { type CrmClient, type CrmOptions, createCrmClient } from '../../src/crm/index.ts';
import { serve } from './serve.ts';

/** A record as it was sent. */
type Fields = Readonly<Record<string, unknown>>;

/** The behaviour of a CRM with the interface document's three endpoints. */
export interface DocumentedCrmOptions {
  /** The status of every other answer. @defaultValue 404 */
  readonly missing?: number;
  /** The columns that a query may name; `Id` is one of them. @defaultValue any */
  readonly columns?: readonly string[];
  /** The most rows that a query may ask for. @defaultValue any number */
  readonly mostRows?: number;
  /** The status of the answer to a query that asks for more. @defaultValue 400 */
  readonly refusal?: number;
  /** Further objects that it searches. @defaultValue none */
  readonly searches?: readonly string[];
  /** It changes Tasks too. */
  readonly changesTasks?: boolean;
}

/** A server on a real socket that knows three endpoints and the fields of the interface document. */
export interface DocumentedCrm extends AsyncDisposable {
  /** The options of the CRM, with its default dialect. */
  readonly crm: CrmClient;
  readonly connect: (options?: Partial<CrmOptions>) => CrmClient;
  /** Method and path below `sobjects/`. */
  readonly requests: readonly string[];
  /** The queries that it was asked, with their limits. */
  readonly queries: readonly { readonly q: string; readonly limit: number }[];
  readonly leads: Fields[];
  readonly tasks: Fields[];
  /** The records of the further objects. */
  readonly others: Fields[];
  /** The next requests that begin with this get this status, one each. */
  fail(request: string, ...statuses: readonly number[]): void;
}

export const startDocumentedCrm = async ({
  missing = 404,
  columns,
  mostRows = Number.POSITIVE_INFINITY,
  refusal = 400,
  searches = [],
  changesTasks = false,
}: DocumentedCrmOptions = {}): Promise<DocumentedCrm> => {
  const requests: string[] = [];
  const queries: { q: string; limit: number }[] = [];
  const leads: Fields[] = [];
  const tasks: Fields[] = [];
  const others: Fields[] = [];
  const failures = new Map<string, number[]>();
  const json = (body: unknown, status = 200) => Response.json(body, { status });

  const search = (rows: readonly Fields[], { q, limit }: { readonly q: string; readonly limit: number }): Response => {
    queries.push({ q, limit });
    const asked = columnsOf(q);
    const unknown = columns && asked.all.find((name) => !columns.includes(name));
    if (unknown !== undefined) return json({ error: `no such column: ${unknown}` }, refusal);
    if (limit > mostRows) return json({ error: 'limit must be 1' }, refusal);
    const matching = rows.filter(({ Phone, Email }) => q.includes(`'${Phone}'`) || q.includes(`'${Email}'`));
    const selected = matching.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => asked.selected.includes(name))),
    );
    return json(selected.slice(0, limit));
  };

  const server = await serve(async (request) => {
    const path = new URL(request.url).pathname.replace('/services/data/v60.0/sobjects/', '');
    const line = `${request.method} ${path}`;
    requests.push(line);
    const body = request.method === 'GET' ? {} : ((await request.json()) as Fields);
    const failing = [...failures.keys()].find((name) => line.startsWith(name));
    const status = failures.get(failing ?? '')?.shift();
    if (status !== undefined) return json({ error: 'not now' }, status);
    switch (line) {
      case 'POST Lead/':
        return json({ id: leads[leads.push({ Id: `00Q${leads.length + 1}`, ...body }) - 1]?.['Id'] }, 201);
      case 'POST Lead/search':
        return search(leads, body as { q: string; limit: number });
      case 'POST Task/':
        return json({ id: `00T${tasks.push(body)}` }, 201);
      default:
    }
    if (searches.some((object) => line === `POST ${object}/search`))
      return search(others, body as { q: string; limit: number });
    const [, ordinal] = /^PATCH Task\/00T(\d+)$/.exec(line) ?? [];
    if (!changesTasks || ordinal === undefined) return json({ error: 'no such endpoint' }, missing);
    tasks[Number(ordinal) - 1] = { ...tasks[Number(ordinal) - 1], ...body };
    return new Response(null, { status: 204 });
  });
  const connect: DocumentedCrm['connect'] = (options) =>
    createCrmClient({
      baseUrl: server.url,
      authenticate: bearer(() => 't'),
      version: '60.0',
      backoff: { minimumMs: 0, maximumMs: 0 },
      ...options,
    });
  return {
    crm: connect(),
    connect,
    requests,
    queries,
    leads,
    tasks,
    others,
    fail: (request, ...statuses) => void failures.set(request, [...statuses]),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};

/** Every column that a query names. */
const columnsOf = (q: string) => {
  const [, select = '', where = '', order = ''] =
    /^SELECT (.+?) FROM \w+ WHERE (.+?)(?: ORDER BY (.+))?$/.exec(q) ?? [];
  const selected = select.split(', ');
  const compared = [...where.matchAll(/(\w+) (?:=|LIKE|IN)/g)].map(([, name = '']) => name);
  const ordered = order === '' ? [] : order.split(', ').map((one) => one.split(' ')[0] ?? '');
  return { selected, all: [...selected, ...compared, ...ordered] };
};
