/** What an MCP server says to its host while a tool runs: questions for the user, and signs of life. */
import { LRUCache } from 'lru-cache';
import { setTimer } from '../../core/timers.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import type { ToolCallContext, ToolResult } from '../context.ts';
import { madeOnce } from '../made-once.ts';
import type { Toolbox } from '../toolbox.ts';

/** What of the `Server` of the packages is used. */
export interface McpServerPart {
  registerCapabilities(capabilities: { tools: object }): void;
  setRequestHandler(method: never, handler: never): void;
  getClientCapabilities(): ClientCapabilities | undefined;
  elicitInput(question: Question['params'], options: object): Promise<{ readonly action: string }>;
}

/** What a host says that it can do. */
interface ClientCapabilities {
  readonly elicitation?: { readonly form?: unknown; readonly url?: unknown } | undefined;
}

/** Sends a notification to the client. */
type Notify = (notification: {
  method: 'notifications/progress';
  params: { progressToken: string | number; progress: number; message?: string | undefined };
}) => Promise<void>;

/** What of the second argument of a request handler is used; the newer package has it under `mcpReq`. */
export interface RequestExtra {
  readonly requestId?: string | number;
  readonly signal?: AbortSignal;
  readonly sendNotification?: Notify;
  readonly mcpReq?: {
    readonly signal?: AbortSignal;
    readonly notify?: Notify;
    readonly inputResponses?: { readonly [name: string]: { readonly action?: string } | undefined };
    readonly envelope?: { readonly 'io.modelcontextprotocol/clientCapabilities'?: ClientCapabilities };
  };
}

/** A yes or no for the user of a host. */
interface Question {
  method: 'elicitation/create';
  params: { mode: 'form'; message: string; requestedSchema: { type: 'object'; properties: Record<string, never> } };
}

/** What the user has to be asked before the tool runs, if that is what the result says. */
export const toQuestion = ({ status, value }: ToolResult): Question | undefined => {
  // What a tool itself gives may have the same fields.
  if (status !== 'refused' || typeof value !== 'object' || value === null || !('summary' in value)) return undefined;
  const { error, reason, summary } = value as { readonly [field: string]: unknown };
  if (typeof summary !== 'string' || (error !== 'confirmation_required' && reason !== 'not_approved')) return undefined;
  const requestedSchema = { type: 'object' as const, properties: {} };
  return { method: 'elicitation/create', params: { mode: 'form', message: summary, requestedSchema } };
};

/** As long as the token of the question counts. */
export const longestAnswerMs = 300_000;

/** The calls that users are being asked about, by tool and arguments. A host may open a server for each request. */
export const openQuestionsOf = madeOnce(
  (_toolbox: Toolbox) => new LRUCache<string, true>({ max: mostQuestions, ttl: longestAnswerMs }),
);

const mostQuestions = 100;

/** Whether the host can ask its user. One that names no kind of question takes forms. */
export const canAsk = (server: McpServerPart, { mcpReq }: RequestExtra): boolean => {
  const capabilities =
    mcpReq?.envelope?.['io.modelcontextprotocol/clientCapabilities'] ?? server.getClientCapabilities();
  const { elicitation } = capabilities ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
};

/** Progress of one tool call, for a client that asked for it. */
interface Progress {
  readonly onSlow: ToolCallContext['onSlow'];
  /** Sends this now, and again until it is stopped, so that the client doesn't give up. */
  readonly send: (message?: string) => void;
  readonly stop: () => void;
}

export const startProgress = (progressToken: string | number | undefined, notify: Notify | undefined): Progress => {
  if (progressToken === undefined || !notify) return { onSlow: undefined, send: () => {}, stop: () => {} };
  let sent = 0;
  let cancel = () => {};
  const send = (message?: string) => {
    cancel();
    // A notification that can't be sent changes nothing: the result is still to come.
    const params = withoutUndefined({ progressToken, progress: sent, message });
    notify({ method: 'notifications/progress', params }).catch(() => {});
    sent += 1;
    cancel = setTimer(() => send(message), everyMs);
  };
  return { onSlow: ({ message }) => send(message), send, stop: () => cancel() };
};

const everyMs = 5_000;
