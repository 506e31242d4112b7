import { serve } from '../../support/serve.ts';

interface Stored {
  readonly id: string;
  status: string;
  readonly created: string;
  start: { readonly dateTime?: string; readonly date?: string };
  end: { readonly dateTime?: string; readonly date?: string };
  readonly extendedProperties?: { readonly private?: Readonly<Record<string, string>> };
}

/** The part of Google Calendar v3 that the recipe needs. Two inserts at one time both succeed, as at Google. */
export const startFakeGoogleCalendar = async ({ ignoresFilter = false } = {}) => {
  const events: Stored[] = [];
  const drops: string[] = [];
  const writes: string[] = [];
  let beforeWrite = () => {};
  let isShared = true;
  let clock = 0;

  const fail = (status: number, reason: string) =>
    Response.json({ error: { code: status, message: reason, errors: [{ reason }] } }, { status });
  const at = (time: Stored['start']) => Date.parse(time.dateTime ?? `${time.date}T00:00:00Z`);
  const add = (fields: Omit<Stored, 'created' | 'status'>): Stored => {
    clock += 1;
    const stored = { status: 'confirmed', created: new Date(1_700_000_000_000 + clock).toISOString(), ...fields };
    events.push(stored);
    return stored;
  };
  const within = (query: { readonly timeMin: string; readonly timeMax: string }) =>
    events.filter(
      (one) =>
        one.status !== 'cancelled' &&
        at(one.end) > Date.parse(query.timeMin) &&
        at(one.start) < Date.parse(query.timeMax),
    );

  const list = (query: URLSearchParams) => {
    const [name = '', value] = query.get('privateExtendedProperty')?.split('=') ?? [];
    const found = within({ timeMin: query.get('timeMin') ?? '', timeMax: query.get('timeMax') ?? '' }).filter(
      (one) => ignoresFilter || name === '' || one.extendedProperties?.private?.[name] === value,
    );
    const from = Number(query.get('pageToken') ?? 0);
    const next = from + 1 < found.length ? { nextPageToken: String(from + 1) } : {};
    return Response.json({ items: found.slice(from, from + 1), ...next });
  };

  const write = async (request: Request, old: Stored | undefined, id: string | undefined): Promise<Response> => {
    if (request.method === 'DELETE') {
      if (!old) return fail(404, 'notFound');
      if (old.status === 'cancelled') return fail(410, 'deleted');
      old.status = 'cancelled';
      return new Response(null, { status: 204 });
    }
    const body = (await request.json()) as Stored & { readonly attendees?: unknown };
    if (body.attendees) return fail(403, 'forbiddenForServiceAccounts');
    if (!id) {
      if (!/^[a-v0-9]{5,1024}$/.test(body.id)) return fail(400, 'invalid');
      return events.some((one) => one.id === body.id) ? fail(409, 'duplicate') : Response.json(add(body));
    }
    if (!old) return fail(404, 'notFound');
    if (old.status === 'cancelled') return fail(403, 'forbidden');
    return Response.json(Object.assign(old, body));
  };

  const server = await serve(async (request) => {
    const url = new URL(request.url);
    if (request.headers.get('authorization') !== 'Bearer google') return fail(401, 'authError');
    if (url.pathname === '/freeBusy') {
      const { items, ...query } = (await request.json()) as {
        readonly items: readonly { readonly id: string }[];
        readonly timeMin: string;
        readonly timeMax: string;
      };
      const busy = within(query).map(({ start, end }) => ({ start: start.dateTime, end: end.dateTime }));
      const calendar = isShared ? { busy } : { busy: [], errors: [{ domain: 'global', reason: 'notFound' }] };
      return Response.json({ calendars: Object.fromEntries(items.map(({ id }) => [id, calendar])) });
    }
    const id = url.pathname.split('/')[4];
    const old = events.find((one) => one.id === id);
    if (request.method === 'GET') {
      if (!id) return list(url.searchParams);
      return old ? Response.json(old) : fail(404, 'notFound');
    }
    writes.push(request.method);
    beforeWrite();
    const answer = await write(request, old, id);
    return drops.shift() === request.method && answer.ok ? fail(500, 'backendError') : answer;
  });

  return {
    url: server.url,
    events,
    add,
    drops,
    writes,
    unshare: () => void (isShared = false),
    beforeWrite: (run: () => void) => void (beforeWrite = run),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};
