import type { FakeRequest, Handled } from './fake-request.ts';
import { type Fields, type Line, type ModelFormat, modelFormats, type NextAnswer } from './model-formats.ts';
import { openScriptedRealtime, type ScriptedRealtime } from './scripted-realtime.ts';
import { type FakeServer, serve } from './server.ts';

/** A tool that the model asks for. */
export interface ScriptedCall {
  readonly call: string;
  /** @defaultValue {} */
  readonly args?: object;
  /** Sends the confirmation that a tool asked for last, as after the caller's yes. @defaultValue false */
  readonly confirmed?: boolean | undefined;
}

/** Words that the model says, a tool that it calls, or several at once. */
export type ScriptedStep = string | ScriptedCall | readonly ScriptedCall[];

/** The state that a step can depend on. */
export interface ScriptedMoment {
  /** The caller's last words. */
  readonly caller: string;
  /** The answers of the tools since, as the model reads them. */
  readonly results: readonly string[];
  /** The names of the tools that the request offers. */
  readonly tools: readonly string[];
}

/** A model behind HTTP that reads from a script. */
export interface ScriptedModel extends AsyncDisposable {
  /** Listens on a free port of 127.0.0.1. Asked again, it gives the same address, without a slash at the end. */
  listen(): Promise<string>;
  close(): Promise<void>;
  /** A session of OpenAI's Realtime API, for the `socket` of `realtime.connect`. It needs no port. */
  realtime(): ScriptedRealtime;
  /** The body of each request so far, the oldest first; of a realtime session, its settings and its conversation. */
  readonly requests: readonly unknown[];
  /** Steps that no request has met yet. */
  readonly stepsLeft: number;
}

/**
 * A stand-in for a language model, so that your agent is tested offline, with the vendor's own package. The path of a
 * request says which API it speaks: Chat Completions and Responses of OpenAI, Messages of Anthropic, generateContent of
 * Gemini, also as streams. Converse of Bedrock only without streams. `realtime()` speaks OpenAI's Realtime.
 *
 * Each request meets the next step of the script; a function gets what was said and answered. A step that calls a tool
 * that the request doesn't offer gets a 400. So does a request after the last step: a model with `[]` must not be asked.
 *
 * @example
 * const payment = { call: 'create_payment', args: { invoice_id: 'inv_1', amount: 120.5 } };
 * const model = createScriptedModel([
 *   { call: 'lookup_customer_invoices' },
 *   payment, // charges nothing, and returns a question
 *   'Shall I charge 120 euros and 50 cents to the card on file?',
 *   ({ caller }) => (/yes/i.test(caller) ? { ...payment, confirmed: true } : 'As you like.'),
 *   'That is paid.',
 * ]);
 * const openai = new OpenAI({ apiKey: 'test', baseURL: `${await model.listen()}/v1` });
 */
export const createScriptedModel = (
  script: readonly (ScriptedStep | ((moment: ScriptedMoment) => ScriptedStep))[],
): ScriptedModel => {
  const steps = [...script];
  const requests: unknown[] = [];
  let listening: Promise<FakeServer> | undefined;

  const next = (body: Fields, format: Pick<ModelFormat, 'conversation' | 'offered'>): NextAnswer => {
    requests.push(body);
    const step = steps.shift();
    const number = script.length - steps.length;
    if (step === undefined && script.length === 0) return { refusal: 'The script is empty: expected no request.' };
    if (step === undefined)
      return { refusal: `The script has ${script.length} steps, and this is request ${number + 1}.` };
    const conversation = format.conversation(body);
    const offered = format.offered(body);
    const now = typeof step === 'function' ? step({ ...sinceCaller(conversation), tools: offered }) : step;
    const answer = toAnswer(now, number, conversation);
    if ('refusal' in answer) return answer;
    const missing = 'calls' in answer ? answer.calls.find(({ name }) => !offered.includes(name)) : undefined;
    if (!missing) return answer;
    const tools = offered.join(', ') || 'no tool';
    return { refusal: `Step ${number} calls ${missing.name}, and the request offers ${tools}.` };
  };

  const handle = ({ method, url, body }: FakeRequest): Handled => {
    const path = url.split('?')[0] ?? '';
    const format = modelFormats.find((one) => one.path.test(path));
    if (method !== 'POST' || !format) return refuse(`The scripted model has no ${method} ${path}.`, 404);
    const parsed = JSON.parse(body) as Fields;
    const answer = next(parsed, format);
    if ('refusal' in answer) return refuse(answer.refusal);
    const isStream = format.streamPath?.test(path) ?? parsed['stream'] === true;
    return isStream && format.stream
      ? handled(200, format.stream(answer), 'text/event-stream')
      : handled(200, JSON.stringify(format.answer(answer)));
  };

  const close = async () => {
    const server = await listening;
    listening = undefined;
    await server?.close();
  };
  return {
    listen: async () => {
      listening ??= serve(handle, { port: 0 });
      return (await listening).url;
    },
    realtime: () => openScriptedRealtime(next),
    close,
    [Symbol.asyncDispose]: close,
    get requests() {
      return [...requests];
    },
    get stepsLeft() {
      return steps.length;
    },
  };
};

const sinceCaller = (conversation: readonly Line[]): Omit<ScriptedMoment, 'tools'> => {
  const last = conversation.findLastIndex((entry) => 'caller' in entry);
  const said = conversation[last];
  return {
    caller: said && 'caller' in said ? said.caller : '',
    results: conversation.slice(last + 1).flatMap((entry) => ('result' in entry ? [entry.result] : [])),
  };
};

const toAnswer = (step: ScriptedStep, number: number, conversation: readonly Line[]): NextAnswer => {
  if (typeof step === 'string') return { says: step };
  const calls: readonly ScriptedCall[] = [step].flat();
  const confirmation_token = calls.some(({ confirmed }) => confirmed) ? lastTokenIn(conversation) : undefined;
  const unasked = calls.find(({ confirmed }) => confirmed && confirmation_token === undefined);
  if (unasked) return { refusal: `Step ${number} confirms ${unasked.call}, and no tool has asked for a confirmation.` };
  return {
    calls: calls.map(({ call, args = {}, confirmed = false }, index) => ({
      id: `call_${number}_${index + 1}`,
      name: call,
      args: confirmed ? { ...args, confirmation_token } : args,
    })),
  };
};

/** Returns the token of the last answer that asked for a confirmation. Some formats have results as JSON in a text. */
const lastTokenIn = (conversation: readonly Line[]): string | undefined => {
  const results = conversation.flatMap((line) => ('result' in line ? [line.result] : []));
  return [...results.join('\n').matchAll(/confirmation_token\W+([\w.-]+)/g)].at(-1)?.[1];
};

/** Vendors read the message of an error in one of two places. Clients don't repeat a 400. */
const refuse = (message: string, status = 400): Handled =>
  handled(
    status,
    JSON.stringify({ type: 'error', message, error: { type: 'invalid_request_error', code: status, message } }),
  );

const handled = (status: number, body: string, type = 'application/json'): Handled => ({
  status,
  body,
  headers: { 'content-type': type },
  latencyMs: 0,
  delivery: 'whole',
});
