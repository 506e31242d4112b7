import type { Metrics } from '../../observability/metrics/create-metrics.ts';
import type { Redactor } from '../../observability/redaction/redactor.ts';
import type { UndeliveredSelection } from '../../outbox/dead-letters.ts';
import { json, refusal } from './answers.ts';
import type { Recorder } from './records.ts';
import type { ConsoleSources } from './sources.ts';
import { describeTools } from './tool-definitions.ts';
import { createHash, randomBytes } from 'node:crypto';

export interface ApiOptions {
  readonly sources: ConsoleSources;
  readonly recorder: Recorder;
  readonly metrics: Metrics;
  readonly redact: Redactor['redact'];
  readonly allowActions: boolean;
  readonly boot: string;
  readonly pageToken: string;
}

/** Answers one request below `api/`, that was admitted; `undefined` for a path that is not there. */
export type Api = (method: string, path: string, request: Request) => Promise<Response> | undefined;

/** Answers the page's requests as JSON. All data passes the redactor on its way out. */
export const createApi = ({ sources, recorder, metrics, redact, allowActions, boot, pageToken }: ApiOptions): Api => {
  const { integration, outbox } = sources;
  const served = (value: object) => json(redact(value));
  const handles = createHandles();
  const position = () => `${boot}-${recorder.lastSeq()}`;
  const toolboxes = () =>
    Object.entries((typeof sources.toolboxes === 'function' ? sources.toolboxes() : sources.toolboxes) ?? {});

  const session = async () =>
    json({
      pageToken,
      allowActions,
      shows: { integration: Boolean(integration), outbox: Boolean(outbox), toolboxes: Boolean(sources.toolboxes) },
    });

  const phoneCall = async (id: number): Promise<Response> => {
    // 0 means the events that belong to no phone call.
    if (id === 0) return served({ position: position(), events: recorder.others() });
    const found = recorder.phoneCall(id);
    return found ? served({ position: position(), ...found }) : refusal(404, 'forgotten');
  };

  const endpoints = async () => served(await metrics.snapshot());

  const protection = async () => {
    const { metrics: counts } = await metrics.snapshot();
    return served({ apis: integration?.status() ?? null, metrics: counts, changes: recorder.changes() });
  };

  const outboxStatus = async () => served({ destinations: outbox ? await outbox.status() : null });

  const deadLetters = async (): Promise<Response> => {
    if (!outbox) return served({ messages: [], isLast: true });
    const messages = await outbox.deadLetters.list({ limit: pageSize });
    return served({
      messages: messages.map(({ cursor: _cursor, ...message }) => ({ ...message, handle: handles.of(message.id) })),
      isLast: messages.length < pageSize,
    });
  };

  // As a model is given them, to the letter: they are the application's own words, and name no person.
  const tools = async () =>
    json({ toolboxes: toolboxes().map(([name, toolbox]) => ({ name, tools: describeTools(toolbox) })) });

  const change = async (action: 'redrive' | 'discard', request: Request): Promise<Response> => {
    if (!allowActions) return refusal(403, 'actions_are_off');
    if (!outbox) return refusal(404, 'no_outbox');
    const asked = await readBody(request);
    const which = asked && selectionOf(asked, handles);
    if (!which) return refusal(400, 'not_a_selection');
    const count =
      action === 'redrive' ? await outbox.deadLetters.redrive(which) : await outbox.deadLetters.discard(which);
    return json({ count });
  };

  const validate = async (request: Request): Promise<Response> => {
    const asked = await readBody(request);
    const toolbox = toolboxes().find(([name]) => name === asked?.['toolbox'])?.[1];
    const tool = textOf(asked?.['tool']);
    if (!toolbox || tool === undefined || !toolbox.find(tool)) return refusal(404, 'no_such_tool');
    const checked = await toolbox.validate(tool, asked?.['arguments']);
    // What was entered is not sent back.
    return served(checked.ok ? { ok: true, problems: [] } : { ok: false, problems: checked.problems });
  };

  return (method, path, request) => {
    const [name = '', id = ''] = path.split(/\/(.*)/);
    switch (`${method} ${path}`) {
      case 'GET session':
        return session();
      case 'GET phone-calls':
        return Promise.resolve(served({ position: position(), phoneCalls: recorder.phoneCalls() }));
      case 'GET endpoints':
        return endpoints();
      case 'GET protection':
        return protection();
      case 'GET outbox':
        return outboxStatus();
      case 'GET dead-letters':
        return deadLetters();
      case 'GET tools':
        return tools();
      case 'POST tools/validate':
        return validate(request);
      case 'POST dead-letters/redrive':
        return change('redrive', request);
      case 'POST dead-letters/discard':
        return change('discard', request);
      default:
        return method === 'GET' && name === 'phone-calls' && /^\d{1,9}$/.test(id) ? phoneCall(Number(id)) : undefined;
    }
  };
};

/** The longest dead are shown; what is decided about all reaches the others too. */
const pageSize = 100;

/** Longer than any arguments or selection. */
const maximumBodyChars = 65_536;

type Fields = Readonly<Record<string, unknown>>;

/** The JSON object of a body; `undefined` when it is none, or too long. */
const readBody = async (request: Request): Promise<Fields | undefined> => {
  if (Number(request.headers.get('content-length') ?? 0) > maximumBodyChars) return undefined;
  if (!/^application\/json\b/.test(request.headers.get('content-type') ?? '')) return undefined;
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of request.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maximumBodyChars) return undefined;
  }
  return parseObject(text);
};

const parseObject = (text: string): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    // An object has fields by their names.
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
};

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 200) : undefined;

const selectionOf = (
  { handles: given, since, destination }: Fields,
  handles: Handles,
): UndeliveredSelection | undefined => {
  if (Array.isArray(given)) return { ids: given.flatMap((handle) => handles.find(String(handle)) ?? []) };
  if (typeof since !== 'number' || !(since >= 0)) return undefined;
  return { since, destination: typeof destination === 'string' ? destination : undefined };
};

/** Names for ids: an id may be made of a phone number, and is then not served as it is. */
interface Handles {
  of(id: string): string;
  find(handle: string): string | undefined;
}

/** Remembers the last ids that were named. */
const createHandles = (): Handles => {
  const salt = randomBytes(16);
  const ids = new Map<string, string>();
  return {
    of: (id) => {
      const handle = createHash('sha256').update(salt).update(id).digest('hex').slice(0, 32);
      ids.delete(handle);
      ids.set(handle, id);
      const [oldest] = ids.keys();
      if (ids.size > maximumHandles && oldest !== undefined) ids.delete(oldest);
      return handle;
    },
    find: (handle) => ids.get(handle),
  };
};

const maximumHandles = 1_000;
